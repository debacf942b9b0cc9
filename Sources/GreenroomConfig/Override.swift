import GreenroomSchema

/// A value from the command line that replaces one in the session file.
public struct Override: Sendable {
    /// The argument as it was given, for messages.
    public var argument: String
    /// The path of the setting, and the value: `camera.settings.pattern=grey`.
    public var assignment: String

    /// Makes an override.
    ///
    /// - Parameters:
    ///   - argument: As it was given, for messages.
    ///   - assignment: The path and the value, as of ``set(_:)``.
    public init(argument: String, assignment: String) {
        self.argument = argument
        self.assignment = assignment
    }

    /// An argument `--set PATH=VALUE`.
    ///
    /// The path has the keys of the file separated by dots, and `[0]` for an entry of a list.
    /// Missing parts are created; in a list only after the last entry. The value is YAML if it
    /// begins with `[`, `{` or a quote; otherwise it is taken literally.
    public static func set(_ assignment: String) -> Override {
        Override(argument: "--set \(assignment)", assignment: assignment)
    }

    /// The argument `--virtual-clock`.
    public static let virtualClock = Override(
        argument: "--virtual-clock", assignment: "session.clock=virtual")

    /// An argument `--duration VALUE`.
    public static func duration(_ value: String) -> Override {
        Override(argument: "--duration \(value)", assignment: "session.duration=\(value)")
    }
}

extension Override {
    /// A step of the path.
    enum Step: Equatable {
        case key(String)
        case index(Int)
    }

    /// Applies the value to a tree.
    ///
    /// - Returns: The errors of the argument.
    func apply(to root: inout ConfigNode, schema: Schema, in source: SourceText) -> [Diagnostic] {
        let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let steps = Self.steps(of: parts[0]) else {
            return [
                diagnostic(
                    "needs PATH=VALUE, such as --set camera.settings.pattern=grey.", path: "")
            ]
        }
        let path = String(parts[0])
        let place = SourceLocation(.argument(argument), path: path)
        let value: ConfigNode
        do throws(SessionFileError) {
            value = try ConfigNode(written: String(parts[1]), at: place, in: source)
        } catch {
            return error.diagnostics
        }
        do throws(OverrideError) {
            try root.set(value, at: steps[...], schema: schema, path: "")
            return []
        } catch {
            return [error.diagnostic]
        }
    }

    private func diagnostic(_ message: String, path: String) -> Diagnostic {
        Diagnostic(message, at: SourceLocation(.argument(argument), path: path))
    }

    /// Splits `outputs[0].record.folder`; nil if it is no path.
    static func steps(of path: Substring) -> [Step]? {
        var steps: [Step] = []
        for part in path.split(separator: ".", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
            guard let key = pieces.first, !key.isEmpty, !key.contains("]") else { return nil }
            steps.append(.key(String(key)))
            for piece in pieces.dropFirst() {
                guard piece.last == "]", case let digits = piece.dropLast(),
                    digits.allSatisfy({ ("0"..."9").contains($0) }), let index = Int(digits)
                else { return nil }
                steps.append(.index(index))
            }
        }
        return steps.count <= YAMLDocument.maximumDepth ? steps : nil
    }
}

/// The reason why an override is impossible.
private struct OverrideError: Error {
    var diagnostic: Diagnostic
}

extension ConfigNode {
    /// Reads the value of an assignment: YAML if it begins with `[`, `{` or a quote; otherwise the
    /// literal text.
    ///
    /// - Parameters:
    ///   - place: Its location, for messages.
    ///   - source: The text of the session file, if there is one.
    /// - Throws: The YAML error.
    init(
        written text: String, at place: SourceLocation, in source: SourceText
    ) throws(SessionFileError) {
        guard let first = text.first, "[{\"'".contains(first) else {
            self.init(content: .scalar(text, isPlain: !text.isEmpty), origin: place.origin)
            return
        }
        let document = try YAMLDocument(
            text, argument: place, in: SourceText(text, file: source.file))
        guard document.diagnostics.isEmpty else {
            throw SessionFileError(document.diagnostics, in: source)
        }
        self = document.root
    }

    /// Sets a value at the end of the steps, and creates missing parts.
    ///
    /// - Parameters:
    ///   - schema: The schema of this node, if known: a single value that stands for a section then
    ///     becomes the section.
    ///   - path: This node's path.
    fileprivate mutating func set(
        _ value: ConfigNode, at steps: ArraySlice<Override.Step>, schema: Schema?, path: String
    ) throws(OverrideError) {
        guard let step = steps.first else {
            self = value
            return
        }
        if scalar == .null {
            switch step {
            case .key: content = .mapping([])
            case .index: content = .sequence([])
            }
        } else if case .key = step, scalar != nil, let shortKey = schema?.section?.shortKey {
            content = .mapping([Entry(key: shortKey, keyOrigin: origin, value: self)])
        }
        func problem(_ message: String) -> OverrideError {
            let place = SourceLocation(value.origin, path: path)
            return OverrideError(diagnostic: Diagnostic(message, at: place))
        }
        let nothing = ConfigNode(content: .scalar("", isPlain: true), origin: value.origin)
        switch (step, content) {
        case (.key(let key), .mapping(var entries)):
            let index =
                entries.firstIndex { $0.key == key }
                ?? {
                    entries.append(Entry(key: key, keyOrigin: value.origin, value: nothing))
                    return entries.count - 1
                }()
            let field = schema?.section?.fields.first { $0.key == key }
            var inner = field?.schema
            if case .named(let item, _, _)? = schema?.kind { inner = item }
            try entries[index].value.set(
                value, at: steps.dropFirst(), schema: inner,
                path: path.appending(key: key))
            content = .mapping(entries)
        case (.index(let index), .sequence(var nodes)):
            guard index <= nodes.count else {
                throw problem(
                    "has \(nodes.count) entries. Write [\(nodes.count)] to add one.")
            }
            if index == nodes.count { nodes.append(nothing) }
            let item: Schema? = if case .list(let item, _)? = schema?.kind { item } else { nil }
            try nodes[index].set(
                value, at: steps.dropFirst(), schema: item, path: "\(path)[\(index)]")
            content = .sequence(nodes)
        case (_, .refused):
            break
        case (.key(let key), _):
            throw problem("has no key \"\(key)\": it is \(inWords).")
        case (.index(let index), _):
            throw problem("has no entry [\(index)]: it is \(inWords).")
        }
    }
}
