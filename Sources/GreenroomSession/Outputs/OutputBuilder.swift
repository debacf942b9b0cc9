import Glibc
import GreenroomAudio
import GreenroomConversion
import GreenroomFiles
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime
import GreenroomVideo

/// The outputs of a plan, opened for the sources that there are.
struct OutputBuilder {
    private(set) var loudspeakers: [Loudspeaker] = []
    private(set) var recordings: [AudioRecording] = []
    private(set) var reports: [ReportFile] = []
    private var branches: [(kind: VideoTrackKind, wish: VideoSinkWant, branch: VideoBranch)] = []
    private var sinks: [(kind: VideoTrackKind, sink: any AudioSink)] = []
    private var monitors: [(kind: VideoTrackKind, monitor: PreviewTap)] = []
    private let duration: Int64?
    private let clock: SessionClock
    private let events: SessionEvents

    /// A live picture is sent again when it is silent for 300 ms: at least so often.
    private static let slowestLive = FrameRate(4)

    /// - Parameters:
    ///   - duration: The session's, in nanoseconds, if it is known.
    ///   - clock: The session's.
    ///   - events: Get what outputs have to say while they run.
    init(duration: Int64?, clock: SessionClock, events: SessionEvents) {
        self.duration = duration
        self.clock = clock
        self.events = events
    }

    /// Branches of a track; those that want the same share a group.
    func groups(of kind: VideoTrackKind) -> [VideoTrack.Group] {
        var groups: [VideoTrack.Group] = []
        for entry in branches where entry.kind == kind {
            if let index = groups.firstIndex(where: { $0.want == entry.branch.want }) {
                groups[index].branches.append(entry.branch)
            } else {
                groups.append(VideoTrack.Group(want: entry.branch.want, branches: [entry.branch]))
            }
        }
        return groups
    }

    /// What each output of a track wants.
    func wishes(of kind: VideoTrackKind) -> [(branch: VideoBranch, want: VideoSinkWant)] {
        branches.filter { $0.kind == kind }.map { ($0.branch, $0.wish) }
    }

    /// Those who look at a track.
    func monitors(of kind: VideoTrackKind) -> [PreviewTap] {
        monitors.filter { $0.kind == kind }.map(\.monitor)
    }

    /// The outputs of a track's own sound.
    func soundSinks(of kind: VideoTrackKind) -> [any AudioSink] {
        sinks.filter { $0.kind == kind }.map(\.sink)
    }

    /// Opens an output, as far as the plugins has sources for it.
    mutating func open(_ plan: OutputPlan, for plugins: SessionPlugins) throws(OutputError) {
        switch plan {
        case .record(let folder, let picture, let overwrite):
            let folder = try RecordingFolder(path: folder, overwrite: overwrite)
            reports.append(ReportFile(path: try folder.file("session.json")))
            for source in plugins.slots.sources {
                guard let kind = source.picture,
                    let agreed = plugins.negotiations.capability(of: source)
                else { continue }
                try addPicture(
                    kind, picture, agreed, name: "recording of \(kind.rawValue) in \(folder.path)"
                ) {
                    capability throws(OutputError) in
                    try Y4MRecording(
                        path: folder.file("\(kind.rawValue).y4m"), capability: capability)
                }
            }
            for source in plugins.slots.sources where source.address.role.medium == .audio {
                let kind = source.address.role.track
                let recording = try AudioRecording(
                    path: folder.file("\(kind.rawValue).wav"), clock: clock, events: events)
                recordings.append(recording)
                sinks.append((kind, recording))
            }
        case .loudspeaker(let device) where clock.isVirtual:
            events.send(
                .note(
                    role: "loudspeaker \(device)",
                    text: "left out: a device plays in real time, and the session's clock does not")
            )
        case .loudspeaker(let device):
            loudspeakers.append(try Loudspeaker(device: device, events: events))
        case .y4mStandardOutput(let kind, let picture):
            guard let agreed = plugins.capability(of: kind) else {
                throw OutputError(
                    place: "y4m: -", explanation: "the session has no \(kind.rawValue) to write.")
            }
            // A source that is slower than that, like a share, leaves gaps that would freeze it.
            let rate = picture.rate ?? max(agreed.rate, Self.slowestLive)
            try addPicture(kind, picture, agreed, rate: rate, name: "y4m on standard output") {
                capability throws(OutputError) in
                try Y4MRecording(standardOutput: capability)
            }
        case .y4mStream(let stream, let kind):
            guard let agreed = plugins.capability(of: kind) else {
                throw OutputError(
                    place: stream.name,
                    explanation: "the session has no \(kind.rawValue) to write.")
            }
            let lasting = try stream.begin(
                VideoCapability(size: agreed.size, rate: max(agreed.rate, Self.slowestLive)))
            try addPicture(kind, VideoSinkWant(), lasting, name: stream.name) { _ in stream }
        case .monitor(let monitor, let kind):
            monitors.append((kind, monitor))
            let sound = SessionRole(.audio, of: kind)
            if sound.flatMap({ plugins.slots[$0] }) != nil { sinks.append((kind, monitor)) }
        }
    }

    private mutating func addPicture(
        _ kind: VideoTrackKind, _ picture: VideoSinkWant, _ agreed: VideoCapability,
        rate: FrameRate? = nil, name: String,
        _ make: (VideoCapability) throws(OutputError) -> any VideoSink
    ) throws(OutputError) {
        let capability = VideoCapability(
            size: picture.size ?? agreed.size, rate: rate ?? picture.rate ?? agreed.rate)
        // Y4M readers take limited range for granted.
        let want = VideoWant(
            format: .i420, size: capability.size, range: .limited, fit: picture.fit)
        let sink = try make(capability)
        let endSlot = duration.map { capability.rate.frameCount(inNanoseconds: $0) }
        let branch = VideoBranch(
            name: name, capability: capability, want: want, endSlot: endSlot, sink: sink,
            clock: clock)
        branches.append((kind, picture, branch))
    }
}

/// A folder that recordings are written to.
struct RecordingFolder {
    let path: String
    private let overwrite: Bool

    /// Makes the folder, and those above it.
    init(path: String, overwrite: Bool) throws(OutputError) {
        self.path = path
        self.overwrite = overwrite
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += "\(part)/"
            guard mkdir(made, 0o777) != 0, errno != EEXIST else { continue }
            throw OutputError(
                place: made, explanation: "can't be made: \(String(cString: strerror(errno))).")
        }
        guard access(made, W_OK | X_OK) == 0 else {
            throw OutputError(
                place: made,
                explanation: "can't be written to: \(String(cString: strerror(errno))).")
        }
    }

    /// The path of a file in the folder that may be written.
    func file(_ name: String) throws(OutputError) -> String {
        let file = "\(path)/\(name)"
        guard overwrite || access(file, F_OK) != 0 else {
            throw OutputError(
                place: file,
                explanation: "exists already. Record to another folder, remove it, or say "
                    + "`overwrite: true`.")
        }
        return file
    }
}
