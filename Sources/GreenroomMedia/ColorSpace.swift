/// The range of luma and chroma values. Raw values are those of `GR_RANGE_…`.
public enum ColorRange: UInt32, CaseIterable, Sendable {
    /// Y 16 to 235, U and V 16 to 240.
    case limited = 1
    /// 0 to 255.
    case full = 2

    /// The luma of black.
    public var blackLuma: UInt8 { self == .limited ? 16 : 0 }

    /// `limited` or `full`, as reports have it.
    package var name: String { self == .limited ? "limited" : "full" }
}

/// The matrix between RGB and YUV. Raw values are those of `GR_MATRIX_…`.
public enum ColorMatrix: UInt32, CaseIterable, Sendable {
    /// ITU-R BT.601, of standard definition and of JPEG.
    case bt601 = 1
    /// ITU-R BT.709, of high definition.
    case bt709 = 2

    /// The matrix that outputs of a size have: BT.709 from 720 lines on, else BT.601.
    package static func usual(for size: FrameSize) -> ColorMatrix {
        size.height >= 720 ? .bt709 : .bt601
    }

    /// `bt601` or `bt709`, as session files and reports have it.
    package var name: String {
        switch self {
        case .bt601: "bt601"
        case .bt709: "bt709"
        }
    }
}

/// The meaning of YUV values.
public struct ColorSpace: Hashable, Sendable {
    /// The range of values.
    public var range: ColorRange
    /// The matrix.
    public var matrix: ColorMatrix

    /// Makes a colour space.
    public init(range: ColorRange, matrix: ColorMatrix) {
        self.range = range
        self.matrix = matrix
    }

    /// BT.601 limited: the meaning of plain "I420" at the call vendors.
    public static let bt601Limited = ColorSpace(range: .limited, matrix: .bt601)
    /// BT.709 limited: high-definition video.
    public static let bt709Limited = ColorSpace(range: .limited, matrix: .bt709)
    /// BT.601 full: JPEG.
    public static let bt601Full = ColorSpace(range: .full, matrix: .bt601)
    /// BT.709 full.
    public static let bt709Full = ColorSpace(range: .full, matrix: .bt709)
}
