import GreenroomAudio
import GreenroomLifecycle
import GreenroomModel
import GreenroomVideo

/// The current state of a session, for a status line.
public struct SessionSnapshot: Sendable {
    /// The video of a track.
    public struct Video: Sendable {
        /// `camera` or `share`.
        public var track: String
        /// Frames that the ingest accepted.
        public var accepted: Int
        /// Frames that the plugin sent and that were refused.
        public var refused: Int
        /// Accepted frames that reached no output.
        public var dropped: Int
    }

    /// Seconds since the sources were started.
    public var seconds: Double
    /// The video of the tracks.
    public var videoTracks: [Video]
    /// Frames of audio that were played, and frames of silence that replaced late audio.
    public var audio: (played: Int, concealed: Int)
    /// The share of real media in each track so far, in per cent, by the role of its source; no
    /// entry for a track that owed no media yet.
    public var realPercents: [String: Double] = [:]

    init(of pipeline: SessionPipeline, at now: Int64) {
        seconds = Double(now - pipeline.epoch) / 1e9
        videoTracks = pipeline.videoTracks.map { video in
            // A frame is accepted before it is found damaged, so the damaged frames are read first.
            let track = video.track.counts
            let ingest = video.instance.videoIngest?.counts ?? VideoIngest.Counts()
            let branches = video.track.branches.map(\.counts)
            let lost = branches.map { $0.queueFull + $0.unconvertible + $0.failed }.max() ?? 0
            return Video(
                track: video.track.kind.rawValue, accepted: ingest.accepted - track.damaged,
                refused: ingest.refused.refused + track.damaged,
                dropped: video.track.input.counts.superseded + track.unconvertible
                    + lost)
        }
        audio = pipeline.audioTracks.reduce((played: 0, concealed: 0)) { sum, audio in
            let counts = audio.ingest.statistics.queue
            return (sum.played + counts.played, sum.concealed + counts.concealed)
        }
        for video in pipeline.videoTracks {
            let account = video.track.account(at: now - pipeline.epoch)
            realPercents[video.instance.role] = account.realPart.map(percent)
        }
        for audio in pipeline.audioTracks {
            let account = audio.account
            realPercents[audio.role] = account.realPart.map(percent)
        }
    }
}
