package import GreenroomConversion
package import GreenroomMedia
package import GreenroomModel
package import GreenroomPluginInterface
import GreenroomRuntime
package import GreenroomVideo

/// A track that a call has opened for a participant, with the ingest of its frames or blocks.
package final class ParticipantTrack: Sendable {
    /// The ingest of the track's sender.
    package enum Source: Sendable {
        case video(VideoIngest, VideoTrackInput, FramePool, VideoCapability)
        case audio(AudioIngest)
    }

    /// The track's number for outputs.
    package let id: UInt32
    /// The role: a camera, a microphone, a share or the audio of a share.
    package let kind: SessionRole
    /// The participant who owns the track.
    package let participant: OutputTrack.Participant
    /// The track's name for files and messages, e.g. `ana-camera`; unique in the session.
    package let name: String
    /// The time at which the track was opened, on the session clock.
    package let opened: Int64
    /// The ingest that receives the track's media.
    package let source: Source

    init(
        id: UInt32, kind: SessionRole, participant: OutputTrack.Participant, name: String,
        opened: Int64, source: Source
    ) {
        self.id = id
        self.kind = kind
        self.participant = participant
        self.name = name
        self.opened = opened
        self.source = source
    }

    /// The maximum size and rate of a video track; nil for audio.
    package var capability: VideoCapability? {
        if case .video(_, _, _, let capability) = source { capability } else { nil }
    }

    /// The track as described to outputs.
    package var described: OutputTrack {
        OutputTrack(
            id: id, kind: kind.facts.trackID, name: name, capability: capability,
            participant: participant)
    }

    /// Opens or closes the ingest, as a state of the lifecycle requires.
    func follow(_ lifecycle: LifecycleState) {
        switch source {
        case .video(let ingest, _, _, _): ingest.follow(lifecycle)
        case .audio(let ingest): ingest.follow(lifecycle)
        }
    }

    /// Creates a handle for the track's sender.
    func makeSender() -> UInt64 {
        switch source {
        case .video(let ingest, _, _, _): HostCalls.videoIngests.insert(ingest)
        case .audio(let ingest): HostCalls.audioIngests.insert(ingest)
        }
    }

    /// Removes a handle of the track's sender.
    func remove(sender: UInt64) {
        switch source {
        case .video: HostCalls.videoIngests.remove(sender)
        case .audio: HostCalls.audioIngests.remove(sender)
        }
    }

    /// Discards the track's video: frames are accepted and dropped.
    package func discardVideo() {
        if case .video(_, let input, _, _) = source { input.close() }
    }

    /// The ingest of the track's audio; nil for video.
    package var audio: AudioIngest? {
        if case .audio(let ingest) = source { ingest } else { nil }
    }

    /// Whether the plugin may still write to a frame of the track.
    var hasLeases: Bool {
        if case .video(let ingest, _, _, _) = source { ingest.hasLeases } else { false }
    }

    /// Mutes or unmutes the track. A muted track owes no media.
    ///
    /// - Parameter plugin: The number of the call's instance.
    func mute(_ isMuted: Bool, by plugin: Int) {
        switch source {
        case .video(_, let input, _, _):
            if isMuted { input.showBlack() } else { input.setStarted() }
        case .audio(let ingest): ingest.pause(isMuted, by: plugin)
        }
    }
}

extension VideoTrackKind {
    /// The number of the session's own video of the kind; nil for a kind without video.
    package var videoID: UInt32? { SessionRole(.video, of: self)?.facts.trackID }
}
