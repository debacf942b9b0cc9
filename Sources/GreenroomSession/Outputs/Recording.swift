public import GreenroomNegotiation
import GreenroomSystem
package import GreenroomVideo
import SystemPackage
import Glibc
import GreenroomConversion
import GreenroomFiles
import GreenroomMedia
package import GreenroomModel
import GreenroomSchema

/// `record`: a folder with video as Y4M, audio as WAV, and the report.
package struct Recording: Output, Equatable {
    /// The folder's absolute path.
    package var folder: String
    /// The want for video.
    package var video: VideoSinkWant
    /// Whether to replace existing files.
    package var overwrite: Bool

    /// Describes a recording.
    package init(folder: String, video: VideoSinkWant = VideoSinkWant(), overwrite: Bool = false) {
        self.folder = folder
        self.video = video
        self.overwrite = overwrite
    }

    package var makesFiles: Bool { true }

    package func want(of track: VideoTrackKind) -> VideoSinkWant? { video }

    package func open(in session: inout OutputBuilder) throws(OutputError) {
        let folder = try RecordingFolder(path: folder, overwrite: overwrite)
        session.add(ReportFile(path: try folder.file("session.json")))
        for (track, agreed) in session.videoTracks {
            let capability = VideoCapability(
                size: video.size ?? agreed.size, rate: video.rate ?? agreed.rate)
            let files = RecordedFiles(name: track.rawValue, folder: folder)
            let followsShape = track == .share && video.size == nil && video.fit == .letterbox
            if followsShape { try files.removeLater() }
            session.connect(
                try Y4MRecording(
                    path: files.path(1), format: Y4MFormat(capability, video),
                    later: followsShape ? files : nil, events: session.events),
                to: track, name: "recording of \(track.rawValue) in \(folder.path)", want: video,
                capability: capability)
        }
        for track in session.audioTracks {
            session.connect(
                try AudioRecording(
                    path: folder.file("\(track.rawValue).wav"), clock: session.clock,
                    events: session.events), to: track)
        }
    }

    package func open(
        _ track: ParticipantTrack, in outputs: inout ParticipantOutputs
    ) throws(OutputError) {
        let folder = try RecordingFolder(path: folder, overwrite: overwrite)
        guard let opened = outputs.capability else {
            outputs.connect(
                try AudioRecording(
                    path: folder.file("\(track.name).wav"), clock: outputs.clock,
                    events: outputs.events))
            return
        }
        let capability = VideoCapability(
            size: video.size ?? opened.size, rate: video.rate ?? opened.rate)
        outputs.connect(
            try Y4MRecording(
                path: folder.file("\(track.name).y4m"), format: Y4MFormat(capability, video),
                later: nil, events: outputs.events),
            name: "recording of \(track.name) in \(folder.path)", want: video,
            capability: capability)
    }

    package var summary: (name: String, text: String)? {
        ("record", "\(folder)\(video.differences)")
    }

    package var product: String? { "recorded in \(folder), with session.json" }

    package func conflicts(with earlier: [any Output], in tracks: TracksInFile) -> [String] {
        earlier.contains { ($0 as? Recording)?.folder == folder }
            ? ["an earlier output records to the same folder. Name another."] : []
    }
}

extension SessionOutput {
    /// Records each track as Y4M and WAV files, with a report, `session.json`, in a folder.
    ///
    /// - Parameters:
    ///   - folder: Made if it is not there; a relative path starts from the working directory.
    ///   - video: How it wants the video.
    ///   - overwrite: Whether a recording that is in the folder is replaced; else the session does
    ///     not start.
    public static func record(
        folder: String, video: VideoSinkWant = VideoSinkWant(), overwrite: Bool = false
    ) -> SessionOutput {
        SessionOutput(Recording(folder: folder, video: video, overwrite: overwrite))
    }
}

extension Recording {
    private struct Draft: WithVideoWant {
        var folder: String?
        var video = VideoSinkWant()
        var overwrite = false
    }

