import GreenroomConversion
import GreenroomHarness
import GreenroomLifecycle
import GreenroomMedia
import Synchronization

extension Catalogue {
    /// Counts samples outside the declared range, in up to eight frames. Unwritten parts of a
    /// leased frame, which another check finds, are grey.
    ///
    /// Encoders and scalers overshoot at sharp edges, and real footage has highlights above white:
    /// up to a twentieth of the samples is a warning.
    static let colorRange = Check(
        "video.range", "limited range is respected", of: .videoSources,
        rule: """
            A frame declared GR_RANGE_LIMITED has luma from 16 to 235 and chroma from 16 \
            to 240.
            """,
        why: "Full range looks crushed in every viewer that trusts the declaration.",
        measured: """
            More than 5 % of samples outside fail; in 10 bits, the limits are four times \
            as high.
            """,
        fix: "Declare GR_RANGE_FULL, or convert."
    ) { examination throws(Verdict) in
        var tally = RangeTally()
        let neutral = LeaseWatch(
            guarding: FrameGuarding(), isClosed: false, filling: .same(128))
        let fixture = try examination.show(VideoScenario(seconds: 1.2, leases: neutral)) {
            fixture in
            let fresh = RangeTally()
            tally = fresh
            fixture.record.onFrame { fresh.take($0) }
        }
        _ = try fixture.frames(atLeast: 1)
        let found = tally.found
        guard found.samples > 0 else {
            throw .skipped("no frame is YUV and declared to be limited")
        }
        guard found.outside > 0 else { return .passed() }
        let part = Double(found.outside) / Double(found.samples)
        let text =
            "\(found.outside) of \(found.samples) samples of \(found.frames) frames declared "
            + "GR_RANGE_LIMITED are outside the range, the lowest \(found.lowest), the highest "
            + "\(found.highest)"
        return part > 0.05
            ? .failed("\(text): declare GR_RANGE_FULL, or scale the values")
            : .warning(
                "\(text): real footage has some. Declare GR_RANGE_FULL if it is more than overshoot"
            )
    }
}

/// The number of samples outside the declared range.
private final class RangeTally: Sendable {
    struct Found {
        var frames = 0
        var samples = 0
        var outside = 0
        /// The lowest and highest of those samples, in 8 bits.
        var lowest = 255
        var highest = 0
    }

    private static let mostFrames = 8
    /// Frames between two checked ones.
    private static let distance = 4

    private let state = Mutex((seen: 0, found: Found()))

    var found: Found { state.withLock { $0.found } }

    func take(_ frame: borrowing VideoFrame) {
        guard frame.info.color.range == .limited, !frame.format.isRGB, !frame.format.isCompressed
        else { return }
        let isDue = state.withLock { state in
            state.seen += 1
            return state.seen % Self.distance == 1 && state.found.frames < Self.mostFrames
        }
        guard isDue else { return }
        var found = Found()
        frame.tally(into: &found)
        state.withLock { state in
            state.found.frames += 1
            state.found.samples += found.samples
            state.found.outside += found.outside
            state.found.lowest = min(state.found.lowest, found.lowest)
            state.found.highest = max(state.found.highest, found.highest)
        }
    }
}

extension VideoFrame {
    fileprivate func tally(into found: inout RangeTally.Found) {
        let layout = format.layout
        for index in 0..<planeCount {
            let geometry = format.plane(index, of: size)
            let plane = layout.planes[index]
            let groupBytes = plane.sampleCount * layout.sampleBytes
            let bytes = self.plane(index)
            for row in 0..<geometry.rows {
                let start = row * strideBytes(index)
                for group in 0..<geometry.rowBytes / groupBytes {
                    for sample in 0..<plane.sampleCount {
                        let isLuma = plane.samples[sample] == .y
                        // With an odd width, the last pair's second luma sample is padding.
                        let column = group * plane.columns + (isLuma ? plane.lumaColumn(sample) : 0)
                        guard column < size.width else { continue }
                        let place = start + group * groupBytes + sample * layout.sampleBytes
                        found.add(eightBits(of: bytes, at: place, layout), isLuma: isLuma)
                    }
                }
            }
        }
    }
}

/// A sample, rounded to 8 bits.
private func eightBits(
    of bytes: RawSpan, at place: Int, _ layout: PixelFormat.Layout
) -> Int {
    guard layout.sampleBytes == 2 else { return Int(bytes.byte(place)) }
    let word = Int(bytes.byte(place)) | Int(bytes.byte(place + 1)) << 8
    let sample = word >> layout.shift
    // Codes between two 8-bit codes belong to the lower one, except at the top.
    return sample >= 960 ? (sample + 3) / 4 : sample / 4
}

extension RangeTally.Found {
    /// Counts a sample of 8 bits.
    mutating func add(_ sample: Int, isLuma: Bool) {
        samples += 1
        guard sample < 16 || sample > (isLuma ? 235 : 240) else { return }
        outside += 1
        lowest = min(lowest, sample)
        highest = max(highest, sample)
    }
}
