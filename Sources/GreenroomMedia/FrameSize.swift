/// A width and a height in pixels.
public struct FrameSize: Hashable, Sendable {
    /// The largest legal width and height (`GR_MAX_DIMENSION`).
    public static let maximumDimension = 8192

    /// Pixels of a row.
    public var width: Int
    /// Rows.
    public var height: Int

    /// Makes a size; see ``isLegal`` for the limits of frames.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Whether both sides are 1 to ``maximumDimension``.
    public var isLegal: Bool {
        let sides = 1...Self.maximumDimension
        return sides.contains(width) && sides.contains(height)
    }

    /// Number of pixels.
    public var area: Int { width * height }

    /// The size after a rotation.
    public func rotated(by rotation: Rotation) -> FrameSize {
        rotation.swapsSides ? FrameSize(width: height, height: width) : self
    }
}

extension FrameSize: CustomStringConvertible {
    /// `"1280x720"`.
    public var description: String { "\(width)x\(height)" }

    /// Reads `"1280x720"`; nil for anything else or a size that is not legal.
    public init?(_ text: some StringProtocol) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]) else {
            return nil
        }
        self.init(width: width, height: height)
        guard isLegal else { return nil }
    }
}

/// The clockwise rotation that shows a frame upright.
///
/// Raw values are degrees, as in the C header.
public enum Rotation: UInt32, CaseIterable, Sendable {
    /// Upright.
    case none = 0
    /// A quarter turn clockwise.
    case quarter = 90
    /// Half a turn.
    case half = 180
    /// A quarter turn counter-clockwise.
    case threeQuarters = 270

    /// Whether it swaps width and height.
    public var swapsSides: Bool { self == .quarter || self == .threeQuarters }
}
