/// A video codec that the room sends and receives.
package enum RoomCodec: String, CaseIterable, Sendable {
    case vp8 = "VP8"
    case h264 = "H264"
}
