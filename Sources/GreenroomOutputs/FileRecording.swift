import Glibc
package import GreenroomLifecycle
import GreenroomMedia
import GreenroomSchema
package import GreenroomModel
import GreenroomSystem
package import GreenroomVideo
import SystemPackage

/// `record` with the name of a file, `talk.mkv`: the bundled output `Recorder`.
package struct FileRecording: HostOutput, Equatable {
    /// The extensions of recordings.
    static let endings = ["mkv", "webm", "mp4"]

    /// The extensions of other media files.
    private static let otherEndings = [
        "aac", "avi", "flac", "flv", "gif", "m2ts", "m4a", "m4v", "mka", "mov", "mp3", "mpeg",
        "mpg",
        "mts", "mxf", "ogg", "ogv", "opus", "ts", "wav", "wmv", "y4m",
    ]

    /// The ways to record a session with a call.
    package enum Participants: String, CaseIterable, Sendable {
        /// One video of all participants, with the full mix.
        case stage
        /// The same video, and each track of each participant in a separate file.
        case files
    }

    /// The file's absolute path.
    package var file: String
    /// The way to record a session with a call if ``selection`` is nil. A nil value means
    /// ``Participants/stage``.
    package var participants: Participants?
    /// The tracks to record; nil if all.
    package var selection: TrackSelection?
    /// The names of the participants who are not recorded.
    package var except: [String] = []
    /// Whether recording begins with the session; otherwise a command starts it.
    package var records = true
    /// Whether the recording replaces an existing file.
    package var overwrites = false

    /// - Parameter file: The file's absolute path.
    /// - Returns: The output; nil if the name lacks a recording's extension.
    init?(file: String) {
        guard let ending = file.split(separator: ".").last,
            Self.endings.contains(ending.lowercased())
        else { return nil }
        self.file = file
    }

    /// The error for a folder whose name has a media file's extension; nil if the name is valid.
    static func problem(ofFolder path: String) -> String? {
        guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: "."),
            dot > name.startIndex
        else { return nil }
        let ending = name[name.index(after: dot)...].lowercased()
        if endings.contains(ending) {
            return "\"\(name)\" is the name of a file, and this is a folder. Write record: \(name) "
                + "for the file, or name a folder."
        }
        guard otherEndings.contains(ending) else { return nil }
        return "unknown format .\(ending). Name a file that ends with "
            + "\(endings.map { ".\($0)" }.joined(separator: ", ")), or a folder without that ending."
    }

    package var plugin: PluginConfiguration? {
        var settings: [String: ParameterValue] = ["file": .string(file)]
        if !records { settings["recording"] = .boolean(false) }
        if overwrites { settings["overwrite"] = .boolean(true) }
        // Without a mix, each audio track becomes a track of the file.
        let own = selection?.own ?? []
        if !own.contains(.mix), own.contains(where: { $0.medium == .audio && $0.role != nil }) {
            settings["audio-tracks"] = .string("separate")
        }
        var plugin = PluginConfiguration("Recorder", settings: settings)
        plugin.except = except
        return plugin
    }

    package var writtenFolder: String? {
        file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) }
    }

    /// Records a stage and the full mix, unless the recording selects tracks.
    package mutating func takeStage(_ stage: SessionRole) {
        guard selection == nil else { return }
        selection = TrackSelection(
            own: [.own(stage), .fullMix],
            participants: participants == .files ? [TrackSelection.Participants()] : [])
    }

    package func open(in session: inout OutputBuilder) throws(OutputError) {
        // The session does not start without its recording. A folder has the same rule.
        if let problem { throw OutputError(place: file, explanation: problem) }
    }

    package func obstacle(for tracks: TracksInFile) -> String? {
        let folder = writtenFolder.flatMap(RecordingFolder.obstacle)
        return folder ?? problem.map { "\(file): \($0)" }
    }

    package var concern: String? { writtenFolder.flatMap(RecordingFolder.concern) }

    /// The obstacle to the file; nil if none is known.
    private var problem: String? {
        FileDescriptor.outputProblem(file, replaces: overwrites).map {
            $0.code == .exists
                ? "already exists. Record to another file, remove it, or write "
                    + "{ file: …, overwrite: true }."
                : "\($0.rule). Record to another file, or remove it."
        }
    }

    /// The disk use at the Recorder's bit rates: 0.08 bits per pixel, and 128 kbit/s of audio.
    package func diskUse(of tracks: DiskUse.Tracks) -> DiskUse? {
        let recorded = tracks.video.filter { track, _ in
            guard let selection, let role = SessionRole(.video, of: track) else { return true }
            return selection.own.contains(.own(role))
        }
        let pixels = recorded.values.map {
            Double($0.size.width) * Double($0.size.height) * $0.rate.framesPerSecond
        }
        let bits = pixels.reduce(0, +) * 0.08 + (tracks.audio > 0 ? 128_000 : 0)
        return writtenFolder.map { DiskUse(folder: $0, bytesPerSecond: bits / 8) }
    }

    package var product: String? { "recorded in \(file)" }

    /// Whether the file has content. Received frames are no proof, because they may not be in the
    /// file.
    package func hasMade(_ entry: OutputFeed.Entry) -> Bool { entry.values["seconds"] ?? 0 > 0 }

    package func conflicts(with earlier: ArraySlice<any HostOutput>, in tracks: TracksInFile)
        -> [String]
    {
        let isTaken = earlier.contains { ($0 as? FileRecording)?.file == file }
        return (isTaken ? ["an earlier output records to the same file. Name another."] : [])
            + (selection?.conflicts(in: tracks) ?? unchosenStage(in: tracks))
    }

    /// The error if a recording of a call does not choose one of several stages.
    private func unchosenStage(in tracks: TracksInFile) -> [String] {
        let stages = tracks.video.filter { $0.part == VideoTrackKind.stage.part }
            .map(\.rawValue).sorted()
        guard tracks.hasCall, stages.count > 1 else { return [] }
        return [
            "the session has the stages \(stages.joined(separator: ", ")). Choose one: tracks: "
                + "[\(stages[0]), full-mix]."
        ]
    }
}

