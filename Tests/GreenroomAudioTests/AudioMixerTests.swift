import GreenroomMedia
import Synchronization
import Testing

@testable import GreenroomAudio
@testable import GreenroomRuntime

@Suite struct AudioMixerTests {
    /// Counts the frames of a mix, and notes the time of each write.
    private final class Sink: AudioSink {
        private let clock: SessionClock
        private let idle: Atomic<Bool>
        let state = Mutex((skipped: 0, written: 0, times: [Int64](), peaks: [Int16]()))

        init(isIdle: Bool, on clock: SessionClock) {
            self.clock = clock
            idle = Atomic(isIdle)
        }

        var isIdle: Bool { idle.load(ordering: .relaxed) }
        func begin() { idle.store(false, ordering: .relaxed) }
        func skip(_ frames: Int) { state.withLock { $0.skipped += frames } }
        func write(_ samples: Span<Int16>) {
            let (frames, now) = (samples.count / 2, clock.now)
            let peak = samples.indices.map { samples[$0] }.max() ?? 0
            state.withLock { state in
                state.peaks.append(peak)
                state.written += frames
                state.times.append(now)
            }
        }
        func finish(until deadline: Int64) {}
    }

    private final class Level: AudioSource {
        let pulled = Mutex(0)
        private let level: Int16

        init(_ level: Int16 = 0) { self.level = level }

        func pull(_ frames: Int, into output: inout MutableSpan<Int16>) -> Int {
            for index in 0..<(frames * 2) { output[index] = level }
            pulled.withLock { $0 += frames }
            return frames
        }
    }

    /// Runs a mixer with one sink of the mix of all tracks until a time of the session, and a body on another thread
    /// at a time.
    private func run(
        until end: Int64, isIdle: Bool, at time: Int64 = 0, delayFrames: Int = 0,
        tracks: [AudioMixer.Track] = [],
        _ body: @escaping @Sendable (AudioMixer, Sink) -> Void = { _, _ in }
    ) -> (sink: Sink, epoch: Int64) {
        let clock = SessionClock(isVirtual: true)
        let sink = Sink(isIdle: isIdle, on: clock)
        let mixer = AudioMixer(
            tracks: tracks, mixSinks: [(.all, sink)], delayFrames: delayFrames, clock: clock)
        mixer.finish(at: end)
        let epoch = clock.now
        // Time stands still until both threads wait.
        clock.lead()
        let threads = [
            HostThread(name: "audio", clock: clock, as: ClockOrder(part: .audio)) {
                mixer.run(epoch: epoch)
            },
            HostThread(name: "test", clock: clock) {
                let _: Bool? = clock.wait(for: Monitor(0), until: epoch + time) { _ in nil }
                body(mixer, sink)
            },
        ]
        clock.leave()
        for thread in threads {
            thread.join(until: MonotonicClock.deadline(after: 30_000_000_000))
        }
        return (sink, epoch)
    }

    private static let ms: Int64 = 1_000_000

    @Test func `a mixer whose sinks are idle skips an hour in one step`() {
        let state = run(until: 3_600_005 * Self.ms, isIdle: true).sink.state.withLock { $0 }
        #expect(state.skipped == 3600 * 48_000)
        // The rest of the last 10 ms.
        #expect(state.written == 240 && state.times.count == 1)
    }

