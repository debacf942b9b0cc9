package import GreenroomModel
package import GreenroomAudio
package import GreenroomLifecycle
package import GreenroomNegotiation
package import GreenroomMedia
package import GreenroomRuntime
package import GreenroomVideo

/// An output's view of a session that is about to start: the tracks, and functions to connect
/// sinks.
package struct OutputBuilder {
    /// All audio sinks.
    package private(set) var audioSinks: [any AudioSink] = []
    /// The sinks of the mixes.
    package private(set) var mixSinks: [(mix: AudioMixer.Mix, sink: any AudioSink)] = []
    /// The files of the report.
    package private(set) var reports: [ReportFile] = []
    /// The connections of outputs that are plugins.
    package private(set) var connections: [OutputConnection] = []
    private var branches: [VideoTrackKind: VideoBranches] = [:]
    private var trackSinks: [(track: VideoTrackKind, sink: any AudioSink)] = []
    private var taps: [(track: VideoTrackKind, tap: any VideoTap)] = []
    /// The tracks with video and their first capability, in the session's order.
    let videoTracks: [(track: VideoTrackKind, capability: VideoCapability)]
    /// The tracks with audio.
    let audioTracks: [VideoTrackKind]
    /// The session's roles, in the session's order.
    private let roles: [SessionRole]
    /// Whether a call may bring participants.
    package let hasCall: Bool
    let clock: SessionClock
    /// Receives the outputs' events while they run.
    let events: SessionEvents
    private let duration: Int64?

    /// The minimum rate of live video. The host repeats a live frame after 300 ms of silence.
    static let slowestLive = FrameRate(4)

    /// - Parameters:
    ///   - videoTracks: The tracks with video and their first capability, in the session's order.
    ///   - audioTracks: The tracks with audio.
    ///   - roles: The session's roles, in the session's order.
    ///   - hasCall: Whether a call may bring participants.
    ///   - duration: The session's duration, in nanoseconds; nil if unknown.
    package init(
        videoTracks: [(track: VideoTrackKind, capability: VideoCapability)],
        audioTracks: [VideoTrackKind], roles: [SessionRole], hasCall: Bool, duration: Int64?,
        clock: SessionClock, events: SessionEvents
    ) {
        self.roles = roles
        self.videoTracks = videoTracks
        self.audioTracks = audioTracks
        self.hasCall = hasCall
        self.duration = duration
        self.clock = clock
        self.events = events
    }

    // MARK: For outputs

    /// The first capability of a track; nil if the track has no video.
    func capability(of track: VideoTrackKind) -> VideoCapability? {
        videoTracks.first { $0.track == track }?.capability
    }

    /// Connects a sink to a track's video, through a branch with its own queue and thread.
    ///
    /// - Parameters:
    ///   - name: The sink's name in messages and in the report.
    ///   - want: The want for the track.
    ///   - format: The sink's pixel format, with the want's colour at its size.
    ///   - capability: The sink's size and rate.
    mutating func connect(
        _ sink: any VideoSink, to track: VideoTrackKind, name: String, want: VideoSinkWant,
        format: PixelFormat = .i420, capability: VideoCapability
    ) {
        branches[track, default: VideoBranches()].connect(
            sink, name: name, want: want, format: format, capability: capability,
            endSlot: duration.map { capability.rate.frameCount(inNanoseconds: $0) },
            isShare: track.part == .share, clock: clock)
    }

    /// Connects an output plugin to all tracks that the host announces to it, including unwanted
    /// tracks.
    package mutating func connect(_ feed: OutputFeed, _ instance: PluginInstance) {
        let connection = OutputConnection(feed, instance, clock: clock)
        connections.append(connection)
        for track in SessionTrack.all(of: roles)
        where feed.takes(track) && has(track) {
            if track.medium == .video, let kind = track.role?.track {
                branches[kind, default: VideoBranches()].add(
                    connection.branch(
                        of: track.id, name: track.name, duration: duration, clock: clock))
                continue
            }
            let sink = connection.sink(of: track.id)
            if let kind = track.role?.track {
                connect(sink, to: kind)
            } else {
                let mix: AudioMixer.Mix =
                    switch track {
                    case .incoming: .incoming
                    case .fullMix: .all
                    case .split: .split
                    default: .own
                    }
                connect(sink, to: mix)
            }
        }
        // The connection already follows the wants reported so far.
        _ = feed.control.takeNews()
    }

    /// Whether the session has a track: its own track or a mix.
    private func has(_ track: SessionTrack) -> Bool {
        guard let role = track.role else { return track.needsCall ? hasCall : !audioTracks.isEmpty }
        return track.medium == .video
            ? capability(of: role.track) != nil : audioTracks.contains(role.track)
    }

    /// Connects a sink to a track's audio.
    mutating func connect(_ sink: any AudioSink, to track: VideoTrackKind) {
        audioSinks.append(sink)
        trackSinks.append((track, sink))
    }

    /// Connects a sink to a mix.
    mutating func connect(_ sink: any AudioSink, to mix: AudioMixer.Mix) {
        audioSinks.append(sink)
        mixSinks.append((mix, sink))
    }

    /// Passes a track's frames to a tap without conversion.
    mutating func connect(tap: any VideoTap, to track: VideoTrackKind) {
        taps.append((track, tap))
    }

    /// Writes the session's report to a file, at the start, each second, and at the end.
    mutating func add(_ report: ReportFile) { reports.append(report) }

    // MARK: For the session

    /// The groups of a track's branches. Branches with equal wants share a group.
    package func groups(of track: VideoTrackKind) -> [VideoTrack.Group] {
        branches[track]?.groups ?? []
    }

    /// The branches of a track that receive nothing yet.
    package func idleBranches(of track: VideoTrackKind) -> [VideoBranch] {
        branches[track]?.idle ?? []
    }

    /// The want of each branch of a track, except branches of plugins.
    package func wants(of track: VideoTrackKind) -> [(branch: VideoBranch, want: VideoSinkWant)] {
        branches[track]?.wants ?? []
    }

    /// The taps of a track.
    package func taps(of track: VideoTrackKind) -> [any VideoTap] {
        taps.filter { $0.track == track }.map(\.tap)
    }

    /// The sinks of a track's own audio.
    package func audioSinks(of track: VideoTrackKind) -> [any AudioSink] {
        trackSinks.filter { $0.track == track }.map(\.sink)
    }
}
