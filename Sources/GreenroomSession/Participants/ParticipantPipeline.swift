import GreenroomAudio
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomVideo

/// The path of one participant's track to the outputs, and its threads.
///
/// It lives from the opening of the track until every output has what was sent.
final class ParticipantPipeline: Sendable {
    /// What it carries.
    enum Medium: Sendable {
        case video(VideoIngest, VideoPipeline)
        case audio(AudioIngest, filtered: FilteredAudio?, sinks: [any AudioSink])
    }

    /// What is asked of the call.
    private struct Negotiation {
        var negotiator: Negotiator?
        /// Whether every output has said once what it wants.
        var isSettled = false
    }

    let track: ParticipantTrack
    /// The number of its sender.
    let sender: UInt64
    /// When it begins, in nanoseconds from the session's start.
    let start: Int64
    let medium: Medium
    private let negotiation = Monitor(Negotiation())
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
        if case .audio(_, _, let sinks) = medium { sinks } else { [] }
    }

    /// The negotiation about video; nil before something was wanted.
    var negotiator: Negotiator? { negotiation.withLock { $0.negotiator } }

    /// Follows what the outputs take of video, which is not nothing.
    ///
    /// - Parameters:
    ///   - isSettled: Whether every output has answered. Before that more is asked for at once.
    ///   - nanoseconds: Session time.
    /// - Returns: What the call is to be asked for, and the reason if that is new.
    func negotiate(
        _ demands: [OutputDemand], isSettled: Bool, at nanoseconds: Int64
    ) -> (capability: VideoCapability?, record: NegotiationRecord?) {
        guard let opened = track.capability else { return (nil, nil) }
        return negotiation.withLock { state in
            let before = state.isSettled ? state.negotiator : nil
            var negotiator =
                before ?? Negotiator(upTo: opened, by: "the call", at: nanoseconds)
            negotiator.set(demands: demands, at: nanoseconds)
            let offer = negotiator.next(at: nanoseconds)
            if offer != nil { negotiator.demanded() }
            state.negotiator = negotiator
            state.isSettled = state.isSettled || isSettled
            return (
                negotiator.offer?.rows.first, offer == nil ? nil : negotiator.records.last
            )
        }
    }

    /// Starts the threads of video.
    func begin() {
        guard case .video(_, let video) = medium else { return }
        video.begin { [ending] in
            // An output may have a frame for a little later.
            let end = ending.change { ending in
                let end = video.track.limit(to: ending ?? 0)
                ending = end
                return end
            }
            for branch in video.track.branches { branch.finish(at: end) }
        }
    }

    /// Lets the first frames of video pass.
    func release() {
        if case .video(_, let video) = medium { video.track.input.release() }
    }

    /// Lets video not run on after a time of the session.
    func limit(to nanoseconds: Int64) {
        guard case .video(_, let video) = medium else { return }
        _ = video.track.limit(to: max(nanoseconds - start, 0))
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
