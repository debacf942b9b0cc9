internal import CGreenroomKernels
internal import CLibYUV
internal import GreenroomMedia

/// Scales I420 or 32-bit RGB images from one size to another.
final class ImageScaler {
    private let planes: [PlaneScaler]

    init(_ format: PixelFormat, from size: FrameSize, to wanted: FrameSize) {
        let first = PlaneScaler(from: size, to: wanted, channels: format == .i420 ? 1 : 4)
        guard format == .i420 else {
            planes = [first]
            return
        }
        let chroma = PlaneScaler(from: size.chroma, to: wanted.chroma, channels: 1)
        planes = [first, chroma, chroma]
    }

    func scale(_ input: UnsafeFrame, to output: UnsafeFrame) {
        for (index, plane) in planes.enumerated() {
            plane.scale(
                input.planes[index], stride: Int(input.strides[index]), to: output.planes[index],
                stride: Int(output.strides[index]))
        }
    }
}

extension FrameSize {
    /// The size of the chroma planes of 4:2:0.
    var chroma: FrameSize { FrameSize(width: (width + 1) / 2, height: (height + 1) / 2) }
}

/// Scales planes from one size to another: each row vertically, while it is in the cache horizontally.
final class PlaneScaler {
    private let size, wanted: FrameSize
    private let channels: Int
    /// Whether it makes a half or a quarter of the size, for which libyuv has kernels.
    private let isBox: Bool
    /// The filters of sides that change.
    private let columns, rows: PolyphaseFilter?
    /// A row between both filters; its ends are repeated, beyond where taps and vectors reach.
    private let row: UnsafeMutablePointer<UInt8>
    /// The rows of a result.
    private let inputs: UnsafeMutablePointer<UnsafePointer<UInt8>>

    static let padding = 64

    init(from size: FrameSize, to wanted: FrameSize, channels: Int) {
        self.size = size
        self.wanted = wanted
        self.channels = channels
        isBox =
            channels == 1
            && [2, 4].contains {
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

    func scale(
        _ source: UnsafePointer<UInt8>, stride: Int, to result: UnsafeMutablePointer<UInt8>,
        stride resultStride: Int
    ) {
        guard !isBox else {
            ScalePlane(
                source, Int32(stride), Int32(size.width), Int32(size.height), result,
                Int32(resultStride), Int32(wanted.width), Int32(wanted.height), kFilterBox)
            return
        }
        let kernels = greenroom_best_kernels().pointee
        let width = size.width * channels
        let (columns, rows) = (columns?.taps, rows?.taps.pointee)
        let start = row + Self.padding
        for y in 0..<wanted.height {
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
            if let columns {
                if wanted.width > size.width { repeatEnds(of: start, width) }
                kernels.scale(start, output, columns)
            }
        }
    }

    /// Repeats the outermost pixels: a filter that grows reaches one beyond.
    private func repeatEnds(of start: UnsafeMutablePointer<UInt8>, _ width: Int) {
        for channel in 0..<channels {
            start[channel - channels] = start[channel]
            start[width + channel] = start[width - channels + channel]
        }
    }
}
