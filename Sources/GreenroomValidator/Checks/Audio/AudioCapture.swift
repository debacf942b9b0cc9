import GreenroomHarness
import GreenroomModel
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

/// The audio that a source sent in a period of session time.
struct AudioCapture: Sendable {
    /// A sent block, accepted or not.
    struct Send: Sendable {
        var block: TracedBlock
        var status: Status
        /// The time at which the call returned, in nanoseconds on the session clock.
        var nanoseconds: Int64
        var thread: TracedCall.Thread
    }

    /// The sent blocks, in order.
    var sends: [Send]
    /// Start and end of the capture.
    var begin: Int64
    var end: Int64
    /// Whether the capture used real time, because the source does not use the session clock.
    var isReal = false
    /// The time that the source's threads waited for a processor, in nanoseconds.
    var delayNanoseconds: Int64 = 0
    /// The reason that the source gave up; nil if it did not.
    var gaveUp: String?

    /// The accepted blocks.
    var accepted: [Send] { sends.filter { $0.status == .ok } }

    /// The format of the first accepted block.
    var format: AudioFormat? {
        sends.first { $0.status == .ok }.map {
            AudioFormat(sampleRate: Int($0.block.sampleRate), channels: Int($0.block.channels))
        }
    }

    /// Whether the machine had time for the plugin.
    var wasCalm: Bool { !isReal || delayNanoseconds * 200 <= end - begin }

    /// The verdict on an apparent fault in real time that the machine may have caused; nil if the
    /// plugin did.
    ///
    /// - Parameter seconds: The duration of excess or missing audio. If it is far more than the
    ///   machine's delay, the machine did not cause it.
    func doubt(about seconds: Double = 0) -> Verdict? {
        guard !wasCalm, seconds * 1e9 < 20 * Double(delayNanoseconds) else { return nil }
        return .notProven(
            "the machine was too busy to tell: its threads waited "
                + "\(delayNanoseconds / 1_000_000) ms for a processor")
    }

    /// The length of the capture, in seconds.
    var seconds: Double { Double(end - begin) / 1e9 }

    /// The number of blocks refused with a status.
    func refused(with status: Status) -> Int { sends.count { $0.status == status } }

    /// A part of the capture, in seconds since its start.
    func part(from first: Double, to last: Double) -> AudioCapture {
        var part = self
        part.begin = begin + Int64(first * 1e9)
        part.end = min(begin + Int64(last * 1e9), end)
        part.sends = sends.filter { $0.nanoseconds >= part.begin && $0.nanoseconds < part.end }
        return part
    }
}

extension AudioCapture {
    /// A block with all its attempts. Retries after a full queue count as one block.
    struct Offered: Equatable, Sendable {
        /// Samples of each channel.
        var frames: Int
        /// Whether the block was finally accepted.
        var isAccepted: Bool
        /// The number of refusals by a full queue.
        var refusals: Int
        /// The time at which the first attempt returned, in nanoseconds on the session clock.
        var nanoseconds: Int64
    }

    /// All blocks in order, except blocks refused for reasons other than a full queue.
    ///
    /// Omits a block that is still being retried at the end, because it is not lost.
    var offered: [Offered] {
        var all: [Offered] = []
        var pending: [TracedCall.Thread: (index: Int, block: TracedBlock)] = [:]
        for send in sends where send.status == .ok || send.status == .queueFull {
            let isAccepted = send.status == .ok
            if let (index, block) = pending[send.thread], block.isSame(as: send.block) {
                all[index].isAccepted = isAccepted
                if !isAccepted { all[index].refusals += 1 }
                if isAccepted { pending[send.thread] = nil }
                continue
            }
            all.append(
                Offered(
                    frames: Int(send.block.frames), isAccepted: isAccepted,
                    refusals: isAccepted ? 0 : 1, nanoseconds: send.nanoseconds))
            pending[send.thread] = isAccepted ? nil : (all.count - 1, send.block)
        }
        let left = Set(pending.values.map(\.index))
        return all.indices.filter { !left.contains($0) }.map { all[$0] }
    }
}

extension AudioCapture {
    /// Whether the blocks are alike, like a tone whose period divides a block. A retried block then
    /// looks like the next block.
    var isUniform: Bool {
        let pairs = pairs { $0.status == .ok && $1.status == .ok }
        let alike = pairs.count { $0.block.isSame(as: $1.block) }
        return alike * 2 > pairs.count
    }

