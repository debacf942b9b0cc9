import CLinux

/// Where a filter's process waits for frames, and learns that the filter before it has edited one: a page
/// that the host maps, the filter's process, and the process of the filter before.
///
/// All three write to it, so it says nothing that any of them relies on for more than the time of a frame.
/// What the host and a filter say to each other is in their channel.
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

    /// Changes whenever there may be something to do: the filter's process waits for that.
    var bell: UnsafeMutablePointer<UInt32> { memory.base.assumingMemoryBound(to: UInt32.self) }

    /// The last pass of which the filter before has said something, and in the lowest bit whether it has
    /// edited the frame.
    private var last: UnsafeMutablePointer<UInt32> { bell + 1 }

    /// Wakes the filter's process. [any]
    package func ring() { greenroom_ring(bell) }

    /// Says of a pass's frame whether it is edited, and wakes the filter's process.
    ///
    /// - Parameter pass: Its number, below 2^31.
    package func put(_ pass: UInt32, isEdited: Bool) {
        greenroom_store(last, pass << 1 | (isEdited ? 1 : 0))
        ring()
    }

    /// What the filter before has said of a pass's frame.
    package func state(of pass: UInt32) -> State {
        let last = greenroom_load(last)
        guard last >> 1 == pass else { return .unknown }
        return last & 1 != 0 ? .ready : .failed
    }
}
