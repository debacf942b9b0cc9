package import GreenroomRunner

/// A probe's report of an edited frame.
package struct TracedEdit: Equatable, Sendable {
    /// Counts on the media thread during the call.
    package struct Counts: Equatable, Sendable {
        package var allocations: Int
        package var allocatedBytes: Int
        package var frees: Int
        package var locks: Int

        package init(allocations: Int, allocatedBytes: Int, frees: Int, locks: Int) {
            self.allocations = allocations
            self.allocatedBytes = allocatedBytes
            self.frees = frees
            self.locks = locks
        }
    }

    /// The members of the frame's description that the plugin changed.
    package var changed: FrameMembers
    /// The counts during the edit; nil if nothing was counted.
    package var counts: Counts?

    package init(changed: FrameMembers, counts: Counts?) {
        self.changed = changed
        self.counts = counts
    }
}

extension TracedEdit {
    /// Reads a runner's report of an edit.
    init(_ statistics: EditStatistics) {
        self.init(
            changed: FrameMembers(rawValue: statistics.changedMembers),
            counts: statistics.isMetered == 0
                ? nil
                : Counts(
                    allocations: Int(clamping: statistics.allocations),
                    allocatedBytes: Int(clamping: statistics.allocatedBytes),
                    frees: Int(clamping: statistics.frees),
                    locks: Int(clamping: statistics.locks)))
    }
}
