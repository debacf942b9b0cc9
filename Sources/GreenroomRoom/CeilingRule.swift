/// When a room asks a track's source for less: when no viewer's network has carried what viewers would like
/// to see of it for a while, and until one has carried it as long.
package struct CeilingRule: Sendable {
    /// Hold times in seconds: a slow network may recover, and a higher rate may fail.
    private static let delay = 3.0

    /// Since when the network says something else than the ceiling.
    private var since: Double?
    /// Whether there is a ceiling.
    package private(set) var isSet = false

    package init() {}

    /// Takes who wants and gets the full rendition.
    ///
    /// - Parameter now: On any clock, in seconds.
    /// - Returns: Whether the ceiling is set or lifted now.
    package mutating func follow(wanted: Bool, isCarried: Bool, at now: Double) -> Bool {
        let isShort = wanted && !isCarried
        guard isShort != isSet else {
            since = nil
            return false
        }
        let start = since ?? now
        since = start
        guard now - start >= Self.delay else { return false }
        since = nil
        isSet = isShort
        return true
    }
}
