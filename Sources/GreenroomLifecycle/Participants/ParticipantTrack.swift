package import GreenroomConversion
package import GreenroomMedia
package import GreenroomModel
package import GreenroomPluginInterface
import GreenroomRuntime
package import GreenroomVideo

/// A track that a call has opened for a participant: what its frames or blocks arrive through.
package final class ParticipantTrack: Sendable {
    /// The ingest of the track's sender.
    package enum Source: Sendable {
        case video(VideoIngest, VideoTrackInput, FramePool, VideoCapability)
        case audio(AudioIngest)
    }

    /// Its number for outputs.
    package let id: UInt32
    /// The role: a camera, a microphone, a share or the audio of a share.
    package let kind: SessionRole
    /// Whose it is.
    package let participant: OutputTrack.Participant
    /// For files and messages, e.g. `ana-camera`; unique in the session.
    package let name: String
    /// When it was opened, on the session clock.
    package let opened: Int64
    /// Where its media comes in.
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

    /// Accepts what is sent, or nothing more.
    func follow(_ lifecycle: LifecycleState) {
        switch source {
        case .video(let ingest, _, _, _): ingest.follow(lifecycle)
        case .audio(let ingest): ingest.follow(lifecycle)
        }
    }

    /// Makes a handle for its sender.
    func makeSender() -> UInt64 {
        switch source {
        case .video(let ingest, _, _, _): HostInterface.videoIngests.insert(ingest)
        case .audio(let ingest): HostInterface.audioIngests.insert(ingest)
        }
    }

    /// Ends a handle of its sender.
    func remove(sender: UInt64) {
        switch source {
        case .video: HostInterface.videoIngests.remove(sender)
        case .audio: HostInterface.audioIngests.remove(sender)
        }
    }

    /// Has its video go nowhere: frames are accepted, and dropped.
    package func discardVideo() {
        if case .video(_, let input, _, _) = source { input.close() }
    }

    /// The source of its audio; nil for video.
    package var audio: AudioIngest? {
        if case .audio(let ingest) = source { ingest } else { nil }
    }

    /// Whether the plugin may still write to a frame of it.
    var hasLeases: Bool {
        if case .video(let ingest, _, _, _) = source { ingest.hasLeases } else { false }
    }

    /// Mutes it, or takes that back: it owes nothing meanwhile.
    ///
    /// - Parameter plugin: The call's number.
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
