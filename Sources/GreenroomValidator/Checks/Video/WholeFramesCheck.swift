import GreenroomConversion
import GreenroomHarness
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomMedia
import Synchronization

extension Catalogue {
    /// Fills each frame with a different byte before it is leased, and searches six consecutive
    /// frames for places that still have it.
    static let wholeFrames = Check(
        "video.whole-frames", "leased frames are overwritten completely", of: .videoSources,
        rule: "A plugin writes every pixel of a leased frame.",
        why: "Unwritten pixels are undefined, and flicker or show as a green edge.",
        measured: """
            Six frames of each size of the table and 641x361. Padding, alpha and the X of \
            BGRX may stay.
            """,
        fix: "Fill all planes to (width + 1) / 2 by (height + 1) / 2 in chroma."
    ) { examination throws(Verdict) in
        var hasLeased = false
        let deadline = MonotonicClock.deadline(after: timeBudget)
        let others = examination.sizeRows.filter { row in
            !LeaseTrial.rows.contains { $0.size == row.size }
        }
        for row in LeaseTrial.rows + others {
            let tally = try examination.findUnwritten(row, until: deadline)
            guard let found = tally.found else { continue }
            hasLeased = true
            guard let rest = found.rest else { continue }
            if case .ignored = try examination.compareStrides() {
                throw .hindered(by: "video.strides", "ignores strides")
            }
            throw .failed(
                "\(rest.byteCount) of \(rest.of) bytes of plane \(rest.plane) of a leased "
                    + "\(found.format.name) frame of \(found.size) were not written, in rows "
                    + "\(rest.rows.lowerBound) to \(rest.rows.upperBound): write every pixel; chroma "
                    + "of an odd size rounds up")
        }
        guard hasLeased else {
            throw .skipped("sends its own memory, or leases too few frames to tell")
        }
        return .passed()
    }

    /// Time limit of the search, in nanoseconds of real time.
    fileprivate static let timeBudget: Int64 = 30_000_000_000
}

extension Examination {
    /// Whether a leased frame of an ordinary size is not written completely.
    func leavesRests() throws(Verdict) -> Bool {
        let deadline = MonotonicClock.deadline(after: Catalogue.timeBudget)
        return try findUnwritten(LeaseTrial.rows[0], until: deadline).found?.rest != nil
    }

    /// Searches for unwritten places in several runs, because a share may send one frame per run.
    /// Skips slow plugins.
    fileprivate func findUnwritten(
        _ row: VideoCapability, until deadline: Int64
    ) throws(Verdict) -> UnwrittenTally {
        let tally = UnwrittenTally()
        for life in 0..<UnwrittenTally.needed
        where tally.found == nil && MonotonicClock.now < deadline {
            let watch = watch(isClosed: false, life: UInt8(life))
            do throws(Verdict) {
                try show(scenario(row, seconds: 0.5, leases: watch)) { fixture in
                    tally.beginLife()
                    fixture.record.onFrame { tally.take($0, of: watch) }
                }
            } catch {
                throw error.atSize(row)
            }
            if watch.count == 0 { break }
        }
        return tally
    }
}

/// Finds the places that none of several frames wrote.
private final class UnwrittenTally: Sendable {
    /// Number of needed frames: a written place does not equal the filling six times by chance.
    static let needed = 6

    struct Found {
        var format: PixelFormat
        var size: FrameSize
        /// The unwritten part of the first incomplete plane.
        var rest: (plane: Int, byteCount: Int, of: Int, rows: ClosedRange<Int>)?
    }

    private struct State {
        var format: PixelFormat?
        var size: FrameSize?
        /// Unwritten places of visible bytes, by plane.
        var places: [[Int]] = []
        var frames = 0
        var lastLease: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The result; nil before there were enough frames.
    var found: Found? {
        state.withLock { state in
            guard state.frames >= Self.needed, let format = state.format, let size = state.size
            else { return nil }
            var found = Found(format: format, size: size)
            let plane = state.places.firstIndex { !$0.isEmpty }
            if let plane, let first = state.places[plane].first, let last = state.places[plane].last
            {
                let geometry = format.plane(plane, of: size)
                found.rest = (
                    plane, state.places[plane].count, geometry.rowBytes * geometry.rows,
                    first / geometry.rowBytes...last / geometry.rowBytes
                )
            }
            return found
        }
    }

    /// Leases start from zero again.
    func beginLife() { state.withLock { $0.lastLease = 0 } }

    func take(_ frame: borrowing VideoFrame, of watch: LeaseWatch) {
        guard let lease = watch.lease(inSlot: frame.slotIndex), !lease.isHeld,
            lease.format == frame.format, lease.size == frame.size
        else { return }
        let (format, size) = (frame.format, frame.size)
        // Move the state out of the lock: all frames arrive on one thread.
        var current = state.withLock { $0 }
        let isNext =
            current.frames < Self.needed && lease.id != current.lastLease
            && (current.frames == 0 || current.format == format && current.size == size)
        guard isNext else { return }
        for index in 0..<format.planeCount {
            if current.frames == 0 {
                current.places.append(frame.places(of: lease.filling, inPlane: index))
            } else {
                current.places[index] = frame.places(
                    of: lease.filling, inPlane: index, among: current.places[index])
            }
        }
        (current.format, current.size, current.lastLease) = (format, size, lease.id)
        current.frames += 1
        state.withLock { [current] in $0 = current }
    }
}

extension VideoFrame {
    /// The places of a plane with a byte, counted in visible bytes, row by row.
    fileprivate func places(of byte: UInt8, inPlane index: Int) -> [Int] {
        let geometry = format.plane(index, of: size)
        let bytes = plane(index)
        let repeated = UInt64(byte) &* 0x0101_0101_0101_0101
        var found: [Int] = []
        for row in 0..<geometry.rows {
            let start = row * strideBytes(index)
            var place = 0
            while place < geometry.rowBytes {
                if place + 8 <= geometry.rowBytes {
                    let word = bytes.unsafeLoadUnaligned(
                        fromByteOffset: start + place, as: UInt64.self)
                    if !(word ^ repeated).hasZeroByte {
                        place += 8
                        continue
                    }
                }
                if bytes.byte(start + place) == byte,
                    format.shows(byte: place, ofPlane: index, width: size.width)
                {
                    found.append(row * geometry.rowBytes + place)
                }
                place += 1
            }
        }
        return found
    }

    /// The places among some that have a byte.
    fileprivate func places(of byte: UInt8, inPlane index: Int, among places: [Int]) -> [Int] {
        let geometry = format.plane(index, of: size)
        let (bytes, stride) = (plane(index), strideBytes(index))
        var found: [Int] = []
        for place in places {
            let (row, column) = place.quotientAndRemainder(dividingBy: geometry.rowBytes)
            if bytes.byte(row * stride + column) == byte { found.append(place) }
        }
        return found
    }
}

extension UInt64 {
    /// Whether one of the eight bytes is zero.
    fileprivate var hasZeroByte: Bool {
        (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080 != 0
    }
}

extension PixelFormat {
    /// Whether a byte of a row shows in some pixel.
    fileprivate func shows(byte place: Int, ofPlane index: Int, width: Int) -> Bool {
        let (layout, plane) = (layout, layout.planes[index])
        guard plane.sampleCount > 0 else { return true }
        let (group, sample) = (place / layout.sampleBytes)
            .quotientAndRemainder(dividingBy: plane.sampleCount)
        switch plane.samples[sample] {
        case .unused: return false
        case .y: return group * plane.columns + plane.lumaColumn(sample) < width
        default: return true
        }
    }
}
