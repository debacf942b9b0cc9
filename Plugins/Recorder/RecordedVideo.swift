import CFFmpeg
import PluginEncoding
import GreenroomPlugin

/// A video track of a recording: encodes what changes, and lets a still image be.
///
/// A still image is encoded once more at the start of each cell of the recording, so that a file that
/// ends there shows it, and at its last period.
final class RecordedVideo {
    /// The time for which video may be without a key frame, while it moves.
    private static let longestWithoutKey: Int64 = 4_000_000_000

    let stream: Int
    let encoder: VideoEncoder
    /// Whether a still image has key frames, too, so that a replay can begin with one.
    private let keepsKeys: Bool
    /// The end of the periods so far, in nanoseconds from the session's start; nil without any.
    private(set) var end: Int64?

    /// The number of the file that the newest frame is in.
    private var segment = 0
    private var newestCell: Int64?
    private var newestKey: Int64?
    private var newestPacket: Packet?
    /// The newest frame that was encoded, and the end of the periods that show it.
    private var encodedIndex: Int64 = -1
    private var endIndex: Int64 = 0
    private var isBlack = false
    /// Whether the newest image was skipped, so that a repetition of it is new to the file.
    private var isStale = false
    /// Whether the next image is the first one after a pause.
    private var isAfterPause = false
    /// The image after the newest that was encoded, which looks like it.
    private var still: OutputFrame?

    init(
        stream: Int, capability: VideoCapability, codec: VideoCodec, kilobits: Int,
        hasGlobalHeader: Bool, keepsKeys: Bool
    ) throws {
        self.stream = stream
        self.keepsKeys = keepsKeys
        let size = codec.size(for: capability.size)
        let mean = Double(size.area) * capability.rate.framesPerSecond * 0.00008
        encoder = try VideoEncoder(
            VideoCapability(size: size, rate: capability.rate), codec: codec,
            bits: .mean(kilobits: kilobits > 0 ? kilobits : max(Int(mean), 100)),
            hasGlobalHeader: hasGlobalHeader)
    }

    var size: FrameSize { encoder.size }
    var rate: FrameRate { encoder.rate }

    /// Whether a frame can be encoded. After a restart of its source one of another size may come.
    func matches(_ frame: borrowing OutputFrame) -> Bool { encoder.matches(frame) }

    /// Encodes a frame for one or several periods. A frame of another format leaves the previous image in
    /// place.
    func take(
        _ frame: borrowing OutputFrame, _ run: PausedTrack.Run, into recording: FileTracks
    ) throws {
        guard run.index >= endIndex || endIndex == 0 else { return }
        let last = run.index + Int64(run.periods.count) - 1
        if run.isAfterPause { (isStale, isAfterPause) = (true, true) }
        guard matches(frame) else {
            isStale = true
            extend(to: last + 1)
            return
        }
        let isNew: Bool
        switch frame.content {
        case .new, .slate: isNew = true
        case .black: isNew = !isBlack || isStale
        case .repeated: isNew = encodedIndex < 0 || isStale
        }
        isBlack = frame.content == .black
        isStale = false
        for index in run.index...last {
            let start = rate.dueNanoseconds(ofFrame: index)
            let cell = FileTracks.cell(of: start)
            extend(to: index)
            guard cell != newestCell || index == run.index && isNew else { continue }
            let isChanged = index == run.index && isNew
            try encode(
                frame, index: index, start: start, mayBeKey: isChanged, into: recording)
            newestCell = cell
        }
        extend(to: last + 1)
        // Return a kept frame before keeping another one, because the host limits their number. If keeping
        // fails, the image stays anyway, but is not encoded once more at its end.
        still = nil
        if endIndex > encodedIndex + 1 { still = try? frame.keep() }
    }

    /// Ends the track: its last period is encoded, so that the file says how long the image stays.
    func finish(into recording: FileTracks) throws {
        if let still = still.take(), endIndex > encodedIndex + 1 {
            let start = rate.dueNanoseconds(ofFrame: endIndex - 1)
            extend(to: endIndex - 1)
            try encode(still, index: endIndex - 1, start: start, mayBeKey: false, into: recording)
            extend(to: endIndex)
        }
        try encoder.finish { try self.add($0, to: recording) }
    }

    /// Gives back what the track keeps.
    func releaseFrames() { still = nil }

    /// Extends the newest image up to a period.
    private func extend(to index: Int64) {
        endIndex = max(endIndex, index)
        let time = rate.dueNanoseconds(ofFrame: index)
        end = time
        if let packet = newestPacket { packet.duration = max(time - packet.start, 0) }
    }

    private func encode(
        _ image: borrowing OutputFrame, index: Int64, start: Int64, mayBeKey: Bool,
        into recording: FileTracks
    ) throws {
        let segment = recording.segment(at: start, from: self.segment)
        let isKey =
            segment != self.segment || newestKey == nil || isAfterPause
            || (mayBeKey || keepsKeys) && start - (newestKey ?? 0) >= Self.longestWithoutKey
        self.segment = segment
        isAfterPause = false
        encodedIndex = index
        try encoder.encode(image, index: index, isKey: isKey) {
            try self.add($0, to: recording)
        }
    }

    /// Takes a packet of the encoder, whose time is the number of its period.
    private func add(_ encoded: UnsafeMutablePointer<AVPacket>, to recording: FileTracks) throws {
        let index = max(encoded.pointee.pts, 0)
        let start = rate.dueNanoseconds(ofFrame: index)
        let packet = try Packet(
            moving: encoded, stream: stream, start: start,
            duration: rate.dueNanoseconds(ofFrame: index + 1) - start)
        if packet.isKey { newestKey = start }
        newestPacket = packet
        recording.add(packet, cell: FileTracks.cell(of: start))
    }
}
