package import GreenroomLifecycle
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
package struct Recording: HostOutput, Equatable {
    /// The folder's absolute path.
    package var folder: String
    /// The want for video.
    package var video: VideoSinkWant
    /// Whether to replace existing files.
    package var overwrite: Bool
    /// The names of the participants who are not recorded.
    package var except: [String] = []

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
        // Lock the folder before removing files of another session.
        let lock = try FolderLock(folder.path)
        let report = ReportFile(
            path: try folder.file("session.json"), lock: lock,
            captions: try CaptionFile(in: folder, events: session.events))
        // Check all files first: if one cannot be created, no earlier file is replaced.
        _ = try folder.file("session.json.part", isLeftOver: true)
        for (track, _) in session.videoTracks { _ = try folder.file("\(track.rawValue).y4m") }
        for track in session.audioTracks { _ = try folder.file("\(track.rawValue).wav") }
        session.add(report)
        var written = [report.path]
        for (track, agreed) in session.videoTracks {
            let capability = VideoCapability(
                size: video.size ?? agreed.size, rate: video.rate ?? agreed.rate)
            let files = RecordedFiles(name: track.rawValue, folder: folder)
            let followsShape = track.part == .share && video.size == nil && video.fit == .letterbox
            if followsShape { try files.removeLater() }
            let path = try files.path(1)
            written.append(path)
            session.connect(
                try Y4MRecording(
                    path: path, format: Y4MFormat(capability, video), replaces: overwrite,
                    later: followsShape ? files : nil, events: session.events),
                to: track, name: "\(Self.prefix)\(track.rawValue) in \(folder.path)",
                want: video, capability: capability)
        }
        for track in session.audioTracks {
            let path = try folder.file("\(track.rawValue).wav")
            written.append(path)
            session.connect(
                try AudioRecording(
                    path: path, replaces: overwrite, clock: session.clock, events: session.events),
                to: track)
        }
        folder.removeEarlier(except: written)
    }

    /// The prefix of the names of the recording's video outputs.
    private static let prefix = "recording of "

    /// The file of a video output, such as `camera.y4m`; nil if the output is of another kind.
    static func file(ofOutput name: String) -> String? {
        guard name.hasPrefix(prefix) else { return nil }
        return name.dropFirst(prefix.count).split(separator: " ").first.map { "\($0).y4m" }
    }

    package func open(
        _ track: ParticipantTrack, in outputs: inout ParticipantOutputs
    ) throws(OutputError) {
        let folder = try RecordingFolder(path: folder, overwrite: overwrite)
        guard let opened = outputs.capability else {
            outputs.connect(
                try AudioRecording(
                    path: folder.file("\(track.name).wav"), replaces: overwrite,
                    clock: outputs.clock, events: outputs.events))
            return
        }
        let capability = VideoCapability(
            size: video.size ?? opened.size, rate: video.rate ?? opened.rate)
        outputs.connect(
            try Y4MRecording(
                path: folder.file("\(track.name).y4m"), format: Y4MFormat(capability, video),
                replaces: overwrite, later: nil, events: outputs.events),
            name: "\(Self.prefix)\(track.name) in \(folder.path)", want: video,
            capability: capability)
    }

    package var summary: (name: String, text: String)? {
        ("record", "\(folder)\(video.differences)")
    }

    package func obstacle(for tracks: TracksInFile) -> String? {
        if let obstacle = RecordingFolder.obstacle(to: folder) { return obstacle }
        if let obstacle = FolderLock.obstacle(to: folder) { return obstacle }
        let files =
            ["session.json", CaptionFile.name] + tracks.video.map { "\($0.rawValue).y4m" }.sorted()
            + tracks.audio.map { "\($0.rawValue).wav" }.sorted()
        for name in files {
            guard
                let problem = FileDescriptor.outputProblem(
                    "\(folder)/\(name)", replaces: overwrite)
            else { continue }
            return "\(name) \(problem.rule). Record to another folder, remove the file"
                + (problem.code == .exists ? ", or write overwrite: true." : ".")
        }
        return nil
    }

    package var concern: String? { RecordingFolder.concern(about: folder) }

    package func diskUse(of tracks: DiskUse.Tracks) -> DiskUse? {
        let video = tracks.video.values.map { agreed in
            let (size, rate) = (self.video.size ?? agreed.size, self.video.rate ?? agreed.rate)
            return Double(PixelFormat.i420.packedByteCount(of: size)) * rate.framesPerSecond
        }
        let audio = AudioFormat.session.sampleRate * AudioFormat.session.channels * 2
        return DiskUse(
            folder: folder, bytesPerSecond: video.reduce(Double(tracks.audio * audio), +))
    }

    package var product: String? { "recorded in \(folder)" }

    package func conflicts(with earlier: ArraySlice<any HostOutput>, in tracks: TracksInFile)
        -> [String]
    {
        earlier.contains { ($0 as? Recording)?.folder == folder }
            ? ["an earlier output records to the same folder. Name another."] : []
    }
}

