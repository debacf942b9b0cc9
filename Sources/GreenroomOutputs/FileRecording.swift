package import GreenroomLifecycle
import GreenroomMedia
package import GreenroomModel
import GreenroomSystem
package import GreenroomVideo
import SystemPackage

/// `record` with the name of a file, `talk.mkv`: the bundled output `Recorder`.
package struct FileRecording: Output, Equatable {
    /// The endings of such names.
    static let endings = ["mkv", "webm", "mp4"]

    /// Endings of media files of other formats.
    private static let otherEndings = [
        "aac", "avi", "flac", "flv", "gif", "m2ts", "m4a", "m4v", "mka", "mov", "mp3", "mpeg",
        "mpg",
        "mts", "mxf", "ogg", "ogv", "opus", "ts", "wav", "wmv", "y4m",
    ]

    /// The file's absolute path.
    package var file: String

    /// - Parameter file: The file's absolute path.
    /// - Returns: nil if the name does not end as those of such files do.
    init?(file: String) {
        guard let ending = file.split(separator: ".").last,
            Self.endings.contains(ending.lowercased())
        else { return nil }
        self.file = file
    }

    /// Why a recording's folder can't have a name: it is that of a file. Nil if it can.
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
        return "nothing is recorded as .\(ending). Name a file that ends with "
            + "\(endings.map { ".\($0)" }.joined(separator: ", ")), or a folder without that ending."
    }

    package var plugin: PluginConfiguration? {
        PluginConfiguration("Recorder", settings: ["file": .string(file)])
    }

    package var writtenFolder: String? {
        file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) }
    }

    package func open(in session: inout OutputBuilder) throws(OutputError) {
        // The session does not start without its recording, as with a folder.
        if let problem { throw OutputError(place: file, explanation: problem) }
    }

    package func obstacle(for tracks: TracksInFile) -> String? {
        let folder = writtenFolder.flatMap(RecordingFolder.obstacle)
        return folder ?? problem.map { "\(file): \($0)" }
    }

    package var concern: String? { writtenFolder.flatMap(RecordingFolder.concern) }

    /// What keeps the file from being made; nil if nothing is known.
    private var problem: String? {
        FileDescriptor.outputProblem(file, replaces: false).map {
            $0 == .exists
                ? "already exists. Record to another file, remove it, or name the plugin Recorder "
                    + "with overwrite: true."
                : "it \($0.rule). Record to another file, or remove it."
        }
    }

    /// With the Recorder's bit rates: 0.08 bits for each pixel, and 128 kbit/s of audio.
    package func diskUse(of tracks: DiskUse.Tracks) -> DiskUse? {
        let pixels = tracks.video.values.map {
            Double($0.size.width) * Double($0.size.height) * $0.rate.framesPerSecond
        }
        let bits = pixels.reduce(0, +) * 0.08 + (tracks.audio > 0 ? 128_000 : 0)
        return writtenFolder.map { DiskUse(folder: $0, bytesPerSecond: bits / 8) }
    }

    package var product: String? { "recorded in \(file)" }

    /// What it has taken may not be in the file.
    package func hasMade(_ entry: OutputFeed.Entry) -> Bool { entry.values["seconds"] ?? 0 > 0 }

    package func conflicts(with earlier: ArraySlice<any Output>, in tracks: TracksInFile)
        -> [String]
    {
        earlier.contains { ($0 as? FileRecording)?.file == file }
            ? ["an earlier output records to the same file. Name another."] : []
    }
}
