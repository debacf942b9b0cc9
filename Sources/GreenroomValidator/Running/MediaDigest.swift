import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

/// A digest of a plugin's output, to compare with another run's.
struct MediaDigest: Codable, Equatable, Sendable {
    /// A received or edited frame.
    struct Picture: Codable, Equatable, Sendable {
        var format: String
        var size: String
        /// Since start-send, in nanoseconds; nil without a timestamp.
        var time: Int64?
        /// Of all its visible bytes.
        var digest: UInt64
    }

    private(set) var pictures: [Picture] = []
    /// A digest of each 10 ms of audio.
    private(set) var sounds: [UInt64] = []

    var isEmpty: Bool { pictures.isEmpty && sounds.isEmpty }

    /// A difference to another digest, as text; nil for none.
    func difference(from other: MediaDigest) -> String? {
        for (index, (one, two)) in zip(pictures, other.pictures).enumerated() where one != two {
            let texts = [
                ("format", one.format, two.format), ("size", one.size, two.size),
                ("time", one.time.seconds, two.time.seconds),
            ]
            if let (name, one, two) = texts.first(where: { $0.1 != $0.2 }) {
                return "frame \(index) has the \(name) \(one) in one and \(two) in the other"
            }
            return "frame \(index) has different pixels"
        }
        if let index = zip(sounds, other.sounds).enumerated().first(where: { $1.0 != $1.1 })?.offset
        {
            return "the audio differs from \(index * 10) ms on"
        }
        guard pictures.count == other.pictures.count else {
            return
                "there are \(pictures.count) frames in one and \(other.pictures.count) in the other"
        }
        return sounds.count == other.sounds.count
            ? nil : "the audio is longer in one than in the other"
    }
}

extension PluginHarness {
    /// The offer of a session with small frames, for low cost; nil for audio.
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
        // The sinks receive everything slightly later. The last frames may precede the stop or not.
        _ = wait(nanoseconds: Self.tail)
        let length = max(nanoseconds - Self.tail, 0)
        digest.take(record.frames.dropFirst(frames), begin: begin, until: begin + length)
        if descriptor.kind.sender == .audio {
            digest.take(record.samples[soundBegin...].prefix(Int(length / 1_000_000) * 96))
        }
        return (end == .done ? stopped : end, digest)
    }

    /// Lets the plugin edit reproducible frames.
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

    /// The ignored end, in nanoseconds.
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
    /// Fills an I420 frame with varied content.
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
                // The frame has the right size.
                try? copyPlane(
                    index, from: first, strideBytes: geometry.rowBytes, byteCount: source.count)
            }
        }
    }
}

extension Int64? {
    /// As seconds.
    fileprivate var seconds: String {
        map { "\(Double($0 / 1000) / 1e6) s" } ?? "none"
    }
}
