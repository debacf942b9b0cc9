import Glibc
import GreenroomAudio
import GreenroomConversion
import GreenroomFiles
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime
import GreenroomSystem
import GreenroomVideo
import SystemPackage

/// What an output sees of a session that is about to start: the tracks, and functions to connect
/// sinks.
package struct OutputBuilder {
    private(set) var audioSinks: [any AudioSink] = []
    private(set) var mixSinks: [any AudioSink] = []
    private(set) var reports: [ReportFile] = []
    private(set) var connections: [OutputConnection] = []
    /// With the want of a host's own output; plugins say themselves what they want.
    private var branches: [(track: VideoTrackKind, branch: VideoBranch, want: VideoSinkWant?)] = []
    private var trackSinks: [(track: VideoTrackKind, sink: any AudioSink)] = []
    private var taps: [(track: VideoTrackKind, tap: any VideoTap)] = []
    /// The tracks with video and their first capability, in the session's order.
    let videoTracks: [(track: VideoTrackKind, capability: VideoCapability)]
    /// The tracks with audio.
    let audioTracks: [VideoTrackKind]
    let clock: SessionClock
    /// Receives the outputs' events while they run.
    let events: SessionEvents
    private let duration: Int64?

    /// The minimum rate of live video: a live frame is repeated after 300 ms of silence.
    static let slowestLive = FrameRate(4)

    /// - plugins: The sources, after their agreements.
    /// - duration: The session's, in nanoseconds; nil if unknown.
    init(
        plugins: SessionPlugins, duration: Int64?, clock: SessionClock, events: SessionEvents
    ) {
        videoTracks = plugins.slots.sources.compactMap { source in
            source.picture.flatMap { track in
                plugins.negotiations.capability(of: source).map { (track, $0) }
            }
        }
        audioTracks = plugins.slots.sources.compactMap { source in
            source.role?.medium == .audio ? source.role?.track : nil
        }
        self.duration = duration
        self.clock = clock
        self.events = events
    }

    // MARK: For outputs

    /// The first capability of a track; nil without video.
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
        let color = want.color(at: capability.size)
        let sizing: OutputSizing =
            if want.size != nil || want.fit != .letterbox {
                .asAsked
            } else {
                track == .share && sink.takesOtherSizes ? .follows : .keepsFirst
            }
        let form = BranchForm(
            capability: capability,
            want: VideoWant(
                format: format, size: capability.size, range: color.range, matrix: color.matrix,
                fit: want.fit),
            sizing: sizing, endSlot: duration.map { capability.rate.frameCount(inNanoseconds: $0) },
            sink: sink)
        let branch = VideoBranch(name: name, plugin: sink.plugin, form: form, clock: clock)
        branches.append((track, branch, want))
    }

    /// Connects an output plugin to the tracks that it is told of, whether it wants them or not.
    mutating func connect(_ feed: OutputFeed, _ instance: PluginInstance) {
        let connection = OutputConnection(feed, instance, to: self, duration: duration)
        connections.append(connection)
        branches += connection.branches.map { ($0.track, $0.branch, nil) }
        for (kind, sink) in connection.sinks {
            if let kind { connect(sink, to: kind) } else { connectToMix(sink) }
        }
    }

    /// Connects a sink to a track's audio.
    mutating func connect(_ sink: any AudioSink, to track: VideoTrackKind) {
        audioSinks.append(sink)
        trackSinks.append((track, sink))
    }

    /// Connects a sink to the mix of all audio.
    mutating func connectToMix(_ sink: any AudioSink) {
        audioSinks.append(sink)
        mixSinks.append(sink)
    }

    /// Passes a track's frames to a tap without conversion.
    mutating func connect(tap: any VideoTap, to track: VideoTrackKind) {
        taps.append((track, tap))
    }

    /// Writes the session's report to a file, at the start, each second, and at the end.
    mutating func add(_ report: ReportFile) { reports.append(report) }

    // MARK: For the session

    /// The branches of a track; equal wants share a group.
    func groups(of track: VideoTrackKind) -> [VideoTrack.Group] {
        var groups: [VideoTrack.Group] = []
        for entry in branches where entry.track == track {
            guard let form = entry.branch.form else { continue }
            if let index = groups.firstIndex(where: {
                $0.want == form.want && $0.sizing == form.sizing
            }) {
                groups[index].branches.append(entry.branch)
            } else {
                groups.append(
                    VideoTrack.Group(
                        want: form.want, branches: [entry.branch], sizing: form.sizing))
            }
        }
        return groups
    }

    /// The branches of a track that take nothing yet.
    func idleBranches(of track: VideoTrackKind) -> [VideoBranch] {
        branches.filter { $0.track == track && $0.branch.form == nil }.map(\.branch)
    }

    /// The want of each branch of a track that is no plugin's.
    func wants(of track: VideoTrackKind) -> [(branch: VideoBranch, want: VideoSinkWant)] {
        branches.filter { $0.track == track }.compactMap { entry in
            entry.want.map { (entry.branch, $0) }
        }
    }

    func taps(of track: VideoTrackKind) -> [any VideoTap] {
        taps.filter { $0.track == track }.map(\.tap)
    }

    /// The sinks of a track's own audio.
    func audioSinks(of track: VideoTrackKind) -> [any AudioSink] {
        trackSinks.filter { $0.track == track }.map(\.sink)
    }
}
