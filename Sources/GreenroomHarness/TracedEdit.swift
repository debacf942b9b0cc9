package import GreenroomProbe

/// What a probe reports of an edited frame.
package struct TracedEdit: Equatable, Sendable {
    /// What was counted on the media thread within the call.
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

    /// What of the frame's description the plugin has changed.
    package var changed: FrameMembers
    /// nil if nothing was counted.
    package var counts: Counts?

    package init(changed: FrameMembers, counts: Counts?) {
        self.changed = changed
        self.counts = counts
    }
}

extension TracedEdit {
    /// What a runner says beside the status of an edit.
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
