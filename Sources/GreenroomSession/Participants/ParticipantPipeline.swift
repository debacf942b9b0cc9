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
/// The pipeline exists from the opening of the track until every output has received all media.
final class ParticipantPipeline: Sendable {
    /// The media that the track carries.
    enum Medium: Sendable {
        case video(VideoIngest, VideoPipeline)
        case audio(AudioIngest, filtered: FilteredAudio?, sinks: [any AudioSink])
    }

    /// The state of the negotiation with the call.
    private struct Negotiation {
        var negotiator: Negotiator?
        /// Whether every output has reported its demand once.
        var isSettled = false
    }

    let track: ParticipantTrack
    /// The number of the track's sender.
    let sender: UInt64
    /// The start of the track, in nanoseconds from the session's start.
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

    /// The branches of video; empty for audio.
    var branches: [VideoBranch] {
        if case .video(_, let video) = medium { video.track.branches } else { [] }
    }

    /// The sinks of audio; empty for video.
    var sinks: [any AudioSink] {
        if case .audio(_, _, let sinks) = medium { sinks } else { [] }
    }

    /// The negotiation about video; nil before the first demand.
    var negotiator: Negotiator? { negotiation.withLock { $0.negotiator } }

    /// Updates the negotiation with the outputs' demands for video, at least one.
    ///
    /// - Parameters:
    ///   - isSettled: Whether every output has answered. Until then, a larger demand applies at
    ///     once.
    ///   - nanoseconds: Session time.
    /// - Returns: The capability to request from the call, and the record if the request is new.
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
            // An output may have a frame for a slightly later time.
            let end = ending.change { ending in
                let end = video.track.limit(to: ending ?? 0)
                ending = end
                return end
            }
            for branch in video.track.branches { branch.finish(at: end) }
        }
    }

    /// Releases the first frames of video.
    func release() {
        if case .video(_, let video) = medium { video.track.input.release() }
    }

    /// Limits video to a time of the session, in accounts and outputs.
    func limit(to nanoseconds: Int64) {
        guard case .video(_, let video) = medium else { return }
        _ = video.track.limit(to: max(nanoseconds - start, 0))
    }

    /// Ends the track at a time of the session. Media sent before is still delivered.
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

    /// The end of the track, in nanoseconds from the session's start; nil while it is open.
    var end: Int64? { ending.withLock { end in end.map { $0 + start } } }
}