extension SessionOutput {
    /// Records to one file. For a session with a call, records one video of all participants, with
    /// the full mix.
    ///
    /// - Parameter file: The path, which ends with `.mkv`, `.webm` or `.mp4`. A relative path
    ///   starts from the working directory.
    /// - Returns: The output; nil if the name has another extension.
    public static func record(file: String) -> SessionOutput? {
        let folder = file.hasPrefix("/") ? nil : getcwd(nil, 0)
        defer { free(folder) }
        let path = folder.map { "\(String(cString: $0))/\(file)" } ?? file
        return FileRecording(file: path).map { SessionOutput($0) }
    }
}

extension FileRecording {
    private struct Draft: Sendable {
        var file: String?
        var participants: Participants?
        var selection: TrackSelection?
        var except: [String] = []
        var records = true
        var overwrites = false
    }

    static let section = Decoder<FileRecording>.section(
        Draft(), name: "record-file", "Records the session in one file.",
        expectation: "a section with the key \"file\"",
        fields: [
            Field(
                "file", \.file, .mediaFile,
                "The file, relative to this file's folder. Its extension selects the format.",
                examples: ["call.mkv"], isRequired: true),
            Field(
                "tracks", \.selection, .tracks,
                "The recorded tracks. Default: all tracks of the session; with a call the stage and the "
                    + "full mix.",
                examples: [["stage", "full-mix"]]),
            Field(
                "participants", \.participants,
                .choice {
                    switch $0 {
                    case .stage: "Everybody in one video, with the full mix."
                    case .files:
                        "The same, and each track of each participant in a separate file, such as "
                            + "call-ana-camera.mkv."
                    }
                },
                "The recording of a call's participants.", examples: ["files"],
                defaultValue: .string(Participants.stage.rawValue)),
            Field(
                "except", \.except, .participantNames,
                "Names of participants who are not recorded. The stage leaves them out, too.",
                examples: [["Ana"]]),
            Field(
                "recording", \.records, .boolean,
                "Whether to record from the start. If false, a command or an operator starts it.",
                examples: [false], defaultValue: true),
            Field(
                "overwrite", \.overwrites, .boolean,
                "Whether to replace an existing file; otherwise, such a file is an error.",
                examples: [true], defaultValue: false),
        ]
    ) { draft, _ in
        guard let file = draft.file, var recording = FileRecording(file: file) else { return nil }
        recording.participants = draft.participants
        recording.selection = draft.selection
        recording.except = draft.except
        recording.records = draft.records
        recording.overwrites = draft.overwrites
        return recording
    }
}

extension Decoder<String> {
    /// Decodes the path of a file for recording, and makes it absolute.
    fileprivate static let mediaFile: Decoder = {
        let endings = FileRecording.endings.map { ".\($0)" }.joined(separator: ", ")
        let path = Decoder<String>.path("the path of a file that ends with \(endings)")
        return Decoder(schema: path.schema) { node, place, reading in
            guard let file = path.read(node, place, &reading) else { return nil }
            guard FileRecording(file: file) != nil else {
                reading.complain("needs a name that ends with \(endings).", about: node, place)
                return nil
            }
            return file
        }
    }()
}
