/// A probe's report of an edited frame. It follows the status in the answer.
package struct EditStatistics: BitwiseCopyable, Sendable {
    /// Its offset in the answer.
    package static let offset = 8

    /// The raw value of ``FrameMembers``: what the plugin changed besides the pixels.
    package var changedMembers: UInt32 = 0
    /// Whether the counts below were counted.
    package var isMetered: UInt32
    package var allocations: UInt64 = 0
    package var allocatedBytes: UInt64 = 0
    package var frees: UInt64 = 0
    package var locks: UInt64 = 0

    init(isMetered: Bool) { self.isMetered = isMetered ? 1 : 0 }
}
