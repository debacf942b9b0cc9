/// What a runner noticed while a frame was edited, besides the status; it follows that in the answer of
/// one that is scrutinised.
package struct ProcessStatistics: BitwiseCopyable, Sendable {
    /// Where it stands in the answer.
    package static let offset = 8

    /// Members of the frame that the plugin has changed, by their bits.
    package var changedMembers: UInt32
    /// Whether the counts that follow were counted.
    package var isMetered: UInt32
    package var allocations: UInt64 = 0
    package var allocatedBytes: UInt64 = 0
    package var frees: UInt64 = 0
    package var locks: UInt64 = 0

    package init(changedMembers: UInt32, isMetered: Bool) {
        self.changedMembers = changedMembers
        self.isMetered = isMetered ? 1 : 0
    }
}
