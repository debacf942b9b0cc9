/// A codec of video that the room sends and takes.
package enum VideoCodec: String, CaseIterable, Sendable {
    case vp8 = "VP8"
    case h264 = "H264"
}
