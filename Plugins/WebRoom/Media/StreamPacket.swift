import RoomDecisions

/// A packet of a stream for viewers, during a callback: of an encoder, or of a guest.
struct StreamPacket {
    /// The bytes of a packet before they are read.
    struct Bytes {
        let bytes: UnsafeBufferPointer<UInt8>
        let pts: UInt64

        /// The packet; nil if a header is invalid.
        ///
        /// - Parameters:
        ///   - codec: Nil for audio.
        ///   - delay: The time after its timestamp at which it leaves the room, in nanoseconds.
        func packet(_ codec: RoomCodec?, delay: Int64) -> StreamPacket? {
            VideoPacket(bytes, codec).map {
                let departure = Int64(clamping: pts).addingReportingOverflow(delay).partialValue
                return StreamPacket(
                    bytes: bytes, departure: UInt64(clamping: departure), facts: $0)
            }
        }
    }

    let bytes: UnsafeBufferPointer<UInt8>
    /// The time at which the packet leaves the room, on the clock of the pipelines' timestamps. It
    /// orders the packets of all sources.
    let departure: UInt64
    let facts: VideoPacket
}

/// One of the qualities of a stream, and its source.
struct StreamLayer: Hashable, Sendable {
    var rendition: Rendition
    /// Whether a guest sends it; otherwise the room encodes it.
    var isForwarded: Bool
}
