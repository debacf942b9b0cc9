import GreenroomConversion
import GreenroomMedia
@testable import GreenroomRuntime
import Synchronization

@testable import GreenroomVideo

/// A sink that records the first byte of each period's frame.
final class CollectingSink: VideoSink {
    struct Broken: Error {}

    private struct State {
        var periods: [UInt8] = []
        var sizes: Set<FrameSize> = []
        var isFinished = false
    }

    private let state = Mutex(State())
    /// A test locks it to block the sink.
    let ingest = Monitor(true)
    let pace: OutputPace
    private let failsAfter: Int

    init(_ pace: OutputPace = .asTheyCome, isOpen: Bool = true, failsAfter: Int = .max) {
        self.pace = pace
        self.failsAfter = failsAfter
        ingest.change { $0 = isOpen }
    }

    var periods: [UInt8] { state.withLock { $0.periods } }
    var sizes: Set<FrameSize> { state.withLock { $0.sizes } }
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
        _ = ingest.wait(until: nil) { $0 ? true : nil }
        let mark = frame.plane(0).unsafeLoad(as: UInt8.self)
        let size = frame.size
        try state.withLock { state in
            guard state.periods.count < failsAfter else { throw Broken() }
            state.periods += [UInt8](repeating: mark, count: periods.count)
            state.sizes.insert(size)
        }
    }

    func finish() throws { state.withLock { $0.isFinished = true } }
}

extension VideoBranch.Counts {
    /// The track's frames, according to the output's counters.
    var frames: Int {
        delivered + excess + queueFull + beforeStart + afterEnd + unwanted + unconvertible + failed
            + queued
    }

    /// The pictures in the output.
    var periods: Int { delivered + repeated + black + slate }
}

/// Frames with a number in their first byte.
func numberedFrame(
    _ number: Int, from pool: FramePool, _ format: PixelFormat = .i420,
    _ size: FrameSize = FrameSize(width: 16, height: 16)
) throws -> VideoFrame {
    struct NoFrame: Error {}
    guard var frame = pool.take(format, size) else { throw NoFrame() }
    for index in 0..<frame.planeCount {
        var plane = frame.mutablePlane(index)
        for byte in 0..<plane.byteCount {
            plane.storeBytes(
                of: UInt8(truncatingIfNeeded: number), toByteOffset: byte, as: UInt8.self)
        }
    }
    return frame
}
