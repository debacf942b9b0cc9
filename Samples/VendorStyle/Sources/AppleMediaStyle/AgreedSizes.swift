/// The sizes that a camera agreed to, by offer. The vendors' senders do not name the offer of a frame, and a
/// pump may send an old size for some frames after a new offer.
package final class AgreedSizes: @unchecked Sendable {
    private let lock = NSLock()
    private var sizes: [(revision: UInt32, size: FrameSize)] = []

    /// Makes an empty record.
    package init() {}

    /// Notes the size of an offer's frames. The record keeps the last four offers.
    package func note(_ size: FrameSize, of revision: UInt32) {
        lock.withLock {
            sizes.removeAll { $0.revision == revision }
            sizes.append((revision, size))
            if sizes.count > 4 { sizes.removeFirst() }
        }
    }

    /// The newest offer for frames of a size; 0 without one, for the last offer.
    package func revision(of size: FrameSize, turned rotation: Rotation) -> UInt32 {
        lock.withLock {
            sizes.last { $0.size == size || $0.size == size.rotated(by: rotation) }?.revision ?? 0
        }
    }
}
