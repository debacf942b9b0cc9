package import GreenroomModel
package import GreenroomAudio
package import GreenroomLifecycle
import GreenroomMedia
import GreenroomNegotiation
package import GreenroomRuntime
package import GreenroomVideo

/// The outputs' view of a participant's track that is about to start.
package struct ParticipantOutputs {
    /// The largest size and rate of the video; nil if the track is audio.
    let capability: VideoCapability?
    let clock: SessionClock
    /// Receives the outputs' events while they run.
    let events: SessionEvents
    private let isShare: Bool
    /// The branches that receive the track's video.
    package private(set) var branches = VideoBranches()
    /// The sinks that receive the track's audio.
    package private(set) var sinks: [any AudioSink] = []

    /// Creates the view without connections.
    package init(_ track: ParticipantTrack, clock: SessionClock, events: SessionEvents) {
        capability = track.capability
        isShare = track.kind.track.part == .share
        self.clock = clock
        self.events = events
    }

    /// Connects a sink to the track's video, through a branch with its own queue and thread.
    ///
    /// - Parameters:
    ///   - name: The sink's name in messages and in the report.
    ///   - want: The want for the track.
    ///   - capability: The sink's size and rate.
    mutating func connect(
        _ sink: any VideoSink, name: String, want: VideoSinkWant, capability: VideoCapability
    ) {
        branches.connect(
            sink, name: name, want: want, format: .i420, capability: capability, endSlot: nil,
            isShare: isShare, clock: clock)
    }

    /// Connects the branch of a plugin.
    package mutating func connect(_ branch: VideoBranch) { branches.add(branch) }

    /// Connects a sink to the track's audio.
    package mutating func connect(_ sink: any AudioSink) { sinks.append(sink) }
}
