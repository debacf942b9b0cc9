package import GreenroomMedia

/// The beginning of a VP8 key frame (RFC 6386, 9.1).
package struct VP8KeyFrame: Equatable {
    package let size: FrameSize

    /// Reads the beginning of a frame; nil if the frame is not a VP8 key frame.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 10, bytes[0] & 1 == 0,
            bytes[3] == 0x9d, bytes[4] == 0x01, bytes[5] == 0x2a
        else { return nil }
        size = FrameSize(
            width: (Int(bytes[6]) | Int(bytes[7]) << 8) & 0x3fff,
            height: (Int(bytes[8]) | Int(bytes[9]) << 8) & 0x3fff)
    }
}
