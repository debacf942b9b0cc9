import GreenroomAudio
import GreenroomConversion
package import GreenroomLifecycle
package import GreenroomModel
package import GreenroomNegotiation
package import GreenroomVideo

/// Connects a track to a tap.
package struct PreviewOutput: HostOutput {
    /// The tap.
    package var tap: PreviewTap
    /// The track.
    package var track: VideoTrackKind

    /// Describes the output.
    package init(_ tap: PreviewTap, track: VideoTrackKind) {
        self.tap = tap
        self.track = track
    }

    /// Returns a want for the unchanged track.
    package func want(of track: VideoTrackKind) -> VideoSinkWant? {
        track == self.track ? VideoSinkWant() : nil
    }

    package func open(in session: inout OutputBuilder) {
        session.connect(tap: tap, to: track)
        if session.audioTracks.contains(track) { session.connect(tap, to: track) }
    }

    /// Connects a sink to each participant's track, so that the call sends the media.
    package func open(_ track: ParticipantTrack, in outputs: inout ParticipantOutputs) {
        guard let capability = outputs.capability else {
            outputs.connect(DiscardingSink())
            return
        }
        outputs.connect(
            DiscardingSink(), name: "preview of \(track.name)", want: VideoSinkWant(),
            capability: capability)
    }
}

/// Receives and discards a participant's media.
private final class DiscardingSink: VideoSink, AudioSink {
    let pace = OutputPace.asTheyCome

    func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) {}
    func finish() {}
    func write(_ samples: Span<Int16>) {}
    func finish(until deadline: Int64) {}
}
