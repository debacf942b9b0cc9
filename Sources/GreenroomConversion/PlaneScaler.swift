internal import CGreenroomKernels
internal import CLibYUV
internal import GreenroomMedia

/// Scales I420 or 32-bit RGB images from one size to another.
final class ImageScaler {
    private let planes: [PlaneScaler]
    private let height: Int

    init(_ format: PixelFormat, from size: FrameSize, to wanted: FrameSize) {
        height = size.height
        let first = PlaneScaler(from: size, to: wanted, channels: format == .i420 ? 1 : 4)
        guard format == .i420 else {
            planes = [first]
            return
        }
        let chroma = PlaneScaler(from: size.chroma, to: wanted.chroma, channels: 1)
        planes = [first, chroma, chroma]
    }

    /// Makes rows of the result.
    ///
    /// - Parameter rows: The rows, from an even row to an even row or the end.
    func scale(_ input: UnsafeFrame, to output: UnsafeFrame, rows: Range<Int>) {
        for (index, plane) in planes.enumerated() {
            plane.scale(
                input.planes[index], stride: Int(input.strides[index]), to: output.planes[index],
                stride: Int(output.strides[index]), rows: index == 0 ? rows : rows.chroma)
        }
    }

    /// Returns the rows of the input that rows of the result need, from an even row on.
    ///
    /// - Parameter rows: The rows of the result, as for ``scale(_:to:rows:)``.
    func inputRows(for rows: Range<Int>) -> Range<Int> {
        let luma = planes[0].inputRows(for: rows)
        var (first, end) = (luma.lowerBound, luma.upperBound)
        if planes.count > 1 {
            let chroma = planes[1].inputRows(for: rows.chroma)
            first = min(first, 2 * chroma.lowerBound)
            end = max(end, 2 * chroma.upperBound)
        }
        // Conversions read rows in pairs.
        return first / 2 * 2..<min(height, (end + 1) / 2 * 2)
    }
}

extension FrameSize {
    /// The size of the chroma planes of 4:2:0.
    var chroma: FrameSize { FrameSize(width: (width + 1) / 2, height: (height + 1) / 2) }
}

extension Range<Int> {
    /// The rows of the chroma planes of 4:2:0 for rows of luma that begin at an even row.
    fileprivate var chroma: Range<Int> { lowerBound / 2..<(upperBound + 1) / 2 }
}

/// Scales planes from one size to another. Scales each row vertically, and then horizontally while
/// the row is in the cache.
final class PlaneScaler {
    private let size, wanted: FrameSize
    private let channels: Int
    /// Whether each pixel of the result is the mean of a square of an even side, which libyuv computes faster
    /// than our filters, in equal quality.
    private let isBox: Bool
    /// The filters of sides that change; nil for other sides.
    private let columns, rows: PolyphaseFilter?
    /// A row between both filters. The row's ends are repeated beyond the reach of taps and
    /// vectors.
    private let row: UnsafeMutablePointer<UInt8>
    /// The input rows for a row of the result.
    private let inputs: UnsafeMutablePointer<UnsafePointer<UInt8>>

    static let padding = 64

    init(from size: FrameSize, to wanted: FrameSize, channels: Int) {
        self.size = size
        self.wanted = wanted
        self.channels = channels
        isBox =
            channels == 1
            && [2, 4, 6].contains {
                size == FrameSize(width: $0 * wanted.width, height: $0 * wanted.height)
            }
        let window = Int(greenroom_best_kernels().pointee.window)
        columns =
            size.width == wanted.width || isBox
            ? nil
            : PolyphaseFilter(
                from: size.width, to: wanted.width, channels: channels, window: window)
        rows =
            size.height == wanted.height || isBox
            ? nil : PolyphaseFilter(from: size.height, to: wanted.height, window: window)
        let byteCount = size.width * channels + 2 * Self.padding
        row = UnsafeMutableRawPointer.allocate(
            byteCount: byteCount, alignment: FrameLayout.alignment
        ).bindMemory(to: UInt8.self, capacity: byteCount)
        row.initialize(repeating: 0, count: byteCount)
        inputs = .allocate(capacity: Int(rows?.taps.pointee.taps ?? 0))
    }

    deinit {
        row.deallocate()
        inputs.deallocate()
    }

    /// Returns the rows of the source that rows of the result need.
    func inputRows(for rows: Range<Int>) -> Range<Int> {
        if isBox {
            let ratio = size.height / wanted.height
            return ratio * rows.lowerBound..<ratio * rows.upperBound
        }
        guard let filter = self.rows?.taps.pointee else { return rows }
        // Clamp the rows in the same way as `scale`.
        let first = min(max(0, Int(filter.first[rows.lowerBound])), size.height - 1)
        let end = min(size.height, Int(filter.first[rows.upperBound - 1]) + Int(filter.taps))
        return first..<max(end, first + 1)
    }

    /// Makes rows of the result.
    ///
    /// - Parameters:
    ///   - source: The first row of the whole source. Only the needed rows are read.
    ///   - result: The first row of the whole result.
    func scale(
        _ source: UnsafePointer<UInt8>, stride: Int, to result: UnsafeMutablePointer<UInt8>,
        stride resultStride: Int, rows wantedRows: Range<Int>
    ) {
        guard !isBox else {
            let needed = inputRows(for: wantedRows)
            ScalePlane(
                source + needed.lowerBound * stride, Int32(stride), Int32(size.width),
                Int32(needed.count), result + wantedRows.lowerBound * resultStride,
                Int32(resultStride), Int32(wanted.width), Int32(wantedRows.count), kFilterBox)
            return
        }
        let kernels = greenroom_best_kernels().pointee
        let width = size.width * channels
        let (columns, rows) = (columns?.taps, rows?.taps.pointee)
        let start = row + Self.padding
        var fetched = 0
        for y in wantedRows {
            // Half of what the next row needs besides, and the rest before the other filter.
            let next = y + 1 < wantedRows.upperBound ? inputRows(for: y + 1..<y + 2) : 0..<0
            let first = max(fetched, next.lowerBound)
            fetched = max(first, next.upperBound)
            let middle = (first + fetched + 1) / 2
            prefetch(first..<middle, of: source, stride)
            let output = result + y * resultStride
            let between = columns == nil ? output : start
            if let rows {
                let count = Int(rows.taps)
                for tap in 0..<count {
                    let row = max(0, min(size.height - 1, Int(rows.first[y]) + tap))
                    inputs[tap] = source + row * stride
                }
                kernels.blend(inputs, rows.weights + y * count, rows.taps, between, Int32(width))
            } else {
                between.update(from: source + y * stride, count: width)
            }
            prefetch(middle..<fetched, of: source, stride)
            if let columns {
                if wanted.width > size.width { repeatEnds(of: start, width) }
                kernels.scale(start, output, columns)
            }
        }
    }

    /// Begins to load rows: a frame of a session is in no cache.
    private func prefetch(_ rows: Range<Int>, of source: UnsafePointer<UInt8>, _ stride: Int) {
        for row in rows { greenroom_prefetch(source + row * stride, size.width * channels) }
    }

    /// Repeats the outermost pixels, because an enlarging filter reads one pixel beyond the row.
    private func repeatEnds(of start: UnsafeMutablePointer<UInt8>, _ width: Int) {
        for channel in 0..<channels {
            start[channel - channels] = start[channel]
            start[width + channel] = start[width - channels + channel]
        }
    }
}
