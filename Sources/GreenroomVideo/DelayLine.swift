import GreenroomConversion
import GreenroomRuntime

/// Everything that the source of a delayed track did, in order, until it is due: frames, black and slates.
///
/// The line copies frames into separate memory, because a source has few frames. If the line has no room, the
/// newest frame is lost.
final class DelayLine {
    /// A frame, or the content that the host sets without one.
    enum Item: ~Copyable {
        case frame(VideoTrackInput.QueuedFrame)
        case show(VideoTrackInput.HostFrame, at: Int64)

        var nanoseconds: Int64 {
            switch self {
            case .frame(let queued): queued.nanoseconds
            case .show(_, let moment): moment
            }
        }
    }

    /// The limit of frames: 2 s at 60 frames a second, and some more. The last places are for ``Item/show(_:at:)``.
    private static let frameLimit = 124
    /// The limit of memory: 2 s of 1920x1080@30 in I420 need 187 MB.
    private static let byteLimit = 256_000_000

    private var items = Ring<128, Item>()
    private let pool = FramePool(limit: frameLimit, byteLimit: byteLimit)
    private(set) var frameCount = 0

    /// The time of the oldest item, on the session clock; nil if there is none.
    var oldest: Int64? { items.first { $0.nanoseconds } }

    /// Adds a frame.
    func append(_ queued: consuming VideoTrackInput.QueuedFrame) throws(ConversionError) {
        guard let copy = try queued.frame.copy(into: pool), !items.isFull else {
            throw .noBuffer(
                "a delayed track has "
                    + pool.explainLack(of: queued.frame.format, queued.frame.size))
        }
        queued.frame = copy
        frameCount += 1
        _ = items.append(.frame(queued))
    }

    /// Adds black, a slate or a change of the source. If the line is full, the oldest item is lost for it.
    func append(_ frame: VideoTrackInput.HostFrame, at moment: Int64) {
        if items.isFull { _ = popFirst() }
        _ = items.append(.show(frame, at: moment))
    }

    /// Removes the oldest item.
    func popFirst() -> Item? {
        guard let item = items.popFirst() else { return nil }
        switch item {
        case .frame: frameCount -= 1
        case .show: break
        }
        return item
    }
}