extension SessionOutput {
    /// Records each track as Y4M and WAV files, with a report, `session.json`, in a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder. If it does not exist, it is created for only this user. A relative
    ///     path starts from the working directory.
    ///   - video: The want for the video.
    ///   - overwrite: Whether to replace an earlier recording in the folder. If false and there is
    ///     one, the session does not start.
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
        var except: [String] = []
    }

    static let form: OutputForm = {
        var form = OutputForm(
            key: "record",
            "Records each track as Y4M and WAV files, with a report, in a folder; or all tracks in "
                + "one file, .mkv, .webm or .mp4, by the plugin Recorder.",
            examples: [
                "recordings/demo", ["folder": "recordings/demo", "size": "1280x720"],
                "recordings/talk.mkv",
                ["file": "recordings/call.mkv", "tracks": ["stage", "full-mix"]],
            ],
            reportKey: AudioRecording.reportKey, decoder: section)
        let folder = form.decoder
        let schema = Schema(
            kind: .anyOf([folder.schema, FileRecording.section.schema]),
            expectation: folder.schema.expectation)
        form.decoder = Decoder(schema: schema) { node, path, reading in
            if node.value(of: "file") != nil {
                return FileRecording.section.read(node, path, &reading)
            }
            guard case .text(let text) = node.scalar, urlScheme(of: text) == nil,
                let file = FileRecording(file: reading.absolute(text))
            else { return folder.read(node, path, &reading) }
            return file
        }
        return form
    }()

    private static let section = Decoder<Recording>.section(
        Draft(), name: "record", "Records the session in a folder.",
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
                "Whether to replace a recording that is in the folder; otherwise, such a recording "
                    + "is an error. The host removes files that the earlier report lists.",
                examples: [true], defaultValue: false),
            Field(
                "except", \.except, .participantNames,
                "Names of participants who are not recorded. The stage leaves them out, too.",
                examples: [["Ana"]]),
        ]
    ) { draft, _ in
        guard let folder = draft.folder else { return nil }
        var recording = Recording(
            folder: folder, video: draft.video, overwrite: draft.overwrite)
        recording.except = draft.except
        return recording
    }
}

extension Decoder<String> {
    /// Decodes the path of a folder, and makes it absolute. Refuses the name of a media file.
    fileprivate static let recordingFolder: Decoder = {
        let folder = Decoder<String>.path("the path of a folder") { scheme in
            switch scheme {
            case "rtmp", "rtmps", "rtsp", "rtsps", "srt":
                "The output Stream sends to \(scheme) addresses."
            case "http", "https":
                "The call WebRoom publishes there by WHIP: call: { plugin: WebRoom, settings: { "
                    + "publish: URL } }."
            case "file": "Write the path without \(scheme)://."
            default: "A recording is a folder or a file on this machine."
            }
        }
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
    /// The name of the first file, without its extension.
    var name: String
    fileprivate var folder: RecordingFolder
    /// Whether the files may already exist.
    var overwrites: Bool { folder.overwrite }

    /// The path of a file to write, by its number from 1.
    ///
    /// - Parameter replaces: Whether the file may exist.
    func path(_ number: Int, replaces: Bool = false) throws(OutputError) -> String {
        replaces ? "\(folder.path)/\(file(number))" : try folder.file(file(number))
    }

    private func file(_ number: Int) -> String {
        number == 1 ? "\(name).y4m" : "\(name)-\(number).y4m"
    }

    /// Removes the later files of an overwritten recording, or throws an error.
    fileprivate func removeLater() throws(OutputError) {
        for number in 2...(ShapeFollower.mostChanges + 1) { unlink(try path(number)) }
    }
}
