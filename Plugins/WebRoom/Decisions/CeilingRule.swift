/// Decides when a room requests less from a track's source. The room sets the ceiling if for a
/// while no viewer's network has carried the wanted rendition, and lifts the ceiling after one has
/// carried it for as long.
package struct CeilingRule: Sendable {
    /// Hold times in seconds: a slow network may recover, and a higher rate may fail.
    private static let delay = 3.0

    /// The time since which the network contradicts the ceiling; nil if it does not.
    private var since: Double?
    /// Whether there is a ceiling.
    package private(set) var isSet = false

    package init() {}

    /// Updates the rule with whether a viewer wants the full rendition and receives it.
    ///
    /// - Parameter now: The time in seconds, on any clock.
    /// - Returns: Whether this update sets or lifts the ceiling.
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
