import CLinux

/// Where a filter learns that the one before has edited a frame: a page that the host, this filter's process and
/// that of the filter before map, and may write at any time.
///
/// What it says can make the filter edit too early, or wait until the host ends the wait. What the host and the
/// filter say to each other is in their channel, which no other process has.
package struct FilterInput: Sendable {
    /// What the filter before has said of a frame.
    package enum State: Sendable {
        case unknown
        /// It has edited it.
        case ready
        /// It has not, or may not have: the host decides what follows.
        case failed
    }

    package let memory: SharedMemory

    /// Makes a page.
    ///
    /// - Throws: ``ChannelError`` if there is no memory.
    init() throws(ChannelError) {
        memory = try SharedMemory(name: "greenroom-input", byteCount: Self.byteCount)
    }

    /// Maps a page that the host made; closes the descriptor.
    ///
    /// - Throws: ``ChannelError`` if the memory is not of the expected size.
    init(adopting descriptor: Int32) throws(ChannelError) {
        memory = try SharedMemory(adopting: descriptor, byteCount: Self.byteCount)
    }

    /// The page of another filter; nil if the memory is too short for one.
    package init?(in memory: SharedMemory) {
        guard memory.byteCount >= Self.byteCount else { return nil }
        self.memory = memory
    }

    private static let byteCount = 4096

    /// Whether the kernel lets a filter wait for the host and for another filter at a time.
    package static let isPossible = greenroom_can_wait_for_either() != 0

    /// Changes whenever the filter before says something.
    var bell: UnsafeMutablePointer<UInt32> { memory.base.assumingMemoryBound(to: UInt32.self) }

    /// The last pass of which the filter before has said something, and in the lowest bit whether it has
    /// edited the frame.
    private var last: UnsafeMutablePointer<UInt32> { bell + 1 }

    /// Says of a pass's frame whether it is edited, and wakes the filter's process.
    ///
    /// - Parameter pass: Its number, below 2^31.
    package func put(_ pass: UInt32, isEdited: Bool) {
        greenroom_store(last, pass << 1 | (isEdited ? 1 : 0))
        greenroom_ring(bell)
    }

    /// What the filter before has said of a pass's frame.
    package func state(of pass: UInt32) -> State {
        let last = greenroom_load(last)
        guard last >> 1 == pass else { return .unknown }
        return last & 1 != 0 ? .ready : .failed
    }
}
