import Glibc
import GreenroomMedia
import GreenroomModel
public import GreenroomSchema
import GreenroomSession
import GreenroomSystem
package import SystemPackage

extension SessionFile {
    /// Reads the bytes of a session file.
    ///
    /// - Parameters:
    ///   - bytes: YAML in UTF-8, at most 256 KiB.
    ///   - file: The file as the user named it, for messages.
    ///   - folder: The absolute folder that relative paths are resolved against.
    ///   - overrides: Values that replace those of the file, in order.
    /// - Throws: Every fault of the file; for invalid YAML, only the first.
    public static func read(
        _ bytes: [UInt8], file: String, folder: String, overrides: [Override] = []
    ) throws(SessionFileError) -> SessionFile {
        try withFaults(bytes, file: file, folder: folder, overrides: overrides).checked()
    }

    /// Reads a session file, even one with errors, so that its plugins can be checked in the same run.
    ///
    /// - Throws: The faults of a file without a section to check, such as invalid YAML.
    private static func withFaults(
        _ bytes: [UInt8], file: String, folder: String, overrides: [Override]
    ) throws(SessionFileError) -> SessionFile {
        let text = try YAMLText.decode(bytes, file: file)
        let source = SourceText(text, file: file)
        let document = try YAMLDocument(text, in: source)
        var reading = Reading(folder: folder, diagnostics: document.diagnostics)
        var overridden = document.root
        for override in overrides {
            reading.diagnostics += override.apply(
                to: &overridden, schema: SessionDecoder.root.schema, in: source)
        }
        let (root, mediaSections) = overridden.expandingMedia(&reading.diagnostics)
        let draft = SessionDecoder.root.read(root, "", &reading)
        let places = SourcePlaces(of: root, mediaSections: mediaSections)
        reading.diagnostics = places.written(reading.diagnostics)
        if let draft {
            let configuration = SessionConfiguration(
                draft, folder: folder, defaultName: stem(of: file), places)
            var plugins = ConfiguredPlugins(in: root)
            // A recording may have added the stage.
            plugins.roles.formUnion(configuration.slots.map(\.role))
            // A recording in a file is a plugin, too.
            plugins.pluginOutputs.formUnion(configuration.outputPlugins.map(\.index))
            let problems =
                configuration.conflicts(among: plugins)
                + draft.session.tableProblems
            reading.diagnostics += places.diagnostics(problems)
            let warnings =
                configuration.warnings
                + draft.session.vainSizes(isTableStated: places.has("session.table"))
            return SessionFile(
                configuration: configuration, warnings: places.diagnostics(warnings),
                source: source, places: places, draft: draft, faults: reading.diagnostics)
        }
        throw SessionFileError(reading.diagnostics, in: source)
    }

    /// The file, if it has no errors.
    private consuming func checked() throws(SessionFileError) -> SessionFile {
        guard faults.isEmpty else { throw SessionFileError(faults, in: source) }
        return self
    }

    /// `demo` of `sessions/demo.yaml`.
    private static func stem(of file: String) -> String {
        let name = file.split(separator: "/").last ?? "session"
        let stem = name.split(separator: ".", omittingEmptySubsequences: false).first ?? name
        return String(stem.isEmpty ? name : stem)
    }
}

extension SessionConfiguration {
    /// Reads the content of a file.
    ///
    /// - Parameter defaultName: The session's name if the file has none.
    fileprivate init(
        _ draft: SessionDecoder.Draft, folder: String, defaultName: String, _ places: SourcePlaces
    ) {
        self = draft.session.configuration
        self.folder = folder
        if !places.has("session.name") { name = defaultName }
        table = draft.session.table
        slots = draft.allSources.flatMap { role, source in
            (source.plugin.map { [SessionSlot(role, $0, filters: source.filters)] } ?? [])
                + source.inner.compactMap { inner in
                    inner.value.plugin.map {
                        SessionSlot(role.with(inner.key), $0, filters: inner.value.filters)
                    }
                }
        }
        .sorted { $0.role < $1.role }
        outputs = draft.outputs + (draft.call.map { [$0] } ?? [])
        composeRecordings()
        hooks = draft.hooks
        // The entries' numbers make the sort stable.
        timeline = draft.timeline.enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }
}

extension SessionDecoder.Draft {
    /// The sources of all roles, with and without names.
    fileprivate var allSources: [(role: SessionRole, source: SessionDecoder.Source)] {
        sources.map { (role: $0.key, source: $0.value) }
            + named.flatMap { role, sources in
                sources.enumerated().map { index, named in
                    (role: role.named(named.name, place: index + 1), source: named.source)
                }
            }
    }
}

extension SessionDecoder.Session {
    /// The limit of rows in a table.
    private static let maximumRows = 64

    /// The sizes that cameras are offered.
    fileprivate var table: [VideoCapability] {
        let sizes = Set(moreSizes.map(\.size))
        return configuration.table.filter { !sizes.contains($0.size) } + moreSizes
    }

    fileprivate var tableProblems: [ConfigurationProblem] {
        guard table.count > Self.maximumRows else { return [] }
        return [
            ConfigurationProblem(
                "with these the table has \(table.count) rows, and can have "
                    + "\(Self.maximumRows). Remove some.", at: "session.more-sizes")
        ]
    }

