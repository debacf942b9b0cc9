import Synchronization

/// One viewer's way from an encoder of audio: buffers pass once the viewer is connected.
final class AudioFeed: Sendable {
    private let slots: Slots
    private let slot: Int
    private let isOpen = Atomic(false)

    init(_ slots: Slots, slot: Int) {
        (self.slots, self.slot) = (slots, slot)
    }

    /// The viewer is connected.
    func open() { isOpen.store(true, ordering: .relaxed) }

    /// Passes a buffer on.
    func take(_ buffer: EncodedBuffer) {
        guard isOpen.load(ordering: .relaxed), !slots.isLate else { return }
        slots.push(buffer, to: slot, at: buffer.pts)
    }
}
