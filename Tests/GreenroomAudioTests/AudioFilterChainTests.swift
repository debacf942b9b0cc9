import GreenroomMedia
import Synchronization
import Testing

@testable import GreenroomAudio
@testable import GreenroomRuntime

/// Filters in the path of a track's audio.
@Suite struct AudioFilterChainTests {
    /// A filter that delays audio as it declares, and does to each block what its script says.
    private final class FakeFilter: AudioFilter {
        enum Deed { case edit, refuse, hang, away }

        let name = "fake"
        let clockOrder = ClockOrder.session
        let isRequired: Bool
        private let format: AudioEditing
        private let deed: @Sendable (_ block: Int) -> Deed
        /// How many attempts to end it a debugger prevents.
        private let spared: Int
        private let state = Mutex((count: 0, held: [Int16](), references: [Bool]()))
        let notes = Mutex<[String]>([])
        let isReleased = Monitor(false)
        let hangs = Mutex(0)

        init(
            _ editing: AudioEditing = AudioEditing(), isRequired: Bool = false,
            sparing spared: Int = 0,
            _ deed: @escaping @Sendable (Int) -> Deed = { _ in .edit }
        ) {
            (format, self.isRequired, self.spared, self.deed) = (editing, isRequired, spared, deed)
            state.withLock {
                $0.held = [Int16](repeating: 0, count: editing.delayFrames * editing.channels)
            }
        }

        var declared: AudioEditing? { format }
        var audioEditing: AudioEditing? {
            deed(state.withLock { $0.count }) == .away ? nil : format
        }
        var references: [Bool] { state.withLock { $0.references } }

        func process(_ block: inout AudioEdit) -> Status {
            let number = state.withLock { state in
                defer { state.count += 1 }
                return state.count
            }
            if deed(number) == .hang { _ = isReleased.wait(until: nil) { $0 ? true : nil } }
            return block.withSamples { samples, reference in
                state.withLock { state in
                    state.references.append(reference != nil)
                    let all = state.held + Array(samples)
                    state.held = Array(all.suffix(state.held.count))
                    for index in samples.indices { samples[index] = all[index] }
                }
                guard deed(number) == .refuse else { return .ok }
                for index in samples.indices { samples[index] = -9 }
                return .failed
            }
        }

        func deadline(_ session: Int64) -> Int64 { session }

        func giveUp(hungFor nanoseconds: Int64) -> Bool {
            let attempts = hangs.withLock { hangs in
                hangs += 1
                return hangs
            }
            guard attempts > spared else { return false }
            isReleased.change { $0 = true }
            return true
        }

        func tell(_ text: String) { notes.withLock { $0.append(text) } }
    }

    /// Counts up from 1 on the left, and down on the right.
    private final class Ramp: AudioSource {
        private let place = Mutex<Int>(0)

        func pull(_ frames: Int, into output: inout MutableSpan<Int16>) -> Int {
            let start = place.withLock { place in
                defer { place += frames }
                return place
            }
            for frame in 0..<frames {
                output[frame * 2] = Int16(truncatingIfNeeded: start + frame + 1)
                output[frame * 2 + 1] = Int16(truncatingIfNeeded: -(start + frame + 1))
            }
            return frames
        }
    }

    private final class Recorder: AudioSink {
        private let samples = Mutex<[Int16]>([])

        func write(_ written: Span<Int16>) {
            samples.withLock { samples in
                for index in written.indices { samples.append(written[index]) }
            }
        }

        func finish(until deadline: Int64) {}
        var left: [Int16] {
            samples.withLock { all in stride(from: 0, to: all.count, by: 2).map { all[$0] } }
        }
    }

    private let clock = SessionClock(isVirtual: true)

    private func filtered(
        _ filters: [FakeFilter], delayFrames: Int? = nil, hangNanoseconds: Int64 = 2_000_000_000
    ) -> FilteredAudio {
        let chain = AudioFilterChain(
            filters.map { AudioFilterRunner($0, clock: clock) }, hangNanoseconds: hangNanoseconds,
            clock: clock)
        return FilteredAudio(
            Ramp(), through: chain, delayFrames: delayFrames ?? chain.delayFrames, reference: nil,
            timeline: SessionTimeline())
    }

    /// Pulls blocks, of one channel.
    private func pull(_ blocks: Int, from audio: FilteredAudio, channel: Int = 0) -> [Int16] {
        var samples = [Int16](repeating: 0, count: 960)
        return (0..<blocks).flatMap { _ in
            var span = samples.mutableSpan
            audio.pull(480, into: &span)
            return (0..<480).map { samples[$0 * 2 + channel] }
        }
    }

