import GreenroomMedia

/// The number of answers with each status. Counting never allocates.
package struct StatusCounts: Sendable {
    private var counts = InlineArray<64, Int>(repeating: 0)

    mutating func add(_ status: Status, _ count: Int = 1) {
        counts[min(max(Int(status.rawValue), 0), counts.count - 1)] += count
    }

    subscript(status: Status) -> Int {
        counts[min(max(Int(status.rawValue), 0), counts.count - 1)]
    }

    /// The refusals by name, without zeros.
    package var refusals: [String: Int] {
        var result: [String: Int] = [:]
        for (status, name) in Status.all where status != .ok && self[status] > 0 {
            result[name] = self[status]
        }
        return result
    }

    /// The total number of refusals.
    package var refused: Int {
        Status.all.reduce(0) { $0 + ($1.status == .ok ? 0 : self[$1.status]) }
    }
}
