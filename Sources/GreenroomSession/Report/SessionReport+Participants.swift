import GreenroomAudio
import GreenroomLifecycle
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime

extension SessionReport {
    /// A participant of the call.
    public struct Participant: Codable, Sendable {
        /// The participant's name.
        public var name: String
        /// The time of joining, in seconds of the session.
        public var joinedSeconds: Double
        /// The time of leaving, in seconds of the session; nil if the participant stayed to the
        /// end.
        public var leftSeconds: Double?
        /// The participant's tracks, in the order of their ends; open tracks come last.
        public var tracks: [Track]

        /// A track of a participant.
        public struct Track: Codable, Sendable {
            /// The track's name, e.g. `ana-camera`.
            public var track: String
            /// The start of the track and of its recordings, in seconds of the session.
            public var beganSeconds: Double
            /// The end of the track, in seconds of the session; nil if it was open to the end.
            public var endedSeconds: Double?
            /// The track's video; nil for audio.
            public var video: Video?
            /// The track's audio; nil for video.
            public var audio: Audio?
        }
    }
}

extension SessionReport.Participant.Track {
    /// - Parameter nanoseconds: The session's time, for a track that is open.
    init(_ pipeline: ParticipantPipeline, at nanoseconds: Int64) {
        let track = pipeline.track
        self.track = track.name
        beganSeconds = seconds(pipeline.start)
        endedSeconds = pipeline.end.map(seconds)
        let length = (pipeline.end ?? nanoseconds) - pipeline.start
        switch pipeline.medium {
        case .video(let ingest, let video):
            self.video = SessionReport.Video(
                video.track, named: track.name, from: ingest, pipeline.negotiator,
                at: max(length, 0))
        case .audio(let ingest, let filtered, _):
            audio = SessionReport.Audio(
                role: track.name, ingest: ingest, filters: filtered?.counts)
        }
    }
}

/// The participants of a session, for its report.
struct ParticipantRecords {
    /// Limit of recorded participants who have left, and of recorded ended tracks for each
    /// participant.
    private static let limit = Limits.reportedParticipants

    private struct Record {
        var number: UInt32
        var name: String
        var joined: Int64
        var left: Int64?
        var ended: [SessionReport.Participant.Track] = []
    }

    private var records: [Record] = []
    /// The number of removed records of participants who left.
    private(set) var leftOut = 0

    /// - Parameter nanoseconds: Session time.
    mutating func joined(_ member: CallRoster.Member, at nanoseconds: Int64) {
        records.append(
            Record(
                number: member.participant.number, name: member.participant.name,
                joined: max(nanoseconds, 0)))
        guard records.count > Self.limit,
            let oldest = records.firstIndex(where: { $0.left != nil })
        else { return }
        records.remove(at: oldest)
        leftOut += 1
    }

    /// - Parameter nanoseconds: Session time.
    mutating func left(_ member: CallRoster.Member, at nanoseconds: Int64) {
        guard let index = index(of: member.participant.number) else { return }
        records[index].left = max(nanoseconds, 0)
    }

    mutating func ended(_ pipelines: [ParticipantPipeline]) {
        for pipeline in pipelines {
            guard let index = index(of: pipeline.track.participant.number),
                records[index].ended.count < Self.limit
            else { continue }
            records[index].ended.append(
                SessionReport.Participant.Track(pipeline, at: pipeline.end ?? 0))
        }
    }

    private func index(of number: UInt32) -> Int? { records.lastIndex { $0.number == number } }

    /// The report's entries, in the order of joining.
    ///
    /// - Parameter nanoseconds: Session time.
    func entries(with open: [ParticipantPipeline], at nanoseconds: Int64)
        -> [SessionReport.Participant]
    {
        records.map { record in
            SessionReport.Participant(
                name: record.name, joinedSeconds: seconds(record.joined),
                leftSeconds: record.left.map(seconds),
                tracks: record.ended
                    + open.filter { $0.track.participant.number == record.number }.map {
                        SessionReport.Participant.Track($0, at: nanoseconds)
                    })
        }
    }
}

/// Seconds with three places.
private func seconds(_ nanoseconds: Int64) -> Double {
    (Double(nanoseconds) / 1e6).rounded() / 1e3
}
