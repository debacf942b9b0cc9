internal import FoundationEssentials
import Glibc
import GreenroomSystem
import GreenroomVideo
import Synchronization
import SystemPackage

/// A folder to which one session records.
///
/// The session creates the files for only this user, and holds the folder's lock until it has
/// written its last report.
struct RecordingFolder: Sendable {
    let path: String
    let overwrite: Bool

    /// Creates the folder and its parents.
    init(path: String, overwrite: Bool) throws(OutputError) {
        self.path = path
        self.overwrite = overwrite
        do throws(Errno) {
            try FileDescriptor.makeFolder(path)
        } catch {
            throw OutputError(
                place: "\(path)/",
                explanation: "cannot make this folder to record to: \(error). Record to a folder "
                    + "below a writable one.")
        }
        guard access("\(path)/", W_OK | X_OK) == 0 else {
            throw OutputError(
                place: "\(path)/",
                explanation: "cannot record here: \(Errno.last). Record to a writable folder.")
        }
    }

    /// The reason that a folder cannot be created or written to; nil if none is known. Changes
    /// nothing.
    static func obstacle(to path: String) -> String? {
        var (nearest, isMade) = (path, true)
        var about = stat()
        while stat(nearest, &about) != 0 {
            guard errno == ENOENT || errno == ENOTDIR, let slash = nearest.lastIndex(of: "/") else {
                return "\(nearest): \(Errno.last). Record to another folder."
            }
            isMade = false
            nearest = slash == nearest.startIndex ? "/" : String(nearest[..<slash])
        }
        guard about.st_mode & S_IFMT == S_IFDIR else {
            return "\(nearest): not a folder. Record to another folder."
        }
        guard access(nearest, W_OK | X_OK) == 0 else {
            return isMade
                ? "cannot record here: \(Errno.last). Record to a writable folder."
                : "cannot make the folder in \(nearest): \(Errno.last). Record to a folder below a "
                    + "writable one."
        }
        return nil
    }

    /// The other users that can change a recording; nil if none can.
    static func concern(about path: String) -> String? {
        var (nearest, about) = (path, stat())
        while stat(nearest, &about) != 0 {
            guard errno == ENOENT, let slash = nearest.lastIndex(of: "/") else { return nil }
            nearest = slash == nearest.startIndex ? "/" : String(nearest[..<slash])
        }
        return concern(owner: about.st_uid, mode: about.st_mode, user: geteuid())
            .map { "\(nearest): \($0)" }
    }

    /// The other users that can change files in a folder with an owner and a mode; nil if none can.
    static func concern(owner: uid_t, mode: mode_t, user: uid_t) -> String? {
        // The superuser can change files in any folder.
        if owner != user, owner != 0 {
            let name = getpwuid(owner).map { String(cString: $0.pointee.pw_name) } ?? "\(owner)"
            return "user \(name) owns this folder, and can replace or remove recordings in it. "
                + "Record to a folder that you own."
        }
        if mode & S_IWOTH != 0, mode & S_ISVTX == 0 {
            return "all users can replace or remove recordings in this folder. Record to another "
                + "folder, or run chmod o-w."
        }
        return nil
    }

    /// The path of a new file in the folder.
    ///
    /// - Parameter isLeftOver: Whether an existing file is a remainder of a killed session, and may
    ///   be replaced.
    func file(_ name: String, isLeftOver: Bool = false) throws(OutputError) -> String {
        let file = "\(path)/\(name)"
        let replaces = overwrite || isLeftOver
        guard let problem = FileDescriptor.outputProblem(file, replaces: replaces) else {
            return file
        }
        throw OutputError(
            place: file,
            explanation: problem.code == .exists
                ? "already exists. Record to another folder, remove the file, or write "
                    + "overwrite: true."
                : "\(problem.rule). Record to another folder, or "
                    + (problem.code == .busy ? "end that session." : "remove it."))
    }

    /// Removes the files of an earlier session that this session does not write: only the files
    /// that the earlier report lists.
    ///
    /// - Parameter written: The files that this session has created.
    func removeEarlier(except written: [String]) {
        guard overwrite else { return }
        for name in EarlierRecording.files(reportedIn: "\(path)/session.json") {
            let file = "\(path)/\(name)"
            guard !written.contains(file),
                FileDescriptor.outputProblem(file, replaces: true) == nil
            else { continue }
            unlink(file)
        }
    }
}

/// The lock of a folder that a session records to.
final class FolderLock: Sendable {
    private let descriptor = Mutex<FileDescriptor?>(nil)

    /// Locks a folder. If another process holds the lock, the error names that process.
    init(_ folder: String) throws(OutputError) {
        // An unreadable folder cannot be locked; its files have separate locks.
        guard let opened = Self.opened(folder) else { return }
        guard opened.lock() else {
            let problem = Self.problem(opened.lockHolder)
            close(opened.rawValue)
            throw OutputError(place: folder, explanation: problem)
        }
        descriptor.withLock { $0 = opened }
    }

    /// The reason that a folder cannot be locked; nil if none is known. Keeps no lock.
    static func obstacle(to folder: String) -> String? {
        guard let opened = opened(folder) else { return nil }
        defer { close(opened.rawValue) }
        return opened.lock() ? nil : problem(opened.lockHolder)
    }

    private static func opened(_ folder: String) -> FileDescriptor? {
        let number = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        return number >= 0 ? FileDescriptor(rawValue: number) : nil
    }

    private static func problem(_ holder: String?) -> String {
        "another session records to this folder" + (holder.map { ": \($0)" } ?? "")
            + ". Record to another folder, or end that session."
    }

    deinit { release() }

    /// Unlocks the folder for other sessions.
    func release() {
        descriptor.withLock { descriptor in
            if let file = descriptor.take() { close(file.rawValue) }
        }
    }
}

/// The files that a report in a folder lists. Parts in another version's format are ignored.
private struct EarlierRecording: Decodable {
    /// Limit of a report, in bytes.
    private static let limit = 64 << 20

    private struct Output: Decodable {
        struct Piece: Decodable { var file: String? }

        var output: String?
        var pieces: [Piece]?
    }

    private struct Video: Decodable { var outputs: [Output]? }

    private struct Participant: Decodable {
        struct Track: Decodable { var video: Video? }

        var tracks: [Track]?
    }

    private var videoTracks: [Video]?
    private var participants: [Participant]?
    private var audioFiles: [Output]?

    /// The names of the files in a report; empty if there is no report.
    static func files(reportedIn path: String) -> [String] {
        // Greenroom writes reports only as regular files.
        guard FileDescriptor.outputProblem(path, replaces: true) == nil,
            let bytes = try? FileDescriptor.contents(of: path, limit: limit),
            let report = try? JSONDecoder().decode(EarlierRecording.self, from: Data(bytes))
        else { return [] }
        let tracks = (report.participants ?? []).flatMap { $0.tracks ?? [] }
        let videos = (report.videoTracks ?? []) + tracks.compactMap(\.video)
        let outputs = videos.flatMap { $0.outputs ?? [] }
        let paths =
            outputs.compactMap { $0.output.flatMap(Recording.file(ofOutput:)) }
            + outputs.flatMap { $0.pieces ?? [] }.compactMap(\.file)
            + (report.audioFiles ?? []).compactMap(\.output)
        // The files are beside the report, even if the folder was renamed.
        return paths.compactMap { path in
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let isOurs = [".y4m", ".wav"].contains { name.hasSuffix($0) && name.count > $0.count }
            return isOurs ? name : nil
        }
    }
}
