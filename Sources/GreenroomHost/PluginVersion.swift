/// A version of a plugin: `1.10.0`, `2.0.0-beta.1`.
package struct PluginVersion: Comparable, Sendable {
    private let numbers: [Int]
    /// The part after `-`; nil for a release, which is newer than its pre-releases.
    private let preRelease: String?

    package init(_ text: String) {
        let parts = text.prefix { $0 != "+" }
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var numbers = (parts.first ?? "").split(separator: ".").map { Int($0) ?? 0 }
        while numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
        preRelease = parts.count > 1 ? String(parts[1]) : nil
    }

    package static func < (one: Self, other: Self) -> Bool {
        if one.numbers != other.numbers {
            return one.numbers.lexicographicallyPrecedes(other.numbers)
        }
        switch (one.preRelease, other.preRelease) {
        case (let one?, let other?):
            return one.compare(numerically: other)
        case (.some, nil): return true
        case (nil, _): return false
        }
    }
}

extension String {
    /// Whether a pre-release comes before another: numbers as numbers, other parts as text.
    fileprivate func compare(numerically other: String) -> Bool {
        let (parts, others) = (split(separator: "."), other.split(separator: "."))
        for (one, two) in zip(parts, others) where one != two {
            if let one = Int(one), let two = Int(two) { return one < two }
            return one < two
        }
        return parts.count < others.count
    }
}
