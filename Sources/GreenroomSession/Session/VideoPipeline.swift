import GreenroomModel
import GreenroomConversion
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomVideo

/// A video track in a running session, with the threads of the track and its branches.
final class VideoPipeline: Sendable {
    private struct Threads {
        var track: HostThread?
        /// The threads of branches that receive frames, or have taken frames.
        var branches: [(branch: VideoBranch, thread: HostThread)] = []
    }

    let track: VideoTrack
    private let wishes: [(branch: VideoBranch, want: VideoSinkWant)]
    private let name: String
    private let number: Int
    private let firstBranch: Int
    private let timeline: SessionTimeline
    private let clock: SessionClock
    private let events: SessionEvents
    private let threads = Monitor(Threads())

    /// - Parameters:
    ///   - wishes: The demand of each of the host's own outputs.
    ///   - name: The name of the track's thread.
    ///   - number: The number of the track in the session.
    ///   - firstBranch: The number in the session of the track's first branch.
    ///   - timeline: The timeline of the track.
    init(
        _ track: VideoTrack, wishes: [(branch: VideoBranch, want: VideoSinkWant)], name: String,
        number: Int, firstBranch: Int, timeline: SessionTimeline, clock: SessionClock,
        events: SessionEvents
    ) {
        self.track = track
        self.wishes = wishes
        self.name = name
        self.number = number
        self.firstBranch = firstBranch
        self.timeline = timeline
        self.clock = clock
        self.events = events
    }

    /// The demands of the host's own outputs, except failed outputs.
    var wants: [VideoSinkWant] { wishes.filter { $0.branch.failure == nil }.map(\.want) }

    /// Starts the threads of the track, and of the branches that receive frames. The timeline has
    /// begun.
    ///
    /// - Parameter ended: Called after the track has ended. [the track's thread]
    func begin(_ ended: @escaping @Sendable () -> Void = {}) {
        let (track, timeline) = (track, timeline)
        let thread = HostThread(
            name: name, clock: clock, as: ClockOrder(part: .track, number: number),
            ended: events.wake
        ) {
            track.run(on: timeline)
            ended()
        }
        threads.change { $0.track = thread }
        for branch in track.branches where branch.form != nil { start(branch) }
    }

    /// Starts the thread of a branch, unless the thread already runs.
    private func start(_ branch: VideoBranch) {
        guard let index = track.branches.firstIndex(where: { $0 === branch }),
            !threads.withLock({ $0.branches.contains { $0.branch === branch } })
        else { return }
        let order = ClockOrder(part: .output, number: firstBranch + index, owner: branch.plugin)
        let (timeline, events) = (timeline, events)
        let thread = HostThread(name: branch.name, clock: clock, as: order, ended: events.wake) {
            branch.run(on: timeline, changed: { events.wake() }) {
                events.sendFailed(branch, because: $0)
            }
        }
        threads.change { $0.branches.append((branch, thread)) }
    }

    /// Changes the form of an output's frames.
    func change(_ change: VideoTrackInput.BranchChange) {
        track.change([change])
        if change.form != nil { start(change.branch) }
    }

    /// Waits for the track's thread.
    func joinTrack(until deadline: Int64) {
        threads.withLock { $0.track }?.join(until: deadline, on: clock.host)
    }

    /// Waits for the threads of the branches, except of abandoned branches, and reports threads that
    /// do not end in time.
    func joinBranches(until deadline: Int64) {
        for (branch, thread) in threads.withLock({ $0.branches })
        where !branch.isAbandoned && !thread.join(until: deadline, on: clock.host) {
            events.sendFailed(branch, because: "not finished: write timed out")
        }
    }

    /// Whether all threads have ended.
    var hasEnded: Bool {
        let threads = threads.withLock { $0.branches.map(\.thread) + [$0.track].compactMap(\.self) }
        let now = clock.host.now
        return threads.allSatisfy { $0.join(until: now, on: clock.host) }
    }
}

extension SessionEvents {
    /// Reports that a branch failed. [any]
    func sendFailed(_ branch: VideoBranch, because reason: String) {
        sendFailed(output: branch.name, reason: reason, isRecording: branch.isRecording)
    }
}
