/// The layout of a frame's pixels in memory.
///
/// Formats are named by the order of their components in memory, as in `greenroom/plugin.h`;
/// raw values are those of the header's `GR_FORMAT_…`.
public enum PixelFormat: UInt32, CaseIterable, Sendable {
    /// Three planes Y, U, V; 4:2:0, 8 bits.
    case i420 = 1
    /// Two planes Y and interleaved UV; 4:2:0, 8 bits.
    case nv12 = 2
    /// Two planes Y and interleaved VU; 4:2:0, 8 bits.
    case nv21 = 3
    /// One plane `Y0 U Y1 V`; 4:2:2, 8 bits.
    case yuy2 = 4
    /// One plane `U Y0 V Y1`; 4:2:2, 8 bits.
    case uyvy = 5
    /// One plane `B G R A`; alpha is ignored. Vendors and libyuv call it ARGB.
    case bgra = 6
    /// One plane `R G B A`; alpha is ignored. libyuv calls it ABGR.
    case rgba = 7
    /// One plane `B G R` and an ignored byte.
    case bgrx = 8
    /// One plane `R G B` and an ignored byte.
    case rgbx = 9
    /// One plane `R G B`, three bytes a pixel. libyuv calls it RAW.
    case rgb24 = 10
    /// A JPEG image.
    case mjpeg = 11
    /// I420 with 16-bit little-endian samples of which the low 10 bits are used.
    case i010 = 12
    /// NV12 with 16-bit little-endian samples of which the high 10 bits are used.
    case p010 = 13

    /// The number of planes, 1 to 3.
    public var planeCount: Int { layout.planeCount }

    /// Whether pixels are red, green and blue, which are always full range.
    public var isRGB: Bool {
        switch layout.planes[0].samples[0] {
        case .red, .green, .blue: true
        case .y, .u, .v, .unused, .none: false
        }
    }

    /// Whether the bytes are compressed: no stride, and a length that varies.
    public var isCompressed: Bool { self == .mjpeg }

    /// The name that session files and reports use, e.g. `"nv12"`.
    public var name: String { "\(self)" }
}

extension PixelFormat {
    /// The layout of a frame's samples.
    package struct Layout: Sendable {
        /// The planes; those behind ``planeCount`` are empty.
        package var planes: InlineArray<3, PlaneLayout>
        /// The number of planes.
        package var planeCount: Int
        /// The bits of a sample that count: 8 or 10.
        package var bits = 8
        /// The shift of those bits in a sample of two bytes.
        package var shift = 0

        /// The bytes of a sample.
        package var sampleBytes: Int { bits > 8 ? 2 : 1 }

        init(
            _ first: PlaneLayout, _ second: PlaneLayout? = nil, _ third: PlaneLayout? = nil,
            bits: Int = 8, shift: Int = 0
        ) {
            planes = [first, second ?? .empty, third ?? .empty]
            planeCount = third != nil ? 3 : second != nil ? 2 : 1
            self.bits = bits
            self.shift = shift
        }
    }

    /// Describes how the samples of a plane follow each other: in groups that repeat along a row.
    package struct PlaneLayout: Sendable {
        /// The samples of a group in the order of memory; none behind ``sampleCount``.
        package var samples: InlineArray<4, Sample>
        /// The samples of a group.
        package var sampleCount: Int
        /// The columns of pixels that a group covers.
        package var columns: Int
        /// The rows of pixels that a row of the plane covers.
        package var rows: Int

        static let empty = PlaneLayout(
            samples: InlineArray(repeating: .none), sampleCount: 0, columns: 1, rows: 1)

        static func plane(
            _ first: Sample, _ second: Sample = .none, _ third: Sample = .none,
            _ fourth: Sample = .none, columns: Int = 1, rows: Int = 1
        ) -> PlaneLayout {
            let samples: InlineArray<4, Sample> = [first, second, third, fourth]
            var count = 0
            while count < 4, samples[count] != .none { count += 1 }
            return PlaneLayout(samples: samples, sampleCount: count, columns: columns, rows: rows)
        }

        /// The column of the pixels of a group that a luma sample belongs to.
        ///
        /// - Parameter index: The sample's, in the group.
        package func lumaColumn(_ index: Int) -> Int {
            var column = 0
            for earlier in 0..<index where samples[earlier] == .y { column += 1 }
            return column
        }
    }

