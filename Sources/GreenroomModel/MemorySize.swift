/// An amount of memory, in decimal units: 1 MB is 1,000,000 bytes.
public struct MemorySize: Hashable, Comparable, Sendable {
    /// The amount.
    public var bytes: Int

    /// Makes an amount.
    public init(bytes: Int) { self.bytes = bytes }

    /// Makes an amount of megabytes, at most a billion.
    package static func megabytes(_ count: Int32) -> MemorySize {
        MemorySize(bytes: Int(count) * 1_000_000)
    }

    /// Whether the first amount is smaller.
    public static func < (first: MemorySize, second: MemorySize) -> Bool {
        first.bytes < second.bytes
    }
}

extension MemorySize: CustomStringConvertible {
    /// The pattern of an amount's text.
    package static let pattern = "[0-9]{1,6}(\\.[0-9]{1,3})? ?[MG]B"

    /// Reads an amount such as `256 MB` or `1.5 GB`. The blank is optional.
    ///
    /// - Returns: The amount; nil for any other text.
    package init?(_ text: String) {
        guard
            let parts = text.wholeMatch(of: /([0-9]{1,6})(?:\.([0-9]{1,3}))? ?([MG])B/)?.output,
            let whole = Int(parts.1),
            let thousandths = Int((parts.2 ?? "").padded(to: 3))
        else { return nil }
        bytes = (whole * 1000 + thousandths) * (parts.3 == "G" ? 1_000_000 : 1000)
    }

    /// The amount in a session file's notation: `256 MB`, `1.5 GB`. Truncates to a kilobyte.
    public var description: String {
        let isLarge = bytes >= 1_000_000_000 && bytes.isMultiple(of: 1_000_000)
        let thousandths = bytes / (isLarge ? 1_000_000 : 1000)
        let rest = "\(thousandths % 1000)"
        let zeros = String(repeating: "0", count: max(0, 3 - rest.count))
        var fraction = thousandths.isMultiple(of: 1000) ? "" : ".\(zeros)\(rest)"
        while fraction.last == "0" { fraction.removeLast() }
        return "\(thousandths / 1000)\(fraction) \(isLarge ? "GB" : "MB")"
    }
}

extension Substring {
    /// With trailing zeros, up to a length.
    fileprivate func padded(to length: Int) -> String {
        self + String(repeating: "0", count: Swift.max(0, length - count))
    }
}
