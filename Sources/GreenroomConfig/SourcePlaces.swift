package import GreenroomSchema
package import GreenroomSession

/// The locations of the values in a session file, by path.
package struct SourcePlaces: Sendable {
    private struct Entry {
        var key: SourceLocation.Origin
        var value: SourceLocation.Origin
    }

    private var entries: [String: Entry] = [:]
    /// The paths of sections that `media` expands to.
    private let mediaSections: [String]

    /// The locations in a file and in the arguments that override values.
    ///
    /// - Parameter mediaSections: The paths of sections that `media` expands to.
    init(of root: ConfigNode, mediaSections: [String] = []) {
        self.mediaSections = mediaSections
        add(root, at: "", key: root.origin)
    }

    private mutating func add(_ node: ConfigNode, at path: String, key: SourceLocation.Origin) {
        entries[path] = Entry(key: key, value: node.origin)
        switch node.content {
        case .mapping(let children):
            for child in children {
                add(child.value, at: path.appending(key: child.key), key: child.keyOrigin)
            }
        case .sequence(let nodes):
            for (index, node) in nodes.enumerated() {
                add(node, at: "\(path)[\(index)]", key: node.origin)
            }
        case .scalar, .refused: break
        }
    }

    /// The paths whose values are arguments of the command line.
    package func arguments(among paths: [String]) -> [String] {
        paths.filter {
            if case .argument = entries[$0]?.value { true } else { false }
        }
    }

    /// Whether there is a value at a path.
    func has(_ path: String) -> Bool { entries[path] != nil }

    /// Locates problems, in their order.
    package func diagnostics(_ problems: [ConfigurationProblem]) -> [Diagnostic] {
        written(problems.map(diagnostic))
    }

    /// Locates a problem; a missing value is located at the section that lacks it.
    func diagnostic(_ problem: ConfigurationProblem) -> Diagnostic {
        let entry = entries[problem.path]
        let origin =
            entry.map { problem.isOfKey ? $0.key : $0.value } ?? section(around: problem.path)
        return Diagnostic(problem.message, at: SourceLocation(origin, path: problem.path))
    }

    /// Diagnostics with the paths of the keys as they are written. A key of `media` expands into
    /// two sections; report its error once.
    func written(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        var seen: Set<SourceLocation> = []
        return diagnostics.compactMap { diagnostic in
            guard let (section, path) = written(diagnostic.place.path) else { return diagnostic }
            var diagnostic = diagnostic
            diagnostic.place.path = path
            let isNew = seen.insert(diagnostic.place).inserted
            return isNew || section == mediaSections.first ? diagnostic : nil
        }
    }

    /// The path of a key of `media`, and the section that it is in; nil for other keys.
    private func written(_ path: String) -> (section: String, path: String)? {
        // Inner sections are longer than those around them.
        let section = mediaSections.last {
            path.hasPrefix($0) && "[.".contains(path.dropFirst($0.count).first ?? ".")
        }
        guard let section else { return nil }
        var rest = path.dropFirst(section.count)
        let key = rest.split(separator: ".").last.map(String.init) ?? ""
        if SessionDecoder.mediaSettings.contains(key) { rest = ".\(key)" }
        return (section, SessionDecoder.mediaKey + rest)
    }

    private func section(around path: String) -> SourceLocation.Origin {
        var path = path[...]
        while let end = path.lastIndex(where: { $0 == "." || $0 == "[" }) {
            path = path[..<end]
            if let entry = entries[String(path)] { return entry.value }
        }
        return entries[""]?.value ?? .file(line: 1, column: 1)
    }
}