    private func ramp(_ frames: Int, delay: Int = 0) -> [Int16] {
        (0..<frames).map { Int16(max($0 - delay + 1, 0)) }
    }

    @Test(arguments: [0, 100, 480, 1000])
    func `a block that a filter refuses is played unedited, with the filter's delay`(
        delay: Int
    ) throws {
        let filter = FakeFilter(AudioEditing(delayFrames: delay)) { $0 == 3 ? .refuse : .edit }
        let audio = filtered([filter])
        defer { audio.close() }
        #expect(pull(8, from: audio) == ramp(8 * 480, delay: delay))
        let counts = try #require(audio.counts)
        #expect((counts.edited, counts.refused, counts.overdue, counts.lost) == (7, 1, 0, 0))
        let notes = filter.notes.withLock { $0 }
        #expect(notes.count == 1 && notes[0].hasPrefix("refused a block (FAILED)"), "\(notes)")
    }

    @Test func `a block that a required filter does not edit is silent`() throws {
        let filter = FakeFilter(isRequired: true) {
            switch $0 {
            case 2: .refuse
            default: .edit
            }
        }
        let audio = filtered([filter])
        defer { audio.close() }
        let played = pull(4, from: audio)
        #expect(played[960..<1440].allSatisfy { $0 == 0 })
        #expect(Array(played[..<960]) == Array(ramp(960)) && played[1440] == 1441)
        #expect(try #require(audio.counts).silenced == 1)
    }

    @Test func `audio is unedited while a filter is not running, and nothing is reported`() throws {
        let filter = FakeFilter { _ in .away }
        let audio = filtered([filter])
        defer { audio.close() }
        #expect(pull(3, from: audio) == ramp(1440))
        let counts = try #require(audio.counts)
        #expect(counts.lost == 3 && filter.notes.withLock { $0.isEmpty })
        #expect(counts.uneditedFrames == 3 * 480, "none of them is real")
    }

    @Test func `a filter that hangs is ended, and costs no block`() throws {
        let filter = FakeFilter { $0 == 1 ? .hang : .edit }
        let audio = filtered([filter], hangNanoseconds: 50_000_000)
        defer { audio.close() }
        #expect(pull(6, from: audio) == ramp(6 * 480))
        #expect(filter.hangs.withLock { $0 } == 1)
        let counts = try #require(audio.counts)
        #expect(counts.overdue >= 1 && counts.edited + counts.overdue == 6)
    }

    @Test func `a filter that hangs in a debugger is ended when the debugger has gone`() {
        let filter = FakeFilter(sparing: 2) { $0 == 1 ? .hang : .edit }
        let audio = filtered([filter], hangNanoseconds: 20_000_000)
        defer { audio.close() }
        #expect(pull(6, from: audio) == ramp(6 * 480))
        #expect(filter.hangs.withLock { $0 } == 3)
    }

    @Test func `a mono filter edits the mix of both channels, and both play its result`() {
        let audio = filtered([FakeFilter(AudioEditing(channels: 1))])
        defer { audio.close() }
        // The ramps cancel each other.
        #expect(pull(1, from: audio).allSatisfy { $0 == 0 })
        #expect(pull(1, from: audio, channel: 1).allSatisfy { $0 == 0 })
    }

    @Test func `the delays of filters add up, and are padded to the session's delay`() {
        let filters = [AudioEditing(delayFrames: 100), AudioEditing(delayFrames: 236)]
        let audio = filtered(filters.map { FakeFilter($0) }, delayFrames: 480)
        defer { audio.close() }
        #expect(pull(4, from: audio) == ramp(4 * 480, delay: 480))
    }

    @Test(arguments: [336, 480, 2000])
    func `the mixer keeps filtered and unfiltered tracks in step, from the first sample`(
        delay: Int
    ) throws {
        let session = AudioMixer.wholeStretches(delay)
        let slow = filtered([FakeFilter(AudioEditing(delayFrames: delay))], delayFrames: session)
        let plain = filtered([], delayFrames: session)
        let (one, other, sum) = (Recorder(), Recorder(), Recorder())
        let mixer = AudioMixer(
            tracks: [
                AudioMixer.Track(source: slow, sinks: [one]),
                AudioMixer.Track(source: plain, sinks: [other]),
            ], mixSinks: [(.own, sum)], delayFrames: session, clock: clock)
        mixer.finish(at: 105_000_000)
        let epoch = clock.now
        let thread = HostThread(name: "audio", clock: clock, as: ClockOrder(part: .audio)) {
            mixer.run(epoch: epoch)
        }
        thread.join(until: MonotonicClock.deadline(after: 30_000_000_000))
        slow.close()
        #expect(one.left == ramp(5040) && other.left == one.left)
        #expect(sum.left == ramp(5040).map { $0 * 2 })
    }
}
