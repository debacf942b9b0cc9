/// When a room asks a track's source for less: as soon as no viewer's network has borne what viewers
/// would like to see of it for a while, and until one does again.
package struct CeilingRule: Sendable {
    /// How long, in seconds: a network may be slow for a moment.
    private static let patience = 3.0

    private var since: Double?
    /// Whether there is a ceiling.
    package private(set) var isSet = false

    package init() {}

    /// Takes who wants and gets the full rendition.
    ///
    /// - Parameter now: On any clock, in seconds.
    /// - Returns: Whether the ceiling is set or lifted now.
    package mutating func follow(wanted: Bool, borne: Bool, at now: Double) -> Bool {
        guard wanted, !borne else {
            since = nil
            defer { isSet = false }
            return isSet
        }
        let start = since ?? now
        since = start
        guard !isSet, now - start >= Self.patience else { return false }
        isSet = true
        return true
    }
}
