package import GreenroomModel
package import GreenroomNegotiation
package import GreenroomVideo

/// Shows a track to a tap.
package struct PreviewOutput: Output {
    /// What looks and listens.
    package var tap: PreviewTap
    /// At which track.
    package var track: VideoTrackKind

    /// Describes the output.
    package init(_ tap: PreviewTap, track: VideoTrackKind) {
        self.tap = tap
        self.track = track
    }

    /// Whatever there is, it takes.
    package func want(of track: VideoTrackKind) -> VideoSinkWant? {
        track == self.track ? VideoSinkWant() : nil
    }

    package func open(in session: inout OutputBuilder) {
        session.connect(tap: tap, to: track)
        if session.audioTracks.contains(track) { session.connect(tap, to: track) }
    }
}