    static let form: OutputForm = {
        var form = OutputForm(
            key: "record",
            "Records each track as Y4M and WAV files, with a report, in a folder; or all tracks in "
                + "one file, .mkv, .webm or .mp4, by the plugin Recorder.",
            examples: [
                "recordings/demo", ["folder": "recordings/demo", "size": "1280x720"],
                "recordings/talk.mkv",
            ],
            reportKey: AudioRecording.reportKey, decoder: section)
        let folder = form.decoder
        form.decoder = Decoder(schema: folder.schema) { node, path, reading in
            guard case .text(let text) = node.scalar,
                let file = FileRecording(file: reading.absolute(text))
            else { return folder.read(node, path, &reading) }
            return file
        }
        return form
    }()

    private static let section = Decoder<Recording>.section(
        Draft(), name: "record", "A recording.",
        expectation: "a folder, the name of a file such as talk.mkv, or a section with the key "
            + "\"folder\"",
        shortKey: "folder",
        fields: [
            Field(
                "folder", \.folder, .recordingFolder,
                "The folder of the files, relative to this file's. Created if missing.",
                examples: ["recordings/demo"], isRequired: true)
        ] + Draft.videoFields + [
            Field(
                "overwrite", \.overwrite, .boolean,
                "Whether to replace a recording that is in the folder; else it is an "
                    + "error.",
                examples: [true], defaultValue: false)
        ]
    ) { draft, _ in
        draft.folder.map {
            Recording(folder: $0, video: draft.video, overwrite: draft.overwrite)
        }
    }
}

extension Decoder<String> {
    /// The path of a folder, made absolute. The name of a media file is refused.
    fileprivate static let recordingFolder: Decoder = {
        let folder = Decoder<String>.path("the path of a folder")
        return Decoder(schema: folder.schema) { node, path, reading in
            guard let absolute = folder.read(node, path, &reading) else { return nil }
            guard let problem = FileRecording.problem(ofFolder: absolute) else { return absolute }
            reading.complain(problem, about: node, path)
            return nil
        }
    }()
}

/// The files of a track whose size may change: `share.y4m`, `share-2.y4m` and so on.
struct RecordedFiles: Sendable {
    /// The first one's name, without its ending.
    var name: String
    fileprivate var folder: RecordingFolder

    /// The path of a file that may be written, counted from 1.
    ///
    /// - Parameter replaces: Whether it may exist.
    func path(_ number: Int, replaces: Bool = false) throws(OutputError) -> String {
        replaces ? "\(folder.path)/\(file(number))" : try folder.file(file(number))
    }

    private func file(_ number: Int) -> String {
        number == 1 ? "\(name).y4m" : "\(name)-\(number).y4m"
    }

    /// Removes the later files of a recording that is overwritten, or refuses to.
    fileprivate func removeLater() throws(OutputError) {
        for number in 2...(ShapeFollower.mostChanges + 1)
        where access("\(folder.path)/\(file(number))", F_OK) == 0 {
            unlink(try path(number))
        }
    }
}

/// A folder for recordings.
private struct RecordingFolder: Sendable {
    let path: String
    private let overwrite: Bool

    /// Creates the folder and its parents.
    init(path: String, overwrite: Bool) throws(OutputError) {
        self.path = path
        self.overwrite = overwrite
        var made = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            made += "\(part)/"
            guard mkdir(made, 0o777) != 0, errno != EEXIST else { continue }
            throw OutputError(
                place: made,
                explanation: "can't create this folder to record to: \(Errno.last). Record to a "
                    + "folder below a writable one.")
        }
        guard access(made, W_OK | X_OK) == 0 else {
            throw OutputError(
                place: made,
                explanation: "can't record to this: \(Errno.last). Record to a writable folder.")
        }
    }

    /// The path of a new file in the folder.
    func file(_ name: String) throws(OutputError) -> String {
        let file = "\(path)/\(name)"
        guard overwrite || access(file, F_OK) != 0 else {
            throw OutputError(
                place: file,
                explanation: "already exists. Record to another folder, remove the file, or write "
                    + "overwrite: true.")
        }
        return file
    }
}
