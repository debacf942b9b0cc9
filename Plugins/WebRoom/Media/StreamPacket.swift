import RoomDecisions

/// A packet of a stream for viewers, during a callback: of an encoder, or of a guest.
struct StreamPacket {
    /// The bytes of a packet before they are read.
    struct Bytes {
        let bytes: UnsafeBufferPointer<UInt8>
        /// The time at which the packet leaves the room, on the clock of the pipelines' timestamps. It
        /// orders the packets of all sources.
        let departure: UInt64

        /// The packet; nil if a header is invalid.
        ///
        /// - Parameter codec: Nil for audio.
        func packet(_ codec: RoomCodec?) -> StreamPacket? {
            VideoPacket(bytes, codec).map {
                StreamPacket(bytes: bytes, departure: departure, facts: $0)
            }
        }
    }

    let bytes: UnsafeBufferPointer<UInt8>
    let departure: UInt64
    let facts: VideoPacket
}

/// One of the qualities of a stream, and its source.
struct StreamLayer: Hashable, Sendable {
    var rendition: Rendition
    /// Whether a guest sends it; otherwise the room encodes it.
    var isForwarded: Bool
}
