import Foundation
import Synchronization
import TestSupport
import Testing

@testable import GreenroomRuntime

@Suite struct HostClockTests {
    @Test func `a thread waits until a test has advanced the time`() {
        let time = ManualTime()
        let clock = HostClock(time)
        let never = Monitor(false)
        let begun = clock.now
        let isOver = Mutex(false)
        let thread = HostThread(name: "test") {
            let _: Bool? = never.wait(until: begun + 1_000_000_000, on: clock) { $0 ? true : nil }
            isOver.withLock { $0 = true }
        }
        while time.nextDeadline == nil { sched_yield() }
        #expect(time.nextDeadline == begun + 1_000_000_000)
        time.advance(by: 999_999_999)
        #expect(!isOver.withLock { $0 })
        time.advance(by: 1)
        thread.join()
        #expect(isOver.withLock { $0 })
        #expect(time.nextDeadline == nil)
    }

    @Test func `a change wakes a thread while the time stands still`() {
        let clock = HostClock(ManualTime())
        let state = Monitor(0)
        let thread = HostThread(name: "test") {
            let _: Bool? = state.wait(until: clock.deadline(after: 1), on: clock) {
                $0 == 1 ? true : nil
            }
        }
        state.change { $0 = 1 }
        thread.join()
    }

    @Test func `a real session clock has the host clock's time`() {
        let time = ManualTime(at: 5)
        let clock = SessionClock(host: HostClock(time))
        time.advance(by: 7)
        #expect(clock.now == 12)
        #expect(clock.host.deadline(after: .max) == .max)
        let never = Monitor(false)
        let result: Bool? = clock.wait(for: never, until: 12) { $0 ? true : nil }
        #expect(result == nil)
    }

    @Test
    func `a virtual clock reports a plugin that does not use the clock`() {
        let time = ManualTime()
        let clock = SessionClock(isVirtual: true, host: HostClock(time))
        let lost = Monitor<Int?>(nil)
        clock.watch { number, _ in lost.change { $0 = number } }
        clock.expect(plugin: 7)
        while lost.withLock({ $0 }) == nil {
            if time.nextDeadline != nil { time.advance(by: 100_000_000) }
            sched_yield()
        }
        #expect(lost.withLock { $0 } == 7)
        clock.close()
    }

    /// Why a file reads the machine's time itself: what it waits for does not happen on a test's clock.
    private static let readers: [String: String] = [
        "GreenroomRuntime/Clocks/HostClock.swift": "is the host clock",
        "GreenroomIsolation/Connect/WakeupPipe.swift": "waits for a thread that polls a pipe",
        "GreenroomIsolation/ScriptInterpreter.swift": "waits for a process",
        "GreenroomIsolation/ConfinedProcess.swift": "polls a process",
        "GreenroomIsolation/PluginScanner.swift": "waits for a process",
        "GreenroomIsolation/SharedProcess.swift": "waits for a process",
        "GreenroomSession/Hooks/HookProcess.swift": "waits for a process",
        "GreenroomLifecycle/Lifecycle/LoadDeadline.swift": "waits for a library's constructors",
        "GreenroomHost/PluginLibrary+Deadline.swift": "runs a library's constructors",
    ]

    /// The same of the validator, which gives real plugins budgets of real time, and of programs and sockets
    /// around a session, which stamp events and wait for other programs.
    private static let folders = [
        "GreenroomValidator/", "GreenroomOperate/", "greenroom/",
        "GreenroomSession/Control/ControlGrants.swift",
    ]

    @Test func `only the listed source files read the machine's time`() throws {
        let sources = Checkout.root + "/Sources"
        let readers = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { path in
            guard path.hasSuffix(".swift"), !path.hasPrefix("CPluginTemplates/") else {
                return false
            }
            let text = try String(contentsOfFile: "\(sources)/\(path)", encoding: .utf8)
            return ["MonotonicClock.now", "MonotonicClock.deadline", "ContinuousClock"].contains {
                text.contains($0)
            }
        }
        let others = readers.filter { path in !Self.folders.contains { path.hasPrefix($0) } }
        #expect(Set(others) == Set(Self.readers.keys))
    }
}
