import GreenroomAudio
import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime
import GreenroomVideo

/// The way of one participant's track to the outputs, and its threads.
///
/// It lives from the opening of the track until every output has what was sent.
final class ParticipantPipeline: Sendable {
    /// What it carries.
    enum Medium: Sendable {
        case video(VideoIngest, VideoPipeline)
        case audio(AudioIngest, sinks: [any AudioSink])
    }

    let track: ParticipantTrack
    /// The number of its sender.
    let sender: UInt64
    /// When it begins, in nanoseconds from the session's start.
    let start: Int64
    let medium: Medium
    /// The end of the track, in nanoseconds from its start; nil while it is open.
    private let ending = Monitor<Int64?>(nil)

    init(_ track: ParticipantTrack, sender: UInt64, start: Int64, medium: Medium) {
        self.track = track
        self.sender = sender
        self.start = start
        self.medium = medium
    }

    /// The branches of video.
    var branches: [VideoBranch] {
        if case .video(_, let video) = medium { video.track.branches } else { [] }
    }

    /// The sinks of audio.
    var sinks: [any AudioSink] {
        if case .audio(_, let sinks) = medium { sinks } else { [] }
    }

    /// The largest size and rate of video that an output wants; nil for nothing, and for audio.
    var wanted: VideoCapability? {
        let wants = branches.filter { $0.failure == nil }.compactMap(\.form?.capability)
        guard let first = wants.first else { return nil }
        return wants.dropFirst().reduce(first) { largest, want in
            VideoCapability(
                size: FrameSize(
                    width: max(largest.size.width, want.size.width),
                    height: max(largest.size.height, want.size.height)),
                rate: max(largest.rate, want.rate))
        }
    }

    /// Starts the threads of video.
    func begin() {
        guard case .video(_, let video) = medium else { return }
        video.begin { [ending] in
            let end = ending.withLock { $0 } ?? 0
            for branch in video.track.branches { branch.finish(at: end) }
        }
    }

    /// Ends the track at a time of the session; what was sent before is still delivered.
    func close(at nanoseconds: Int64) {
        let isNews = ending.withLock { end in
            guard end == nil else { return false }
            end = max(nanoseconds - start, 0)
            return true
        }
        guard isNews, case .video(_, let video) = medium else { return }
        video.track.input.close()
    }

    /// Waits for the threads of video.
    func join(until deadline: Int64) {
        guard case .video(_, let video) = medium else { return }
        video.joinTrack(until: deadline)
        video.joinBranches(until: deadline)
    }

    /// Whether the track was closed.
    var isClosed: Bool { ending.withLock { $0 != nil } }

    /// When it ended, in nanoseconds from the session's start; nil while it is open.
    var end: Int64? { ending.withLock { end in end.map { $0 + start } } }
}
