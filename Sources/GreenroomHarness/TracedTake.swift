import GreenroomABI
import GreenroomIPC
package import GreenroomMedia

/// A frame or a block that an output receives.
package struct TracedTake: Equatable, Sendable {
    /// The frame or block.
    package enum Media: Equatable, Sendable {
        /// A frame: one of `GR_CONTENT_…`, and its size.
        case frame(content: UInt32, size: FrameSize)
        /// A block, with its number of samples per channel.
        case block(frames: Int)
    }

    /// The number of the track.
    package var track: UInt32
    package var media: Media
    /// The output's status; nil until the output answers.
    package var status: Status?

    /// Reads the message of a call.
    init(_ call: RemoteCall, _ channel: Channel) {
        guard call == .takeFrame else {
            let block = channel.read(gr_output_block.self, at: MessageLayout.subject)
            track = block.track
            media = .block(frames: Int(block.block.frame_count))
            return
        }
        let frame = channel.read(gr_output_frame.self, at: MessageLayout.subject)
        track = frame.track
        media = .frame(
            content: frame.content,
            size: FrameSize(width: Int(frame.frame.width), height: Int(frame.frame.height)))
    }
}