    @Test func `a sink that is not idle gets blocks of 10 ms on time even without a track`() {
        let (sink, epoch) = run(until: 50 * Self.ms, isIdle: false)
        let state = sink.state.withLock { $0 }
        #expect(state.skipped == 0 && state.written == 2400)
        #expect(
            state.times
                == (1...5).map { epoch + SessionTimeline.playoutDelay + $0 * 10 * Self.ms })
    }

    @Test func `a sink that stops being idle gets audio from the time of that change on`() {
        let (sink, epoch) = run(
            until: 2000 * Self.ms, isIdle: true,
            at: SessionTimeline.playoutDelay + 1234 * Self.ms
        ) { mixer, sink in mixer.changing { sink.begin() } }
        let state = sink.state.withLock { $0 }
        #expect(state.skipped == 1230 * 48 && state.written == 770 * 48)
        #expect(state.times.first == epoch + SessionTimeline.playoutDelay + 1240 * Self.ms)
    }

    @Test func `a track that is added to an idle mixer starts in the 10 ms block of that time`() {
        let source = Level()
        let start = Mutex<Int64>(0)
        let state = run(until: 2000 * Self.ms, isIdle: true, at: 1234 * Self.ms) { mixer, _ in
            mixer.add(at: 1234 * Self.ms) { begin in
                start.withLock { $0 = begin }
                return AudioMixer.Track(source: source, sinks: [], participant: 1)
            }
        }.sink.state.withLock { $0 }
        #expect(start.withLock { $0 } == 1230 * Self.ms)
        #expect(source.pulled.withLock { $0 } == 770 * 48)
        #expect(state.skipped + state.written == 2000 * 48)
    }

    @Test(arguments: [0, 960])
    func `people are left out of a mix from the next 10 ms on, and return in the same way`(
        delay: Int
    ) {
        let tracks = [(1, 100), (2, 10)].map {
            AudioMixer.Track(source: Level($1), sinks: [], participant: $0)
        }
        let peaks = run(
            until: 300 * Self.ms, isIdle: false, at: 203 * Self.ms, delayFrames: delay,
            tracks: tracks
        ) { mixer, sink in
            // Two commands before the mixer has reached the time of the first one.
            mixer.leaveOut([1], of: [sink], at: 203 * Self.ms)
            mixer.leaveOut([2], of: [sink], at: 241 * Self.ms)
            #expect(mixer.mixes(participant: 1) && mixer.mixes(participant: 2))
        }.sink.state.withLock { $0.peaks }
        #expect(
            peaks == [110].repeated(21) + [10].repeated(4) + [100].repeated(5), "\(peaks)")
    }

    @Test func `a participant who is left out before the first audio is in no part of a mix`() {
        let peaks = run(until: 300 * Self.ms, isIdle: false, at: 203 * Self.ms) { mixer, sink in
            mixer.leaveOut([1], of: [sink], at: 203 * Self.ms)
            mixer.add(at: 150 * Self.ms) { _ in
                AudioMixer.Track(source: Level(100), sinks: [], participant: 1)
            }
        }.sink.state.withLock { $0.peaks }
        #expect(peaks == [0].repeated(30), "\(peaks)")
    }

    @Test func `a mixer that is behind catches up at ten times real time`() {
        // The host stands still for three seconds after the first second.
        let (step, ms) = (Int64(480), Int64(1_000_000))
        var now: Int64 = 0
        var last: Int64?
        var times: [Int64] = []
        for number in 1...500 {
            let due = AudioMixer.due(Int64(number) * step, epoch: 0, after: last)
            now = max(now, due)
            if number == 101 { now += 3000 * ms }
            times.append(now)
            last = now
        }
        let gaps = zip(times.dropFirst(), times).map { ($0 - $1) / ms }
        #expect(gaps[..<99].allSatisfy { $0 == 10 } && gaps[99] == 3010)
        // 3000 ms behind, and 9 ms less with each.
        let behind = gaps[100...].prefix { $0 < 9 }
        #expect(
            (333...334).contains(behind.count) && behind.dropLast().allSatisfy { $0 == 1 },
            "\(behind.count)")
        #expect(gaps.suffix(60).allSatisfy { $0 == 10 })
    }

    @Test(arguments: [0, 1, 53, 54, 24 * 365, 24 * 365 * 100])
    func `an audio frame's time is exact after any number of hours`(hours: Int64) {
        let place = hours * 3600 * 48_000 + 480
        #expect(
            AudioMixer.nanoseconds(at: place) == hours * 3600 * 1_000_000_000 + 10_000_000)
    }
}

extension [Int16] {
    fileprivate func repeated(_ count: Int) -> [Int16] { (0..<count).flatMap { _ in self } }
}
