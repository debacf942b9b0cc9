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

    /// Copies a text from the message, cut to a length, and ends it with NUL.
    package func text(from offset: Int, length: Int, limit: Int) -> [CChar] {
        let bytes = UnsafeRawBufferPointer(message)[..<min(length, message.count)]
            .dropFirst(offset).prefix(limit)
        return bytes.map { CChar(bitPattern: $0) } + [0]
    }
}

/// The offsets of values in each message, in bytes.
package enum MessageLayout {
    /// The instance or the sender of a call; in an answer, the status.
    package static let name = 0
    /// The arguments of the call.
    package static let subject = 8
    /// An integer argument.
    package static let number = subject + MemoryLayout<gr_video_frame>.stride
    /// A byte: whether the pointer argument was NULL.
    package static let isNull = number + 8
    /// The lease of a lent frame that the plugin does not use; 0 if none.
    package static let unused = isNull + 8
    /// The number of the memory of an output's frame, after the frame and its planes.
    package static let memory =
        subject + MemoryLayout<gr_output_frame>.stride + MemoryLayout<SharedPlanes>.stride
    /// The samples of an audio block, after the longest description of a block. A frame's values
    /// also end before this offset.
    package static let samples = 320
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

/// The fixed part of an output's report about a track or its state. A text follows.
package struct OutputMessage: BitwiseCopyable, Sendable {
    /// The track's number, or the state.
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

/// A caption, before the bytes of its speaker and its text.
package struct CaptionMessage: BitwiseCopyable, Sendable {
    /// The longest speaker, in bytes.
    package static let speakerLimit = 100

    package var structSize: UInt32
    /// The length of the speaker, in bytes; negative for none.
    package var speakerLength: Int32
    package var start: Int64
    package var end: Int64

    package init(structSize: UInt32, speakerLength: Int32, start: Int64, end: Int64) {
        self.structSize = structSize
        self.speakerLength = speakerLength
        self.start = start
        self.end = end
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
    /// The rotation, range and matrix of the source frames. The host converts other frames
    /// differently.
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

/// The memory of a plugin's frames: slots of equal size, one for each frame.
package enum FrameArena {
    /// The bytes of a slot, for the largest raw or compressed frame: 4 bytes a pixel and 1 MiB.
    /// Pages of a slot that are never touched take no memory.
    package static let slotByteCount =
        4 * FrameSize.maximumDimension * FrameSize.maximumDimension + (1 << 20)
}
