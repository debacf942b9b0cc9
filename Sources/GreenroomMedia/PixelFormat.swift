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
    public var planeCount: Int {
        switch self {
        case .i420, .i010: 3
        case .nv12, .nv21, .p010: 2
        case .yuy2, .uyvy, .bgra, .rgba, .bgrx, .rgbx, .rgb24, .mjpeg: 1
        }
    }

    /// Whether pixels are red, green and blue, always in full range.
    public var isRGB: Bool {
        switch self {
        case .bgra, .rgba, .bgrx, .rgbx, .rgb24: true
        case .i420, .nv12, .nv21, .yuy2, .uyvy, .mjpeg, .i010, .p010: false
        }
    }

    /// Whether it is compressed: no stride, and variable length.
    public var isCompressed: Bool { self == .mjpeg }

    /// The name that session files and reports use, e.g. `"nv12"`.
    public var name: String { "\(self)" }
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
        let width = size.width
        let height = size.height
        let chromaWidth = (width + 1) / 2
        let chromaHeight = (height + 1) / 2
        return switch (self, index) {
        case (.i420, 0), (.nv12, 0), (.nv21, 0): PlaneGeometry(rowBytes: width, rows: height)
        case (.i420, _): PlaneGeometry(rowBytes: chromaWidth, rows: chromaHeight)
        case (.nv12, _), (.nv21, _): PlaneGeometry(rowBytes: chromaWidth * 2, rows: chromaHeight)
        case (.i010, 0), (.p010, 0): PlaneGeometry(rowBytes: width * 2, rows: height)
        case (.i010, _): PlaneGeometry(rowBytes: chromaWidth * 2, rows: chromaHeight)
        case (.p010, _): PlaneGeometry(rowBytes: chromaWidth * 4, rows: chromaHeight)
        case (.yuy2, _), (.uyvy, _): PlaneGeometry(rowBytes: chromaWidth * 4, rows: height)
        case (.bgra, _), (.rgba, _), (.bgrx, _), (.rgbx, _):
            PlaneGeometry(rowBytes: width * 4, rows: height)
        case (.rgb24, _): PlaneGeometry(rowBytes: width * 3, rows: height)
        case (.mjpeg, _): PlaneGeometry(rowBytes: 0, rows: 0)
        }
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
