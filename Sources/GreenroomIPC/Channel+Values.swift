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

    /// Writes bytes to the message, as many as fit.
    ///
    /// - Returns: How many were written.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let count = min(bytes.count, message.count - offset)
        if let from = bytes.baseAddress, count > 0 {
            message.baseAddress?.advanced(by: offset).copyMemory(from: from, byteCount: count)
        }
        return count
    }

    /// Copies a text from the message, cut to a length, and ends it with NUL.
    package func text(from offset: Int, length: Int, limit: Int) -> [CChar] {
        let bytes = UnsafeRawBufferPointer(message)[..<min(length, message.count)]
            .dropFirst(offset).prefix(limit)
        return bytes.map { CChar(bitPattern: $0) } + [0]
    }
}

/// The offsets of values in each message, in bytes.
package enum MessageLayout {
    /// The instance or the sender that a call is for; in an answer, the status.
    package static let name = 0
    /// The arguments of the call.
    package static let subject = 8
    /// An integer argument.
    package static let number = subject + MemoryLayout<gr_video_frame>.stride
    /// A byte: whether the pointer argument was NULL.
    package static let isNull = number + 8
    /// The lease of a frame that the host has lent ahead, and that the plugin does not use; 0 for none.
    package static let unused = isNull + 8
    /// The number of the memory of a frame that an output takes, after the frame and its planes.
    package static let memory =
        subject + MemoryLayout<gr_output_frame>.stride + MemoryLayout<SharedPlanes>.stride
    /// The samples of an audio block, after every description of one; a frame's ends before, too.
    package static let samples = 320
    /// The planes of a frame to edit, after the frame.
    package static let editedPlanes = subject + MemoryLayout<gr_mutable_frame>.stride
    /// The length of the message with a frame to edit.
    package static let edit = editedPlanes + MemoryLayout<SharedPlanes>.stride
}

/// A block of audio to edit, before its samples and the reference's. There are 480 of each channel.
package struct AudioEditMessage: BitwiseCopyable, Sendable {
    /// 1 or 2.
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

/// The fixed part of an output's report about a track or its state. A text follows.
package struct OutputMessage: BitwiseCopyable, Sendable {
    /// The track, or the state.
    package var number: UInt32
    package var capability: gr_capability
    /// Whether the pointer to the capability was not NULL, and that to the text: else 0.
    package var hasCapability: UInt8
    package var hasText: UInt8

    package init(
        number: UInt32, capability: gr_capability = gr_capability(), hasCapability: Bool = false,
        hasText: Bool
    ) {
        self.number = number
        self.capability = capability
        self.hasCapability = hasCapability ? 1 : 0
        self.hasText = hasText ? 1 : 0
    }
}

/// A plane of a frame in shared memory.
package struct SharedPlane: BitwiseCopyable, Sendable {
    /// From the start of the frames' memory, in bytes.
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

/// In the answer to a frame: a frame that the host lends ahead for the next one.
package struct GrantMessage: BitwiseCopyable {
    /// Its id is 0 without such a frame.
    package var lease: gr_lease
    package var planes: SharedPlanes
    /// ``SenderState`` from before it was lent.
    package var state: UInt32
    /// How `send` fills it.
    package var filling: GrantFilling

    package init(lease: gr_lease, planes: SharedPlanes, state: UInt32, filling: GrantFilling) {
        self.lease = lease
        self.planes = planes
        self.state = state
        self.filling = filling
    }
}

/// How `send` fills a frame that was lent ahead: by converting 32-bit RGB to I420.
package struct GrantFilling: BitwiseCopyable, Sendable {
    /// The format of the frames that become it; 0 to copy those of its own format.
    package var format: UInt32
    /// Their rotation, range and matrix: the host would do something else with others.
    package var rotation: UInt32
    package var range: UInt32
    package var matrix: UInt32
    package var weights: greenroom_from_rgb

    package init(
        format: UInt32 = 0, rotation: UInt32 = 0, range: UInt32 = 0, matrix: UInt32 = 0,
        weights: greenroom_from_rgb = greenroom_from_rgb()
    ) {
        self.format = format
        self.rotation = rotation
        self.range = range
        self.matrix = matrix
        self.weights = weights
    }
}

/// The memory of a plugin's frames: slots of one size, one for each frame.
package enum FrameArena {
    /// Room for the largest frame, raw or compressed: 4 bytes a pixel and 1 MiB. Pages of a slot
    /// that are never touched take no memory.
    package static let slotByteCount =
        4 * FrameSize.maximumDimension * FrameSize.maximumDimension + (1 << 20)
}
