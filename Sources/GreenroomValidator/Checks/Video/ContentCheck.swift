import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
import Synchronization

extension Catalogue {
    /// Compares the digests of consecutive frames over fourteen seconds, and checks that each frame
    /// has more than one colour.
    static let videoContent = Check(
        "video.content", "the video is live", of: .cameras,
        rule: "The video is live: no single picture or colour for ten seconds.",
        why: "A source with a still picture has lost its device, or draws nothing.",
        measured: """
            14 s of session time; a source that ends earlier must show more than one \
            frame. Shares may stand still.
            """,
        fix: "Report a lost device with give_up. Declare a deliberate still picture with --still."
    ) { examination throws(Verdict) in
        guard !examination.isStill else { throw .skipped("declared to be still (--still)") }
        let verdict = try examination.lookAtContent(seconds: 14)
        if verdict.outcome == .failed, try examination.leavesRests() {
            throw .hindered(by: "video.whole-frames", "does not write all of what it leases")
        }
        return verdict
    }
}

extension Examination {
    fileprivate func lookAtContent(seconds: Double) throws(Verdict) -> Verdict {
        var plainness = Plainness()
        let row = VideoCapability(width: 320, height: 180, fps: 15)
        let fixture = try show(VideoScenario(row: row, seconds: seconds)) { fixture in
            let fresh = Plainness()
            plainness = fresh
            fixture.record.onFrame { fresh.add($0.isPlain) }
        }
        let isPlain = plainness.ofFrames
        // The last frames may not be checked yet.
        let frames = Array(try fixture.frames(atLeast: 2).prefix(isPlain.count))
        if let stretch = frames.longStretch(where: { isPlain[$0] && isPlain[$1] }) {
            return .failed(
                "\(stretch) are one plain colour: draw something, or declare it with --still")
        }
        if let stretch = frames.longStretch(where: { frames[$0].digest == frames[$1].digest }) {
            return .failed(
                "\(stretch) are identical: draw each one, or declare it with --still")
        }
        return .passed()
    }
}

extension [Record.Frame] {
    /// The duration that counts as too long, in nanoseconds: ten seconds less an interval.
    private static let longest: Int64 = 9_900_000_000

    /// The first too long period of frames that are like the one before, as text; nil if none. If
    /// all frames are alike, that is too long.
    func longStretch(where isLike: (Int, Int) -> Bool) -> String? {
        var first = startIndex
        for index in indices {
            if index > first, !isLike(index - 1, index) { first = index }
            let isAll = first == startIndex && index == endIndex - 1
            let nanoseconds = self[index].arrival - self[first].arrival
            guard index > first, isAll || nanoseconds >= Self.longest else { continue }
            guard !isAll else { return "all \(count) frames" }
            let begin = Double(self[first].arrival - self[0].arrival) / 1e9
            return "the frames from \(decimal(begin, 1)) s on, for "
                + "\(decimal(Double(nanoseconds) / 1e9, 1)) s,"
        }
        return nil
    }
}

/// Whether frames have a single colour, in their order. [any]
private final class Plainness: Sendable {
    private let state = Mutex<[Bool]>([])
    var ofFrames: [Bool] { state.withLock { $0 } }
    func add(_ isPlain: Bool) { state.withLock { $0.append(isPlain) } }
}

extension VideoFrame {
    /// Whether every pixel equals the first one; false for compressed frames.
    fileprivate var isPlain: Bool {
        guard !format.isCompressed else { return false }
        for index in 0..<planeCount {
            let geometry = format.plane(index, of: size)
            let bytes = plane(index)
            let group = format.groupByteCount(ofPlane: index)
            // The first row repeats its first group, and the other rows equal the first one.
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
    /// The period of the bytes in a row of one colour.
    fileprivate func groupByteCount(ofPlane index: Int) -> Int {
        max(layout.planes[index].sampleCount * layout.sampleBytes, 1)
    }
}