    /// Whether the source keeps its pace after the first refusal. A source that waits for room
    /// fills the queue faster, or slows down when the queue is full.
    var ignoresRefusals: Bool {
        let attempts = attempts
        guard let begin = attempts.first?.nanoseconds,
            let full = attempts.first(where: { $0.status == .queueFull })?.nanoseconds,
            full > begin, end > full
        else { return false }
        func pace(_ part: Range<Int64>) -> Double {
            let sent = attempts.filter { part.contains($0.nanoseconds) }
            return Self.seconds(of: sent) * 1e9 / Double(part.upperBound - part.lowerBound)
        }
        let (before, after) = (pace(begin..<full), pace(full..<end))
        return abs(after - before) * 10 <= before
    }

    /// Whether a block follows most refusals within a millisecond, in which the queue gains no room
    /// for a block.
    var goesOnAtOnce: Bool {
        let refused = pairs { first, _ in first.status == .queueFull }
        let hasty = refused.count { $1.nanoseconds - $0.nanoseconds < 1_000_000 }
        return hasty * 2 > refused.count
    }

    /// The attempted audio as a ratio of the elapsed time. Retried blocks count again.
    var attemptedPart: Double {
        Self.seconds(of: attempts) / max(seconds, 0.1)
    }

    /// Accepted blocks, and blocks that a full queue refused.
    private var attempts: [Send] { sends.filter { $0.status == .ok || $0.status == .queueFull } }

    /// The duration of some blocks, in seconds.
    private static func seconds(of sends: [Send]) -> Double {
        sends.reduce(0) { $0 + Double($1.block.frames) / Double(max($1.block.sampleRate, 1)) }
    }

    /// Pairs of consecutive sends on a thread.
    private func pairs(_ isAsked: (Send, Send) -> Bool) -> [(Send, Send)] {
        Dictionary(grouping: sends, by: \.thread).values.flatMap { sends in
            zip(sends, sends.dropFirst()).filter(isAsked)
        }
    }
}

extension TracedBlock {
    /// Whether two blocks contain the same audio.
    fileprivate func isSame(as other: TracedBlock) -> Bool {
        digest == other.digest && frames == other.frames && sampleRate == other.sampleRate
            && channels == other.channels
    }
}

extension Examination {
    /// The length of a capture in real time, in seconds.
    static var realSeconds: Double { 3 }
    /// The number of attempts on a busy machine.
    private static var realAttempts: Int { 3 }

    /// Captures the plugin's audio for a while.
    ///
    /// - Parameters:
    ///   - seconds: The length in session time. A source that does not use the session clock is
    ///     captured for ``realSeconds`` of real time.
    ///   - hear: Receives the session's audio.
    /// - Throws: A verdict if no block was accepted.
    func listen(
        seconds: Double, hear: (Record) -> Void = { _ in }
    ) throws(Verdict) -> AudioCapture {
        let fixture = try fixture()
        var take = try listen(seconds: seconds, to: fixture)
        if fixture.clock.isVirtual, fixture.clock.isOffClock() {
            for attempt in 1... {
                let real = try self.fixture(on: .real)
                take = try listen(seconds: Self.realSeconds, to: real)
                take.isReal = true
                guard take.wasCalm || attempt == Self.realAttempts else { continue }
                hear(real.record)
                break
            }
        } else {
            hear(fixture.record)
        }
        guard take.format != nil else {
            throw .hindered(by: "lifecycle.whole-life", "nothing that it sent was accepted")
        }
        return take
    }

    private func listen(seconds: Double, to fixture: Fixture) throws(Verdict) -> AudioCapture {
        try fixture.start()
        let begin = fixture.clock.now
        let process = fixture.process.process
        let before = ProcessLoad(of: process).delayNanoseconds
        try fixture.wait(seconds: seconds)
        let delay = max(ProcessLoad(of: process).delayNanoseconds - before, 0)
        var take = AudioCapture(
            sends: [], begin: begin, end: fixture.clock.now, delayNanoseconds: delay)
        if let gaveUp = fixture.pluginHarness.gaveUp { take.gaveUp = gaveUp.reason }
        for call in fixture.record.calls {
            switch call.request {
            case .sendAudio(let block):
                take.sends.append(
                    AudioCapture.Send(
                        block: block, status: call.status ?? .ok, nanoseconds: call.nanoseconds,
                        thread: call.thread))
            case .giveUp: take.end = min(take.end, call.nanoseconds)
            default: continue
            }
        }
        return take
    }
}
