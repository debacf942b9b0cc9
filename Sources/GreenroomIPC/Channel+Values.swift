import GreenroomABI
import GreenroomMedia

// Values at fixed places of a message, copied once.

extension Channel {
    /// Copies a value out of the message.
    package func read<Value: BitwiseCopyable>(
        _ type: Value.Type = Value.self, at offset: Int = 0
    ) -> Value {
        message.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }

    /// Puts a value into the message.
    package func write<Value: BitwiseCopyable>(_ value: Value, at offset: Int = 0) {
        message.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }

    /// Puts bytes into the message, as many as have room.
    ///
    /// - Returns: How many.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let count = min(bytes.count, message.count - offset)
        if let from = bytes.baseAddress, count > 0 {
            message.baseAddress?.advanced(by: offset).copyMemory(from: from, byteCount: count)
        }
        return count
    }

    /// Copies the end of the message as a text that ends with NUL.
    package func text(from offset: Int, length: Int, longest: Int) -> [CChar] {
        let bytes = UnsafeRawBufferPointer(message)[..<min(length, message.count)]
            .dropFirst(offset).prefix(longest)
        return bytes.map { CChar(bitPattern: $0) } + [0]
    }
}

/// Where the values of each message stand, in bytes from its start.
package enum MessageLayout {
    /// The instance or the sender that a call names; in an answer, the status.
    package static let name = 0
    /// What the call is about.
    package static let subject = 8
    /// A number that goes with it.
    package static let number = subject + MemoryLayout<gr_video_frame>.stride
    /// Whether the pointer was NULL that the subject was read from: a byte.
    package static let isNull = number + 8
    /// The samples of a block.
    package static let samples = 256
}

/// A plane of a frame that both sides see.
package struct SharedPlane: BitwiseCopyable, Sendable {
    /// From the start of the frames' memory.
    package var offset: UInt64
    package var strideBytes: UInt64
    package var byteCount: UInt64

    package init(offset: UInt64 = 0, strideBytes: UInt64 = 0, byteCount: UInt64 = 0) {
        self.offset = offset
        self.strideBytes = strideBytes
        self.byteCount = byteCount
    }
}

/// Where a frame lies that a runner is to copy into, or may write to.
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

/// The memory of a plugin's frames: slots of one size, each for a frame.
package enum FrameArena {
    /// The largest frame there is, or the longest compressed one: 4 bytes a pixel and 1 MiB. Pages
    /// of a slot that are never touched take no memory.
    package static let slotByteCount =
        4 * FrameSize.maximumDimension * FrameSize.maximumDimension + (1 << 20)
}