    /// Warnings about sizes that the session's maximum excludes.
    fileprivate func vainSizes(isTableStated: Bool) -> [ConfigurationProblem] {
        let maximum = configuration.maximum
        let stated = [
            (isTableStated ? configuration.table : [], "table"), (moreSizes, "more-sizes"),
        ]
        return stated.compactMap { rows, key in
            let above = rows.filter {
                $0.size.width > maximum.size.width || $0.size.height > maximum.size.height
                    || $0.rate > maximum.rate
            }
            guard !above.isEmpty else { return nil }
            return ConfigurationProblem(
                "\(above.map(\.description).joined(separator: ", ")): above the session's maximum, "
                    + "\(maximum), so it is not offered. Raise \"maximum\".",
                at: "session.\(key)")
        }
    }
}

// MARK: - Sections

extension ConfiguredPlugins {
    /// The sections of a file, including invalid ones.
    fileprivate init(in root: ConfigNode) {
        let sections = root.roles.compactMap { role in
            root.section(of: role).map { (role, $0) }
        }
        self.init(
            roles: Set(sections.map(\.0)),
            filterCounts: Dictionary(
                sections.map { ($0, $1.filterCount) }, uniquingKeysWith: max),
            pluginOutputs: root.pluginOutputs,
            hasCall: root.value(of: PluginAddress.callKey) != nil,
            callFilterCount: root.value(of: PluginAddress.callKey)?.filterCount ?? 0)
    }
}

extension ConfigNode {
    /// The places of the outputs that are plugins.
    fileprivate var pluginOutputs: Set<Int> {
        guard case .sequence(let nodes)? = value(of: PluginAddress.outputsKey)?.content else {
            return []
        }
        return Set(
            nodes.indices.filter {
                nodes[$0].value(of: "plugin") != nil || nodes[$0].value(of: "connect") != nil
            })
    }

    /// The number of filters in a section.
    fileprivate var filterCount: Int {
        guard case .sequence(let nodes)? = value(of: PluginAddress.filtersKey)?.content else {
            return 0
        }
        return nodes.count
    }

    /// The roles that a file may have: those without a name, and all with the names in it.
    fileprivate var roles: [SessionRole] {
        SessionRole.allCases.flatMap { role in
            let top = role.facts.parent ?? role
            guard case .mapping(let entries)? = value(of: top.facts.pluralKey)?.content else {
                return [role]
            }
            return [role]
                + entries.enumerated().filter { $0.element.key.isRoleName }.map {
                    role.named($0.element.key, place: $0.offset + 1)
                }
        }
    }

    /// The section of a role.
    func section(of role: SessionRole) -> ConfigNode? {
        if let parent = role.facts.parent { return section(of: parent)?.value(of: role.facts.key) }
        guard let name = role.name else { return value(of: role.facts.key) }
        return value(of: role.facts.pluralKey)?.value(of: name)
    }
}

// MARK: - Files

/// A session file that can't be opened or read.
public struct UnreadableFileError: Error, Sendable, CustomStringConvertible {
    /// The file as the user named it.
    public var file: String
    package var underlyingError: Errno

    /// `demo.yaml: No such file or directory`.
    public var description: String {
        let reason =
            underlyingError == .resourceTemporarilyUnavailable
            ? "is a pipe, and may never end. Name a file, or - for standard input"
            : "\(underlyingError)"
        return "\(file.printable): \(reason)"
    }
}

extension SessionFile {
    /// Reads a session file.
    ///
    /// - Parameters:
    ///   - path: The file; `-` for standard input.
    ///   - overrides: Values that replace those of the file, in order.
    /// - Throws: ``UnreadableFileError``, or ``SessionFileError`` with every fault of the file.
    public static func load(_ path: String, overrides: [Override] = []) throws -> SessionFile {
        try loadWithFaults(path, overrides: overrides).checked()
    }

    /// Reads a session file, even one with errors: its ``faults``.
    package static func loadWithFaults(
        _ path: String, overrides: [Override] = []
    ) throws -> SessionFile {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try content(of: path)
        } catch {
            throw UnreadableFileError(file: path, underlyingError: error)
        }
        let isFile = !isOpen(path)
        let parent = path.lastIndex(of: "/").flatMap { isFile ? String(path[...$0]) : nil } ?? "."
        guard let folder = realpath(parent, nil) else {
            throw UnreadableFileError(file: path, underlyingError: .last)
        }
        defer { free(folder) }
        return try withFaults(
            bytes, file: path, folder: String(cString: folder), overrides: overrides)
    }

    /// Whether a path is that of a file that this process was started with, such as the pipe of
    /// `greenroom check <(make-session)`. Relative paths in it start from the working directory.
    private static func isOpen(_ path: String) -> Bool {
        path == "-" || path == "/dev/stdin" || path.hasPrefix("/dev/fd/")
            || path.hasPrefix("/proc/self/fd/")
    }

    /// The content, or enough of it to detect that it is too large.
    ///
    /// - Throws: `EAGAIN` for a pipe by its name: opening it would wait for a writer.
    private static func content(of path: String) throws(Errno) -> [UInt8] {
        let limit = YAMLText.maximumBytes + 1
        if path == "-" {
            return try FileDescriptor.standardInput.readToEnd(limit: limit)
        }
        if isOpen(path) { return try FileDescriptor.contents(of: path, limit: limit) }
        let file = try FileDescriptor.reading(path, options: .nonBlocking)
        defer { close(file.rawValue) }
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT != S_IFIFO else {
            throw .resourceTemporarilyUnavailable
        }
        return try file.readToEnd(limit: limit)
    }
}
