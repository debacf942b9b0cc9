import GreenroomLifecycle
import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomPluginInterface
import GreenroomMedia

/// A digest of a plugin's output, to compare with another run's.
struct MediaDigest: Codable, Equatable, Sendable {
    /// A received or edited frame.
    struct Frame: Codable, Equatable, Sendable {
        var format: String
        var size: String
        /// Since start-send, in nanoseconds; nil without a timestamp.
        var time: Int64?
        /// The digest of all visible bytes of the frame.
        var digest: UInt64
    }

    private(set) var frames: [Frame] = []
    /// A digest of each 10 ms of audio.
    private(set) var blocks: [UInt64] = []
    /// An output's want for each track, in words.
    var wants: [String] = []
    /// The values that an output has set for the report.
    var values: [String: Double] = [:]

    var isEmpty: Bool { frames.isEmpty && blocks.isEmpty && wants.isEmpty }

    /// A difference to another digest, as text; nil if none.
    func difference(from other: MediaDigest) -> String? {
        for (index, (one, two)) in zip(frames, other.frames).enumerated() where one != two {
            let texts = [
                ("format", one.format, two.format), ("size", one.size, two.size),
                ("time", one.time.seconds, two.time.seconds),
            ]
            if let (name, one, two) = texts.first(where: { $0.1 != $0.2 }) {
                return "frame \(index) has the \(name) \(one) in one and \(two) in the other"
            }
            return "frame \(index) has different pixels"
        }
        if let index = zip(blocks, other.blocks).enumerated().first(where: { $1.0 != $1.1 })?.offset
        {
            return "the audio differs from \(index * 10) ms on"
        }
        if wants != other.wants {
            return "wants \(wants.listed) in one and \(other.wants.listed) in the other"
        }
        for name in Set(values.keys).union(other.values.keys).sorted()
        where values[name] != other.values[name] {
            let texts = [values[name], other.values[name]].map { $0.map { "\($0)" } ?? "nothing" }
            return "reports \(texts[0]) as \(name) in one and \(texts[1]) in the other"
        }
        guard frames.count == other.frames.count else {
            return
                "there are \(frames.count) frames in one and \(other.frames.count) in the other"
        }
        return blocks.count == other.blocks.count
            ? nil : "the audio is longer in one than in the other"
    }
}

extension PluginHarness {
    /// The offer of a session with small frames, for low cost; nil if the plugin handles audio.
    func smallOffer() -> Offer? {
        nextOffer(ceiling: VideoCapability(size: Self.smallSize, rate: FrameRate(30)))
    }

    /// Starts an initialized plugin, lets it send for a while, and stops it.
    ///
    /// - Parameter whileSending: Called once it sends.
    /// - Returns: The first failed step, and the digest.
    func perform(
        _ record: Record, nanoseconds: Int64, whileSending: () -> StepEnd = { .done }
    ) -> (end: StepEnd, digest: MediaDigest) {
        let (frames, begin) = (record.frames.count, clock.now)
        let audioBegin = record.samples.count
        var digest = MediaDigest()
        var end = startSend()
        if end == .done || end == .pumps { end = whileSending() }
        if end == .done {
            if descriptor.kind.isFilter {
                digest.take(edits(nanoseconds: nanoseconds))
            } else if let fault = wait(nanoseconds: nanoseconds) {
                end = .lost(fault)
            }
        }
        let stopped = stopSend()
        // The sinks receive everything slightly later. The last frames may precede the stop or not.
        _ = wait(nanoseconds: Self.tail)
        let length = max(nanoseconds - Self.tail, 0)
        digest.take(record.frames.dropFirst(frames), begin: begin, until: begin + length)
        if descriptor.kind.sender == .audio {
            digest.take(record.samples[audioBegin...].prefix(Int(length / 1_000_000) * 96))
        }
        digest.wants = wants.compactMap { track, want in
            want.inWords.map { "\(track.name) as \($0)" }
        }
        digest.values = reportedValues
        return (end == .done ? stopped : end, digest)
    }

    /// Calls the plugin to edit reproducible frames.
    private func edits(nanoseconds: Int64) -> [MediaDigest.Frame] {
        let interval: Int64 = 33_333_333
        return (0..<max(nanoseconds / interval, 1)).compactMap { index in
            let info = FrameInfo(ptsNanoseconds: clock.now)
            let edit = edit(Self.smallSize, info: info) { $0.fillWithRamp(number: Int(index)) }
            _ = wait(nanoseconds: interval)
            guard let edit else { return nil }
            guard case .returned(let frame, let status) = edit, status == .ok else { return nil }
            return MediaDigest.Frame(
                format: "\(frame.format)", size: "\(frame.size)", time: index * interval,
                digest: frame.digest)
        }
    }

    /// The ignored end, in nanoseconds.
    private static let tail: Int64 = 100_000_000
    private static let smallSize = FrameSize(width: 640, height: 360)
}

extension MediaDigest {
    fileprivate mutating func take(_ frames: [Frame]) { self.frames += frames }

    fileprivate mutating func take(
        _ frames: ArraySlice<Record.Frame>, begin: Int64, until end: Int64
    ) {
        self.frames += frames.filter { $0.arrival < end }.map {
            Frame(
                format: "\($0.format)", size: "\($0.size)",
                time: $0.info.ptsNanoseconds.map { $0 - begin }, digest: $0.digest)
        }
    }

    fileprivate mutating func take(_ samples: ArraySlice<Int16>) {
        var rest = samples
        while !rest.isEmpty {
            var digest = ContentDigest()
            for sample in rest.prefix(960) { digest.add(UInt64(UInt16(bitPattern: sample))) }
            blocks.append(digest.value)
            rest = rest.dropFirst(960)
        }
    }
}

extension [String] {
    fileprivate var listed: String { isEmpty ? "nothing" : joined(separator: "; ") }
}

extension Int64? {
    /// The time as text in seconds.
    fileprivate var seconds: String {
        map { "\(Double($0 / 1000) / 1e6) s" } ?? "none"
    }
}
