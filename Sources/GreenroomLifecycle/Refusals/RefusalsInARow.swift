import GreenroomMedia

/// The refusals of a sender since its start, or since the last accepted frame or block.
package struct RefusalsInARow: Sendable {
    private var statuses = StatusCounts()
    /// The last refusal.
    package private(set) var last: Refusal?

    /// Records a refusal. Refusals because of the state or a full queue do not count: the frame
    /// itself is valid.
    mutating func add(_ refusal: Refusal) {
        guard refusal.blamesArguments else { return }
        statuses.add(refusal.status)
        last = refusal
    }

    /// Clears the refusals, because media was accepted or the source was started.
    mutating func end() {
        guard last != nil else { return }
        self = RefusalsInARow()
    }

    /// The counts as text: `27 were refused with bad-stride, 3 with bad-size`; nil if there are
    /// none.
    package var counts: String? {
        guard last != nil else { return nil }
        let sorted = statuses.refusals.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let parts = sorted.enumerated().map { index, entry in
            let verb = index > 0 ? "" : entry.value == 1 ? "was refused " : "were refused "
            return "\(entry.value) \(verb)with \(entry.key)"
        }
        return parts.joined(separator: ", ")
    }
}
