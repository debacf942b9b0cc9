import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

/// What a plugin makes in a stretch of session time, to be compared with what it makes another time.
struct MediaDigest: Codable, Equatable, Sendable {
    /// A frame that came through, or came back from a pre-processor.
    struct Picture: Codable, Equatable, Sendable {
        var format: String
        var size: String
        /// After start-send, in nanoseconds; nil for one without a stamp.
        var time: Int64?
        /// Of all its visible bytes.
        var digest: UInt64
    }

    private(set) var pictures: [Picture] = []
    /// A digest of each 10 ms of sound.
    private(set) var sounds: [UInt64] = []

    var isEmpty: Bool { pictures.isEmpty && sounds.isEmpty }

    /// What is not the same in another one, in words; nil if all is.
    func difference(from other: MediaDigest) -> String? {
        for (index, (one, two)) in zip(pictures, other.pictures).enumerated() where one != two {
            let texts = [
                ("format", one.format, two.format), ("size", one.size, two.size),
                ("time", one.time.seconds, two.time.seconds),
            ]
            if let (name, one, two) = texts.first(where: { $0.1 != $0.2 }) {
                return "frame \(index) has the \(name) \(one) in one and \(two) in the other"
            }
            return "frame \(index) has other pixels"
        }
        if let index = zip(sounds, other.sounds).enumerated().first(where: { $1.0 != $1.1 })?.offset
        {
            return "the sound is another one from \(index * 10) ms on"
        }
        guard pictures.count == other.pictures.count else {
            return
                "there are \(pictures.count) frames in one and \(other.pictures.count) in the other"
        }
        return sounds.count == other.sounds.count
            ? nil : "there is more sound in one than in the other"
    }
}

extension PluginHarness {
    /// The offer of a session with small pictures, which cost little; nil for sound.
    func smallOffer() -> Offer? {
        nextOffer(ceiling: VideoCapability(size: Self.smallSize, rate: FrameRate(30)))
    }

    /// Starts the plugin, which is initialized, lets it go on for a while, and stops it.
    ///
    /// - Parameter whileSending: Called once it sends.
    /// - Returns: How the first step ended that did not work, and what was made.
    func perform(
        _ record: Record, nanoseconds: Int64, whileSending: () -> StepEnd = { .done }
    ) -> (end: StepEnd, digest: MediaDigest) {
        let (frames, begin) = (record.frames.count, clock.now)
        let soundBegin = record.samples.count
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
        // The sinks has seen and heard it all a moment later. What came at the very end may have
        // come before the stop or not.
        _ = wait(nanoseconds: Self.tail)
        let length = max(nanoseconds - Self.tail, 0)
        digest.take(record.frames.dropFirst(frames), begin: begin, until: begin + length)
        if descriptor.kind.sender == .audio {
            digest.take(record.samples[soundBegin...].prefix(Int(length / 1_000_000) * 96))
        }
        return (end == .done ? stopped : end, digest)
    }

    /// Has frames edited that are the same each time.
    private func edits(nanoseconds: Int64) -> [MediaDigest.Picture] {
        let interval: Int64 = 33_333_333
        return (0..<max(nanoseconds / interval, 1)).compactMap { index in
            let info = FrameInfo(ptsNanoseconds: clock.now)
            let edit = edit(Self.smallSize, info: info) { $0.fillForEditing(number: Int(index)) }
            _ = wait(nanoseconds: interval)
            guard let edit else { return nil }
            guard case .returned(let frame, let status) = edit, status == .ok else { return nil }
            return MediaDigest.Picture(
                format: "\(frame.format)", size: "\(frame.size)", time: index * interval,
                digest: frame.digest)
        }
    }

    /// How much of the end is left out, in nanoseconds.
    private static let tail: Int64 = 100_000_000
    private static let smallSize = FrameSize(width: 640, height: 360)
}

extension MediaDigest {
    fileprivate mutating func take(_ pictures: [Picture]) { self.pictures += pictures }

    fileprivate mutating func take(
        _ frames: ArraySlice<Record.Frame>, begin: Int64, until end: Int64
    ) {
        pictures += frames.filter { $0.arrival < end }.map {
            Picture(
                format: "\($0.format)", size: "\($0.size)",
                time: $0.info.ptsNanoseconds.map { $0 - begin }, digest: $0.digest)
        }
    }

    fileprivate mutating func take(_ samples: ArraySlice<Int16>) {
        var rest = samples
        while !rest.isEmpty {
            var digest = ContentDigest()
            for sample in rest.prefix(960) { digest.add(UInt64(UInt16(bitPattern: sample))) }
            sounds.append(digest.value)
            rest = rest.dropFirst(960)
        }
    }
}

extension VideoFrame {
    /// Fills an I420 frame with a picture that has something of everything.
    mutating func fillForEditing(number: Int) {
        for index in 0..<planeCount {
            let geometry = format.plane(index, of: size)
            let ramp = (0..<geometry.rowBytes + 220).map { UInt8(16 + $0 % 220) }
            var bytes: [UInt8] = []
            for row in 0..<geometry.rows {
                bytes += ramp[((3 * row + 7 * number) % 220)...].prefix(geometry.rowBytes)
            }
            bytes.withUnsafeBytes { source in
                guard let first = source.baseAddress else { return }
                // It has all that it takes.
                try? copyPlane(
                    index, from: first, strideBytes: geometry.rowBytes, byteCount: source.count)
            }
        }
    }
}

extension Int64? {
    /// As seconds, for people.
    fileprivate var seconds: String {
        map { "\(Double($0 / 1000) / 1e6) s" } ?? "none"
    }
}