    /// The component of a sample.
    package enum Sample: Sendable {
        case none, y, u, v, red, green, blue, unused
    }

    /// The table of formats.
    package var layout: Layout {
        switch self {
        case .i420:
            Layout(
                .plane(.y), .plane(.u, columns: 2, rows: 2), .plane(.v, columns: 2, rows: 2))
        case .nv12: Layout(.plane(.y), .plane(.u, .v, columns: 2, rows: 2))
        case .nv21: Layout(.plane(.y), .plane(.v, .u, columns: 2, rows: 2))
        case .yuy2: Layout(.plane(.y, .u, .y, .v, columns: 2))
        case .uyvy: Layout(.plane(.u, .y, .v, .y, columns: 2))
        case .bgra, .bgrx: Layout(.plane(.blue, .green, .red, .unused))
        case .rgba, .rgbx: Layout(.plane(.red, .green, .blue, .unused))
        case .rgb24: Layout(.plane(.red, .green, .blue))
        case .mjpeg: Layout(.empty)
        case .i010:
            Layout(
                .plane(.y), .plane(.u, columns: 2, rows: 2), .plane(.v, columns: 2, rows: 2),
                bits: 10)
        case .p010:
            Layout(.plane(.y), .plane(.u, .v, columns: 2, rows: 2), bits: 10, shift: 6)
        }
    }
}

/// The rows of a plane.
public struct PlaneGeometry: Equatable, Sendable {
    /// Bytes of a row with pixels: the minimum stride.
    public var rowBytes: Int
    /// Rows.
    public var rows: Int

    /// Makes the geometry of a plane.
    public init(rowBytes: Int, rows: Int) {
        self.rowBytes = rowBytes
        self.rows = rows
    }

    /// The minimum length of the plane at a stride: the last row needs no padding.
    ///
    /// - Parameter stride: Bytes from a row to the next, at least ``rowBytes``.
    /// - Returns: The bytes; nil on overflow.
    public func byteCount(stride: Int) -> Int? {
        guard rows > 0 else { return 0 }
        let (body, overflow) = (rows - 1).multipliedReportingOverflow(by: stride)
        guard !overflow else { return nil }
        let (sum, carry) = body.addingReportingOverflow(rowBytes)
        return carry ? nil : sum
    }
}

extension PixelFormat {
    /// The geometry of a plane; chroma of 4:2:0 rounds up at odd sizes.
    ///
    /// - Parameters:
    ///   - index: The plane, 0 to ``planeCount`` − 1.
    ///   - size: The visible size, within ``FrameSize/maximumDimension``.
    /// - Returns: Zero rows for a compressed format: its length does not follow from its size.
    public func plane(_ index: Int, of size: FrameSize) -> PlaneGeometry {
        let layout = layout
        let plane = layout.planes[index]
        guard plane.sampleCount > 0 else { return PlaneGeometry(rowBytes: 0, rows: 0) }
        let groups = (size.width + plane.columns - 1) / plane.columns
        return PlaneGeometry(
            rowBytes: groups * plane.sampleCount * layout.sampleBytes,
            rows: (size.height + plane.rows - 1) / plane.rows)
    }

    /// The bytes of a frame without padding between rows and planes.
    ///
    /// For a 4:2:0 format with odd sides this exceeds `width * height * 3 / 2`.
    public func packedByteCount(of size: FrameSize) -> Int {
        (0..<planeCount).reduce(0) { sum, index in
            let plane = plane(index, of: size)
            return sum + plane.rowBytes * plane.rows
        }
    }
}
