/// Frames a second, as a fraction in lowest terms: 30000/1001 is 29.97.
public struct FrameRate: Hashable, Sendable {
    /// The numerator, at least 1.
    public let numerator: UInt32
    /// The denominator, at least 1.
    public let denominator: UInt32

    /// Makes a rate; nil unless it is more than 0 and at most 1000 a second.
    public init?(numerator: UInt32, denominator: UInt32) {
        guard numerator > 0, denominator > 0,
            UInt64(numerator) <= 1000 * UInt64(denominator)
        else { return nil }
        let divisor = Self.greatestCommonDivisor(numerator, denominator)
        self.numerator = numerator / divisor
        self.denominator = denominator / divisor
    }

    /// Whole frames a second, clamped to 1 to 1000.
    public init(_ framesPerSecond: Int) {
        numerator = UInt32(min(max(framesPerSecond, 1), Limits.frameRate))
        denominator = 1
    }

    /// The rate as a floating-point number.
    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

    /// The due time of a frame since frame 0, rounded down to a nanosecond, without accumulated error:
    /// frame n of 30 a second is due at n / 30 s, not at n times 33 ms.
    ///
    /// - Parameter index: The frame, from 0. Saturates beyond 292 years.
    public func dueNanoseconds(ofFrame index: Int64) -> Int64 {
        let product = index.multipliedFullWidth(by: 1_000_000_000)
        guard index >= 0, product.high == 0,
            case let scaled = product.low.multipliedFullWidth(by: UInt64(denominator)),
            scaled.high < UInt64(numerator)
        else { return index < 0 ? 0 : .max }
        let quotient = UInt64(numerator).dividingFullWidth(scaled).quotient
        return Int64(clamping: quotient)
    }

    /// The frame whose due time is nearest to a time, counted from frame 0.
    ///
    /// - Parameter nanoseconds: The time since frame 0 was due; may be negative.
    public func nearestFrame(atNanoseconds nanoseconds: Int64) -> Int64 {
        // floor(t * n / (d * 1e9) + 1/2) = floor((2 t n + d * 1e9) / (2 d * 1e9)); the terms
        // fit 128 bits.
        let twice = Int128(nanoseconds) * Int128(numerator) * 2
        let second = Int128(denominator) * 1_000_000_000
        let (quotient, remainder) = (twice + second).quotientAndRemainder(dividingBy: 2 * second)
        return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
    }

    /// The number of frames due before the end of a period.
    ///
    /// - Parameter nanoseconds: The length of the period, which starts with frame 0; no frames if
    ///   negative.
    public func frameCount(inNanoseconds nanoseconds: Int64) -> Int64 {
        guard nanoseconds > 0 else { return 0 }
        let product = Int128(nanoseconds) * Int128(numerator)
        let second = Int128(denominator) * 1_000_000_000
        return Int64(clamping: (product + second - 1) / second)
    }

    private static func greatestCommonDivisor(_ a: UInt32, _ b: UInt32) -> UInt32 {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}

extension FrameRate: Comparable {
    /// Slower first.
    public static func < (left: FrameRate, right: FrameRate) -> Bool {
        UInt64(left.numerator) * UInt64(right.denominator)
            < UInt64(right.numerator) * UInt64(left.denominator)
    }
}

extension FrameRate: CustomStringConvertible {
    /// `"30"`, or `"30000/1001"`.
    public var description: String {
        denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)"
    }

    /// Reads `"30"` or `"30000/1001"`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let numerator = UInt32(first) else {
            return nil
        }
        guard let denominator = parts.count == 2 ? UInt32(parts[1]) : 1 else { return nil }
        self.init(numerator: numerator, denominator: denominator)
    }
}
