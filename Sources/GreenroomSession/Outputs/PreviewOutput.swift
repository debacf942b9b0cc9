package import GreenroomModel
package import GreenroomNegotiation
package import GreenroomVideo

/// Connects a track to a tap.
package struct PreviewOutput: Output {
    /// The tap.
    package var tap: PreviewTap
    /// The track.
    package var track: VideoTrackKind

    /// Describes the output.
    package init(_ tap: PreviewTap, track: VideoTrackKind) {
        self.tap = tap
        self.track = track
    }

    /// Takes the track unchanged.
    package func want(of track: VideoTrackKind) -> VideoSinkWant? {
        track == self.track ? VideoSinkWant() : nil
    }

    package func open(in session: inout OutputBuilder) {
        session.connect(tap: tap, to: track)
        if session.audioTracks.contains(track) { session.connect(tap, to: track) }
    }
}
