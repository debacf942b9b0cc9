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
        case video(VideoTrack)
        case audio(AudioIngest, sinks: [any AudioSink])
    }

    private struct State {
        var threads: [HostThread] = []
        /// The end of the track, in nanoseconds from its start; nil while it is open.
        var end: Int64?
    }

    let track: ParticipantTrack
    /// The number of its sender.
    let sender: UInt64
    /// When it begins, in nanoseconds from the session's start.
    let start: Int64
    let medium: Medium
    private let state = Monitor(State())

    init(_ track: ParticipantTrack, sender: UInt64, start: Int64, medium: Medium) {
        self.track = track
        self.sender = sender
        self.start = start
        self.medium = medium
    }

    /// The branches of video.
    var branches: [VideoBranch] {
        if case .video(let video) = medium { video.branches } else { [] }
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
    func begin(epoch: Int64, clock: SessionClock, events: SessionEvents) {
        guard case .video(let video) = medium else { return }
        let timeline = SessionTimeline()
        timeline.begin(at: epoch + start)
        let number = 1000 + Int(track.id)
        var threads = [
            HostThread(
                name: track.name, clock: clock, as: ClockOrder(part: .track, number: number)
            ) { [self] in
                video.run(on: timeline)
                let end = state.withLock { $0.end } ?? 0
                for branch in video.branches { branch.finish(at: end) }
            }
        ]
        for (index, branch) in video.branches.enumerated() {
            let order = ClockOrder(
                part: .output, number: 1000 * number + index, owner: branch.plugin)
            threads.append(
                HostThread(name: branch.name, clock: clock, as: order) {
                    branch.run(on: timeline) {
                        events.send(.outputFailed(output: branch.name, reason: $0))
                    }
                })
        }
        state.withLock { $0.threads = threads }
    }

    /// Ends the track at a time of the session; what was sent before is still delivered.
    func close(at nanoseconds: Int64) {
        let isNews = state.withLock { state in
            guard state.end == nil else { return false }
            state.end = max(nanoseconds - start, 0)
            return true
        }
        guard isNews, case .video(let video) = medium else { return }
        video.input.close()
    }

    /// Waits for the threads of video.
    ///
    /// - Returns: The branches that are still writing.
    func join(until deadline: Int64) -> [VideoBranch] {
        let threads = state.withLock { $0.threads }
        _ = threads.first?.join(until: deadline)
        return zip(branches, threads.dropFirst()).filter { !$0.1.join(until: deadline) }.map(\.0)
    }

    /// Whether the track was closed.
    var isClosed: Bool { state.withLock { $0.end != nil } }

    /// When it ended, in nanoseconds from the session's start; nil while it is open.
    var end: Int64? { state.withLock { state in state.end.map { $0 + start } } }

    /// Whether the threads of video have ended.
    var hasEnded: Bool {
        let threads = state.withLock { $0.threads }
        let now = MonotonicClock.now
        return threads.allSatisfy { $0.join(until: now) }
    }
}
