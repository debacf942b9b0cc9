package import GreenroomSchema
package import GreenroomSession

/// The locations of the values in a session file, by path.
package struct SourcePlaces: Sendable {
    private struct Entry {
        var key: SourceLocation.Origin
        var value: SourceLocation.Origin
    }

    private var entries: [String: Entry] = [:]

    /// The locations in a file and in the arguments that override values.
    init(of root: ConfigNode) { add(root, at: "", key: root.origin) }

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

    /// Whether there is a value at a path.
    func has(_ path: String) -> Bool { entries[path] != nil }

    /// Locates a problem; a missing value is located at the section that lacks it.
    package func diagnostic(_ problem: ConfigurationProblem) -> Diagnostic {
        let entry = entries[problem.path]
        let origin =
            entry.map { problem.isOfKey ? $0.key : $0.value } ?? section(around: problem.path)
        return Diagnostic(problem.message, at: SourceLocation(origin, path: problem.path))
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
