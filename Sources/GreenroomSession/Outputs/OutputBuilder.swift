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

/// What an output sees of a session that is about to start: the tracks, and where to connect its
/// sinks to them.
package struct OutputBuilder {
    private(set) var audioSinks: [any AudioSink] = []
    private(set) var mixSinks: [any AudioSink] = []
    private(set) var reports: [ReportFile] = []
    private var branches: [(track: VideoTrackKind, want: VideoSinkWant, branch: VideoBranch)] = []
    private var trackSinks: [(track: VideoTrackKind, sink: any AudioSink)] = []
    private var taps: [(track: VideoTrackKind, tap: any VideoTap)] = []
    /// The tracks that have a picture, with what each carries at first, in the session's order.
    let videoTracks: [(track: VideoTrackKind, capability: VideoCapability)]
    /// The tracks that have sound.
    let audioTracks: [VideoTrackKind]
    let clock: SessionClock
    /// Get what outputs have to say while they run.
    let events: SessionEvents
    private let duration: Int64?

    /// A live picture is sent again when it is silent for 300 ms: at least so often.
    static let slowestLive = FrameRate(4)

    /// - Parameters:
    ///   - plugins: The sources, which have agreed.
    ///   - duration: The session's, in nanoseconds, if it is known.
    init(
        plugins: SessionPlugins, duration: Int64?, clock: SessionClock, events: SessionEvents
    ) {
        videoTracks = plugins.slots.sources.compactMap { source in
            source.picture.flatMap { track in
                plugins.negotiations.capability(of: source).map { (track, $0) }
            }
        }
        audioTracks = plugins.slots.sources.compactMap { source in
            source.address.role.medium == .audio ? source.address.role.track : nil
        }
        self.duration = duration
        self.clock = clock
        self.events = events
    }

    // MARK: What outputs call

    /// What a track carries at first; nil if it has no picture.
    func capability(of track: VideoTrackKind) -> VideoCapability? {
        videoTracks.first { $0.track == track }?.capability
    }

    /// Connects a sink to a track's picture, by a branch with a queue and a thread of its own.
    ///
    /// - Parameters:
    ///   - name: What messages and the report call the sink.
    ///   - want: What was wanted of the track.
    ///   - capability: What the sink gets, in I420 of the colour that the want has at that size.
    mutating func connect(
        _ sink: any VideoSink, to track: VideoTrackKind, name: String, want: VideoSinkWant,
        capability: VideoCapability
    ) {
        let color = want.color(at: capability.size)
        let branch = VideoBranch(
            name: name, capability: capability,
            want: VideoWant(
                format: .i420, size: capability.size, range: color.range, matrix: color.matrix,
                fit: want.fit),
            endSlot: duration.map { capability.rate.frameCount(inNanoseconds: $0) }, sink: sink,
            clock: clock)
        branches.append((track, want, branch))
    }

    /// Connects a sink to a track's sound.
    mutating func connect(_ sink: any AudioSink, to track: VideoTrackKind) {
        audioSinks.append(sink)
        trackSinks.append((track, sink))
    }

    /// Connects a sink to the sum of all sounds.
    mutating func connectToMix(_ sink: any AudioSink) {
        audioSinks.append(sink)
        mixSinks.append(sink)
    }

    /// Shows a track's frames to a tap as they are, without a conversion.
    mutating func connect(tap: any VideoTap, to track: VideoTrackKind) {
        taps.append((track, tap))
    }

    /// Has the session's report written to a file, at the start, each second, and at the end.
    mutating func add(_ report: ReportFile) { reports.append(report) }

    // MARK: What the session takes

    /// Branches of a track; those that want the same share a group.
    func groups(of track: VideoTrackKind) -> [VideoTrack.Group] {
        var groups: [VideoTrack.Group] = []
        for entry in branches where entry.track == track {
            if let index = groups.firstIndex(where: { $0.want == entry.branch.want }) {
                groups[index].branches.append(entry.branch)
            } else {
                groups.append(VideoTrack.Group(want: entry.branch.want, branches: [entry.branch]))
            }
        }
        return groups
    }

    /// What each branch of a track wants.
    func wants(of track: VideoTrackKind) -> [(branch: VideoBranch, want: VideoSinkWant)] {
        branches.filter { $0.track == track }.map { ($0.branch, $0.want) }
    }

    func taps(of track: VideoTrackKind) -> [any VideoTap] {
        taps.filter { $0.track == track }.map(\.tap)
    }

    /// The sinks of a track's own sound.
    func audioSinks(of track: VideoTrackKind) -> [any AudioSink] {
        trackSinks.filter { $0.track == track }.map(\.sink)
    }
}
