import Foundation
import Synchronization
import Testing

@testable import GreenroomRuntime

@Suite struct VirtualClockTests {
    /// The events, in order.
    private final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        func write(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// A thread of a session.
    private struct Part {
        var order: ClockOrder
        var body: @Sendable () -> Void

        init(_ order: ClockOrder, _ body: @escaping @Sendable () -> Void) {
            self.order = order
            self.body = body
        }
    }

    /// Runs parts, each on a thread of the clock, and waits for their ends.
    private func run(_ clock: SessionClock, _ parts: [Part]) {
        clock.lead()
        let threads = parts.map {
            HostThread(name: "test", clock: clock, as: $0.order, body: $0.body)
        }
        clock.idling { for thread in threads { thread.join() } }
        clock.leave()
    }

    /// Waits until a time since the clock's start.
    private func sleep(
        _ clock: SessionClock, until milliseconds: Int64, as order: ClockOrder = .session
    ) {
        let never = Monitor(false)
        let deadline = VirtualClock.startTime + milliseconds * 1_000_000
        _ = clock.wait(for: never, until: deadline, as: order) { $0 ? true : nil }
    }

    @Test func `an hour of waits is fast, and time is exact`() {
        let clock = SessionClock(isVirtual: true)
        let begun = clock.now
        run(
            clock,
            [
                Part(.plugin(0)) {
                    for step in 1...3600 {
                        sleep(clock, until: Int64(step) * 1000)
                        #expect(clock.now == begun + Int64(step) * 1_000_000_000)
                    }
                }
            ])
        #expect(clock.now == begun + 3_600_000_000_000)
    }

    @Test func `threads that wait for the same time run one by one in order`() {
        for _ in 0..<20 {
            let clock = SessionClock(isVirtual: true)
            let journal = Journal()
            let orders = [
                ClockOrder(part: .output, number: 1), ClockOrder(part: .output, number: 0),
                ClockOrder(part: .audio), .plugin(1), .plugin(0), ClockOrder(part: .track),
            ]
            run(
                clock,
                orders.map { order in
                    Part(order) {
                        for step in [10, 20] {
                            sleep(clock, until: Int64(step))
                            journal.write("\(step) \(order.part) \(order.number)")
                        }
                    }
                })
            let wanted = [10, 20].flatMap { step in
                [
                    "plugin 0", "plugin 1", "track 0", "audio 0", "output 0", "output 1",
                ].map { "\(step) \($0)" }
            }
            #expect(journal.all == wanted)
        }
    }

    @Test func `time waits for a thread that replaces another thread`() {
        let clock = SessionClock(isVirtual: true)
        let journal = Journal()
        let hasEnded = Monitor(false)
        run(
            clock,
            [
                Part(.plugin(0)) {
                    sleep(clock, until: 10, as: .plugin(0))
                    // A callback that has begun another thread has returned; this one ends.
                    clock.expectNext(plugin: 0)
                    Thread.detachNewThread {
                        usleep(50_000)
                        sleep(clock, until: 20, as: .plugin(0))
                        journal.write("plugin")
                        hasEnded.change { $0 = true }
                    }
                },
                Part(ClockOrder(part: .track)) {
                    sleep(clock, until: 500)
                    journal.write("track")
                },
            ])
        _ = hasEnded.wait(until: nil) { $0 ? true : nil }
        #expect(journal.all == ["plugin", "track"])
    }

    @Test func `time stands still until all effects of a change are done`() {
        for _ in 0..<50 {
            let clock = SessionClock(isVirtual: true)
            let journal = Journal()
            let queue = Monitor<[Int]>([])
            run(
                clock,
                [
                    Part(.plugin(0)) {
                        for step in 1...5 {
                            sleep(clock, until: Int64(step) * 10)
                            queue.change { $0.append(step) }
                        }
                    },
                    Part(ClockOrder(part: .track)) {
                        for _ in 1...5 {
                            let taken: Int? = clock.wait(for: queue, until: nil) { queue in
                                queue.isEmpty ? nil : queue.removeFirst()
                            }
                            let now = (clock.now - VirtualClock.startTime) / 1_000_000
                            journal.write("\(taken ?? 0) at \(now)")
                        }
                    },
                ])
            #expect(journal.all == (1...5).map { "\($0) at \($0 * 10)" })
        }
    }

    @Test func `a wait ends at the change or the deadline, whichever is first`() {
        let clock = SessionClock(isVirtual: true)
        let flag = Monitor(false)
        let journal = Journal()
        run(
            clock,
            [
                Part(.plugin(0)) {
                    let early: Bool? = clock.wait(
                        for: flag, until: VirtualClock.startTime + 5_000_000
                    ) { $0 ? true : nil }
                    journal.write("\(early == nil) at \(clock.now - VirtualClock.startTime)")
                    let late: Bool? = clock.wait(
                        for: flag, until: VirtualClock.startTime + 50_000_000
                    ) { $0 ? true : nil }
                    journal.write("\(late == nil) at \(clock.now - VirtualClock.startTime)")
                },
                Part(.plugin(1)) {
                    sleep(clock, until: 10)
                    flag.change { $0 = true }
                },
            ])
        #expect(journal.all == ["true at 5000000", "false at 10000000"])
    }

    @Test func `time stands still until a started plugin waits`() {
        let clock = SessionClock(isVirtual: true)
        let journal = Journal()
        clock.expect(plugin: 3)
        clock.lead()
        let host = HostThread(name: "test", clock: clock, as: ClockOrder(part: .audio)) {
            sleep(clock, until: 10)
            journal.write("host")
        }
        // The clock does not know this thread until it waits.
        let plugin = HostThread(name: "test") {
            let never = Monitor(false)
            _ = clock.wait(
                for: never, until: VirtualClock.startTime + 5_000_000, as: .plugin(3)
            ) { $0 ? true : nil }
            journal.write("plugin")
        }
        clock.idling {
            host.join()
            plugin.join()
        }
        clock.leave()
        #expect(journal.all == ["plugin", "host"])
    }

    @Test func `time advances without a plugin that never waits, and that plugin is reported`() {
        let clock = SessionClock(isVirtual: true)
        let named = Monitor<[String]>([])
        clock.expect(plugin: 7)
        clock.watch { number, hadWaited in named.change { $0.append("\(number) \(hadWaited)") } }
        run(clock, [Part(ClockOrder(part: .audio)) { sleep(clock, until: 10) }])
        clock.close()
        #expect(named.withLock { $0 } == ["7 false"])
        #expect(clock.now == VirtualClock.startTime + 10_000_000)
    }

    @Test func `time does not wait for a plugin that only reacts`() {
        let clock = SessionClock(isVirtual: true)
        let named = Monitor<[String]>([])
        clock.expect(plugin: 7, unless: { true })
        clock.watch { number, hadWaited in named.change { $0.append("\(number) \(hadWaited)") } }
        run(clock, [Part(ClockOrder(part: .audio)) { sleep(clock, until: 10) }])
        clock.close()
        #expect(named.withLock { $0 }.isEmpty)
        #expect(clock.now == VirtualClock.startTime + 10_000_000)
    }

    @Test func `time waits for a plugin that may only react while its threads run`() {
        let clock = SessionClock(isVirtual: true)
        let journal = Journal()
        let looks = Monitor(0)
        clock.expect(
            plugin: 3,
            unless: {
                looks.change { $0 += 1 }
                return false
            })
        clock.watch { _, _ in }
        clock.lead()
        let host = HostThread(name: "test", clock: clock, as: ClockOrder(part: .audio)) {
            sleep(clock, until: 10)
            journal.write("host")
        }
        let plugin = HostThread(name: "test") {
            // As a thread that was just started.
            let _: Bool? = looks.wait(until: nil) { $0 >= 5 ? true : nil }
            let never = Monitor(false)
            _ = clock.wait(
                for: never, until: VirtualClock.startTime + 5_000_000, as: .plugin(3)
            ) { $0 ? true : nil }
            journal.write("plugin")
        }
        clock.idling {
            host.join()
            plugin.join()
        }
        clock.leave()
        clock.close()
        #expect(journal.all == ["plugin", "host"])
    }

    @Test func `a process that waits is at rest, and one that works or sleeps for a time is not`()
        throws
    {
        func start(_ command: String) throws -> Process {
            let process = Process()
            process.standardInput = Pipe()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", command]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
        func end(_ process: Process) {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let waiting = try start("exec cat")
        defer { end(waiting) }
        let working = try start("while :; do :; done")
        defer { end(working) }
        let sleeping = try start("exec sleep 60")
        defer { end(sleeping) }
        // It may still be starting.
        let deadline = MonotonicClock.deadline(after: 10_000_000_000)
        while !ThreadStates.allSleep(in: waiting.processIdentifier), MonotonicClock.now < deadline {
            usleep(1000)
        }
        #expect(ThreadStates.allSleep(in: waiting.processIdentifier))
        for process in [working, sleeping] {
            for _ in 0..<20 { #expect(!ThreadStates.allSleep(in: process.processIdentifier)) }
        }
    }

    @Test func `time does not wait for a released plugin's thread that waits outside the clock`() {
        let clock = SessionClock(isVirtual: true)
        let (isStopped, mayEnd) = (Monitor(false), Monitor(false))
        let plugin = HostThread(name: "test") {
            _ = clock.wait(
                for: Monitor(false), until: VirtualClock.startTime + 5_000_000, as: .plugin(3)
            ) { $0 ? true : nil }
            isStopped.change { $0 = true }
            let _: Bool? = mayEnd.wait(until: nil) { $0 ? true : nil }
        }
        clock.expect(plugin: 3)
        run(
            clock,
            [
                Part(.control(3)) {
                    clock.idling { let _: Bool? = isStopped.wait(until: nil) { $0 ? true : nil } }
                    clock.release(plugin: 3)
                    sleep(clock, until: 10)
                }
            ])
        #expect(clock.now == VirtualClock.startTime + 10_000_000)
        mayEnd.change { $0 = true }
        plugin.join()
    }

    @Test func `an ended thread does not stop time`() {
        let clock = SessionClock(isVirtual: true)
        run(
            clock,
            [
                Part(.plugin(0)) { sleep(clock, until: 5) },
                Part(.plugin(1)) { sleep(clock, until: 20) },
            ])
        #expect(clock.now == VirtualClock.startTime + 20_000_000)
    }
}
