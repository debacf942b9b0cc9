import GreenroomConversion
import GreenroomHost
import GreenroomMedia
import Synchronization

extension Catalogue {
    /// Compares the digests of the frames of two seconds, and looks whether each has more than one
    /// colour; where there is nothing to see it looks on for ten seconds.
    static let pictureContent = Check(
        "video.content", "a picture that lives", of: [.videoSource],
        proving: """
            A camera shows something: not the same picture for ten seconds on end, and not one colour \
            all over, which is what a source shows that has lost its device, never gets to draw or \
            draws into the wrong memory. What is still or plain on purpose is declared with --still. \
            Shares may stand still.
            """
    ) { examination throws(Verdict) in
        guard !examination.isStill else { throw .skipped("it is declared to be still (--still)") }
        var verdict = try examination.lookAtContent(seconds: 2)
        if verdict.outcome == .failed { verdict = try examination.lookAtContent(seconds: 10) }
        if verdict.outcome == .failed, try examination.leavesRests() {
            throw .hindered(by: "video.whole-frames", "it does not write all of what it leases")
        }
        return verdict
    }
}

extension Examination {
    fileprivate func lookAtContent(seconds: Double) throws(Verdict) -> Verdict {
        var plainFrames = Count()
        let row = VideoCapability(width: 320, height: 180, fps: 15)
        let bench = try show(Showing(row: row, seconds: seconds)) { bench in
            let count = Count()
            plainFrames = count
            bench.record.onFrame { if $0.isPlain { count.add() } }
        }
        let frames = try bench.frames(atLeast: 2)
        if plainFrames.value == frames.count {
            return .failed(
                "all \(frames.count) pictures of \(decimal(seconds, 0)) s are of one colour all "
                    + "over: draw something, or declare it with --still")
        }
        if frames.allSatisfy({ $0.digest == frames[0].digest }) {
            return .failed(
                "all \(frames.count) pictures of \(decimal(seconds, 0)) s are the same: draw each "
                    + "one anew, or declare it with --still")
        }
        return .passed()
    }
}

/// Counts on any thread.
private final class Count: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}

extension VideoFrame {
    /// Whether every pixel is as the first one; false for what is compressed.
    fileprivate var isPlain: Bool {
        guard !format.isCompressed else { return false }
        for index in 0..<planeCount {
            let geometry = format.plane(index, of: size)
            let bytes = plane(index)
            let group = format.groupByteCount(ofPlane: index)
            // The first row repeats its first group, and the other rows repeat the first one.
            for place in stride(from: group, to: geometry.rowBytes, by: 1)
            where bytes.byte(place) != bytes.byte(place - group) { return false }
            for row in 1..<max(geometry.rows, 1) {
                let start = row * strideBytes(index)
                guard bytes.equals(geometry.rowBytes, at: start, and: 0) else { return false }
            }
        }
        return true
    }
}

extension PixelFormat {
    /// After how many bytes of a row of one colour the bytes come again.
    fileprivate func groupByteCount(ofPlane index: Int) -> Int {
        switch self {
        case .i420: 1
        case .nv12, .nv21: index == 0 ? 1 : 2
        case .yuy2, .uyvy, .bgra, .rgba, .bgrx, .rgbx: 4
        case .rgb24: 3
        case .i010: 2
        case .p010: index == 0 ? 2 : 4
        case .mjpeg: 1
        }
    }
}
