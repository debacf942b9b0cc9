package import GreenroomABI
package import CGreenroomKernels
import GreenroomMedia

// Values at fixed offsets of a message, each copied once.

extension Channel {
    /// Copies a value out of the message.
    @inlinable package func read<Value: BitwiseCopyable>(
        _ type: Value.Type = Value.self, at offset: Int = 0
    ) -> Value {
        message.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }

    /// Writes a value to the message.
    @inlinable package func write<Value: BitwiseCopyable>(_ value: Value, at offset: Int = 0) {
        message.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }

    /// Writes bytes to the message, up to the end of the message.
    ///
    /// - Returns: The number of written bytes.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let count = min(bytes.count, message.count - offset)
        if let from = bytes.baseAddress, count > 0 {
            message.baseAddress?.advanced(by: offset).copyMemory(from: from, byteCount: count)
        }
        return count
    }
}

/// The offsets of values in each message, in bytes.
package enum MessageLayout {
    /// The values of a host's call.
    package static let subject = 8
    /// The struct or number of a plugin's call, after the header.
    package static let value = 48
    /// The planes of a leased frame, after its lease.
    package static let leasedPlanes = value + MemoryLayout<gr_lease>.stride
    /// The number of the memory of an output's frame, after the frame and its planes.
    package static let memory =
        subject + MemoryLayout<gr_output_frame>.stride + MemoryLayout<SharedPlanes>.stride
    /// The samples of an audio block, or the text of a call. All values end before this offset.
    package static let samples = 384
    /// The planes of a frame to edit, after the frame.
    package static let editedPlanes = subject + MemoryLayout<gr_mutable_frame>.stride
    /// The length of the message with a frame to edit.
    package static let edit = editedPlanes + MemoryLayout<SharedPlanes>.stride
}

/// A block of audio to edit, before the block's and the reference's samples. Each channel has 480
/// samples.
package struct AudioEditMessage: BitwiseCopyable, Sendable {
    /// The number of channels: 1 or 2.
    package var channels: UInt32
    /// 1 if a reference follows the samples, else 0.
    package var hasReference: UInt32
    package var ptsNanoseconds: Int64

    package init(channels: UInt32, hasReference: Bool, ptsNanoseconds: Int64) {
        self.channels = channels
        self.hasReference = hasReference ? 1 : 0
        self.ptsNanoseconds = ptsNanoseconds
    }
}

/// A plane of a frame in shared memory.
package struct SharedPlane: BitwiseCopyable, Sendable {
    /// The offset of the plane from the start of the frames' memory, in bytes.
    package var offset: UInt64
    package var strideBytes: UInt64
    package var byteCount: UInt64

    package init(offset: UInt64 = 0, strideBytes: UInt64 = 0, byteCount: UInt64 = 0) {
        self.offset = offset
        self.strideBytes = strideBytes
        self.byteCount = byteCount
    }
}

/// The planes of a frame that a runner may write to.
package struct SharedPlanes: BitwiseCopyable, Sendable {
    package var first = SharedPlane()
    package var second = SharedPlane()
    package var third = SharedPlane()

    package init() {}

    package subscript(index: Int) -> SharedPlane {
        get { index == 0 ? first : index == 1 ? second : third }
        set {
            switch index {
            case 0: first = newValue
            case 1: second = newValue
            default: third = newValue
            }
        }
    }
}

/// The frame that the host lends for the next call, in the answer to a frame.
package struct GrantMessage: BitwiseCopyable {
    /// The lease. Its id is 0 if no frame is lent.
    package var lease: gr_lease
    package var planes: SharedPlanes
    /// The ``SenderState`` before the frame was lent.
    package var state: UInt32
    /// The conversion with which `send` fills the frame.
    package var filling: GrantFilling

    package init(lease: gr_lease, planes: SharedPlanes, state: UInt32, filling: GrantFilling) {
        self.lease = lease
        self.planes = planes
        self.state = state
        self.filling = filling
    }
}

/// The conversion with which `send` fills a lent frame: from 32-bit RGB to I420.
package struct GrantFilling: BitwiseCopyable, Sendable {
    /// The source format of the conversion; 0 to copy frames of the lent frame's format.
    package var format: UInt32
    package var weights: greenroom_from_rgb

    package init(format: UInt32 = 0, weights: greenroom_from_rgb = greenroom_from_rgb()) {
        self.format = format
        self.weights = weights
    }
}

/// The memory of a plugin's frames: slots of equal size, one for each frame.
package enum FrameArena {
    /// The bytes of a slot, for the largest raw or compressed frame: 4 bytes a pixel and 1 MiB.
    /// Pages of a slot that are never touched take no memory.
    package static let slotByteCount =
        4 * FrameSize.maximumDimension * FrameSize.maximumDimension + (1 << 20)
}
