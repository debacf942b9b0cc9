public import GreenroomSchema
import GreenroomSession
import Glibc
import GreenroomMedia
import GreenroomModel
import GreenroomSystem
import SystemPackage

extension SessionFile {
    /// Reads the bytes of a session file.
    ///
    /// - Parameters:
    ///   - bytes: YAML in UTF-8, at most 256 KiB.
    ///   - file: The file as the user named it, for messages.
    ///   - folder: The absolute folder that relative paths start from.
    ///   - overrides: Values that take the place of the file's, in order.
    /// - Throws: Every fault that there is, at once; only a file that is no YAML is looked at no
    ///   further.
    public static func read(
        _ bytes: [UInt8], file: String, folder: String, overrides: [Override] = []
    ) throws(SessionFileError) -> SessionFile {
        let text = try YAMLText.decode(bytes, file: file)
        let source = SourceText(text, file: file)
        let document = try YAMLDocument(text, in: source)
        var reading = Reading(folder: folder, diagnostics: document.diagnostics)
        var root = document.root
        for override in overrides {
            reading.diagnostics += override.apply(
                to: &root, schema: SessionDecoder.root.schema, in: source)
        }
        let draft = SessionDecoder.root.read(root, "", &reading)
        if let draft {
            let file = SessionFile(draft, source: source, folder: folder)
            reading.diagnostics += conflicts(among: draft.outputs, in: root)
            reading.diagnostics += conflicts(of: draft.timeline, in: root)
            reading.diagnostics += conflicts(ofBroadcastIn: root)
            reading.diagnostics += endlessness(of: draft.session)
            reading.diagnostics += haste(of: draft.session, root)
            reading.diagnostics += file.isolationConflicts
            if reading.diagnostics.isEmpty { return file }
        }
        throw SessionFileError(reading.diagnostics, in: source)
    }

    private init(_ draft: SessionDecoder.Draft, source: SourceText, folder: String) {
        self.source = source
        self.folder = folder
        name = draft.session.name ?? Self.stem(of: source.file)
        maximum = draft.session.maximum
        table = draft.session.table
        moreSizes = draft.session.moreSizes
        clock = draft.session.clock?.value ?? .real
        duration = draft.session.duration
        callbackDeadline = draft.session.callbackDeadline
        minimumRealPercent = draft.session.minimumRealPercent
        slots = SessionRole.allCases.compactMap { role in
            guard let parent = role.facts.parent else {
                let source = draft.sources[role]
                return source?.plugin.map { SessionSlot(role, $0, filters: source?.filters ?? []) }
            }
            return draft.sources[parent]?.inner[role].map { SessionSlot(role, $0) }
        }
        broadcast = SessionRole.ofBroadcasts.flatMap { draft.sources[$0]?.broadcast }
        confinement = draft.session.confinement
        outputs = draft.outputs
        // The sort is stable by the entries' numbers.
        timeline = draft.timeline.enumerated()
            .sorted { ($0.element.value.time, $0.offset) < ($1.element.value.time, $1.offset) }
            .map(\.element)
        warnings = vainEntries + vainSizes + vainConfinement
    }

    /// `demo` of `sessions/demo.yaml`.
    private static func stem(of file: String) -> String {
        let name = file.split(separator: "/").last ?? "session"
        let stem = name.split(separator: ".", omittingEmptySubsequences: false).first ?? name
        return String(stem.isEmpty ? name : stem)
    }

    /// Outputs that don't go together, or want what the session does not have.
    ///
    /// - Parameter root: The file: a section that is there and wrong is not told missing too.
    private static func conflicts(
        among outputs: [Located<any Output>], in root: ConfigNode
    ) -> [Diagnostic] {
        let tracks = TracksInFile(
            video: Set(VideoTrackKind.allCases.filter { root.value(of: $0.rawValue) != nil }),
            hasAudio: root.hasBroadcast
                || SessionRole.allCases.contains {
                    $0.medium == .audio && root.section(of: $0) != nil
                })
        return outputs.enumerated().flatMap { index, output in
            output.value.conflicts(with: outputs[..<index].map(\.value), in: tracks)
                .map { Diagnostic($0, at: output.place) }
        }
    }
}

// MARK: - Files

/// A session file that can't be opened or read.
public struct UnreadableFile: Error, Sendable, CustomStringConvertible {
    /// The file as the user named it.
    public var file: String
    /// What the system says.
    public var reason: String

    /// `demo.yaml: No such file or directory`.
    public var description: String { "\(file.printable): \(reason)" }
}

extension SessionFile {
    /// Reads a session file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - overrides: Values that take the place of the file's, in order.
    /// - Throws: ``UnreadableFile``, or ``SessionFileError`` with every fault of the file.
    public static func load(_ path: String, overrides: [Override] = []) throws -> SessionFile {
        let bytes: [UInt8]
        do throws(Errno) {
            // As much as shows that it is too large.
            bytes = try FileDescriptor.contents(of: path, limit: YAMLText.maximumBytes + 1)
        } catch {
            throw UnreadableFile(file: path, reason: "\(error)")
        }
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let folder = realpath(parent, nil) else {
            throw UnreadableFile(file: path, reason: "\(Errno.last)")
        }
        defer { free(folder) }
        return try read(
            bytes, file: path, folder: String(cString: folder), overrides: overrides)
    }
}
