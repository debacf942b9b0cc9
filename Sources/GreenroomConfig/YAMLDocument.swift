import CYaml
import GreenroomSchema
import Yams

/// Composes a YAML text into the tree that is read. The only file that knows Yams.
struct YAMLDocument {
    /// The deepest nesting of sections and lists; session files need 6.
    static let maximumDepth = 32

    /// The number of aliases that are composed.
    ///
    /// Aliases are refused one by one once they are composed. Composing hashes mapping keys, with
    /// aliases followed: nested ones double that work each time. This many can't make it long.
    private static let maximumAliases = 20

    /// The number of double keys to look for; a file with more has other problems.
    private static let maximumRepairs = 32

    /// The tree.
    private(set) var root: ConfigNode
    /// The faults found so far; their nodes are `refused`.
    private(set) var diagnostics: [Diagnostic] = []

    private let origin: (Position?) -> SourceLocation.Origin
    /// First scalars of keys that were changed to tell double keys apart, and what they were.
    private var repairs: [Position: String] = [:]
    /// The places of anchored nodes: a second visit is by an alias.
    private var anchored: Set<Position> = []

    /// Composes the document of a session file.
    ///
    /// - Throws: `SessionFileError` if the text is not YAML, with the place.
    init(_ text: String, in source: SourceText) throws(SessionFileError) {
        let start = SourceLocation(.file(line: 1, column: 1), path: "")
        try self.init(text, in: source, nothing: start) { mark in
            guard let mark else { return start.origin }
            // libyaml puts the end of a text without a last break on a separate line.
            guard mark.line <= source.lineCount else { return source.end }
            return .file(line: mark.line, column: mark.column)
        }
    }

    /// Composes a value that stands in an argument.
    ///
    /// - Throws: `SessionFileError` if the text is not YAML.
    init(_ text: String, argument: SourceLocation, in source: SourceText) throws(SessionFileError) {
        try self.init(text, in: source, nothing: argument) { _ in argument.origin }
        diagnostics = diagnostics.map { Diagnostic($0.message, at: argument) }
    }

    private init(
        _ text: String, in source: SourceText, nothing: SourceLocation,
        origin: @escaping (Position?) -> SourceLocation.Origin
    ) throws(SessionFileError) {
        self.origin = origin
        if let excess = Self.excessiveAlias(in: text) {
            let message =
                "the file has more than \(Self.maximumAliases) YAML aliases (*name). Session files "
                + "have none: write the values out."
            throw SessionFileError(
                [Diagnostic(message, at: SourceLocation(origin(excess), path: nothing.path))],
                in: source)
        }
        root = ConfigNode(content: .refused, origin: nothing.origin)
        // The parser has to outlive the walk: nodes hold their anchors weakly.
        var parser: Parser?
        let composed: Node?
        do {
            composed = try Self.compose(text, repairs: &repairs, parser: &parser)
        } catch {
            let (mark, message) = Self.explain(error, in: source)
            throw SessionFileError(
                [
                    Diagnostic(
                        message,
                        at: SourceLocation(origin(mark.map(Position.init)), path: nothing.path))
                ],
                in: source)
        }
        guard let composed else {
            let message =
                "the file is empty. A session has at least a camera, microphone, share or call."
            throw SessionFileError([Diagnostic(message, at: nothing)], in: source)
        }
        root = withExtendedLifetime(parser) { convert(composed, path: nothing.path, depth: 1) }
    }

    /// A position in the text, both from 1.
    private struct Position: Hashable {
        var line: Int
        var column: Int

        init(_ mark: Mark) {
            line = mark.line
            column = mark.column
        }

        init(_ mark: yaml_mark_t) {
            line = Int(mark.line) + 1
            column = Int(mark.column) + 1
        }
    }
}

// MARK: - Aliases

extension YAMLDocument {
    /// The first alias above the limit; nil if the text has fewer aliases, or is no YAML up to there.
    private static func excessiveAlias(in text: String) -> Position? {
        // An alias begins with a star.
        guard text.utf8.count(where: { $0 == UInt8(ascii: "*") }) > maximumAliases else {
            return nil
        }
        // libyaml keeps a pointer to it.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { return nil }
        defer { yaml_parser_delete(parser) }
        return Array(text.utf8).withUnsafeBufferPointer { bytes in
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
            var count = 0
            var event = yaml_event_t()
            while yaml_parser_parse(parser, &event) == 1 {
                defer { yaml_event_delete(&event) }
                switch event.type {
                case YAML_STREAM_END_EVENT: return nil
                case YAML_ALIAS_EVENT:
                    count += 1
                    guard count > maximumAliases else { continue }
                    return Position(event.start_mark)
                default: continue
                }
            }
            return nil
        }
    }
}

// MARK: - Composing

extension YAMLDocument {
    /// Composes; a mapping with a double key, which Yams refuses on the spot, is told apart by
    /// a private-use character so that everything else in the file is looked at too.
    private static func compose(
        _ text: String, repairs: inout [Position: String], parser: inout Parser?
    ) throws -> Node? {
        var text = text
        while true {
            do {
                // Scalars are read by `ConfigNode`, so no rule of Yams's own applies.
                let next = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
                parser = next
                return try next.singleRoot()
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                guard repairs.count < maximumRepairs, let name = names.first,
                    let (repaired, position) = tellApart(
                        name, at: context.mark, number: repairs.count, in: text),
                    repairs.updateValue(name, forKey: position) == nil
                else {
                    throw YamlError.duplicatedKeysInMapping(duplicates: names, context: context)
                }
                text = repaired
            }
        }
    }

    /// Changes the first character of the key at a mark.
    ///
    /// - Returns: nil if the key does not stand there letter by letter.
    private static func tellApart(
        _ name: String, at mark: Mark, number: Int, in text: String
    ) -> (text: String, position: Position)? {
        guard let first = name.unicodeScalars.first,
            let replacement = Unicode.Scalar(0xF0000 + UInt32(number))
        else { return nil }
        let source = SourceText(text, file: "")
        guard var index = source.index(line: mark.line, column: mark.column) else { return nil }
        var scalars = text.unicodeScalars
        if ["\"", "'"].contains(scalars[index]) { scalars.formIndex(after: &index) }
        guard index < scalars.endIndex, scalars[index] == first else { return nil }
        scalars.replaceSubrange(index...index, with: CollectionOfOne(replacement))
        return (String(scalars), Position(mark))
    }

    /// The meaning and the place of a failure to compose.
    private static func explain(_ error: any Error, in source: SourceText) -> (Mark?, String) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let syntax = YAMLSyntaxProblem(
                problem, context: context?.text,
                line: source.line(mark.line) ?? "", column: mark.column)
            return (syntax.isAtContext ? context?.mark ?? mark : mark, syntax.message)
        case .duplicatedKeysInMapping(let names, let context):
            let list = names.map { "\"\($0.shortened)\"" }.joined(separator: ", ")
            return (context.mark, "more than one value for \(list). Keep one of each.")
        case .memory:
            return (nil, "nested too deeply; the limit is \(maximumDepth) levels.")
        default:
            return (nil, "not readable as YAML: \(error)")
        }
    }
}

// MARK: - Converting

extension YAMLDocument {
    private mutating func convert(_ node: Node, path: String, depth: Int) -> ConfigNode {
        let origin = origin(node.mark.map(Position.init))
        let place = SourceLocation(origin, path: path)
        func refused(_ message: String) -> ConfigNode {
            diagnostics.append(Diagnostic(message, at: place))
            return ConfigNode(content: .refused, origin: origin)
        }
        if let anchor = node.anchor, let mark = node.mark {
            // Do not follow an alias, because repeated aliases could grow without limit.
            let isFirst = anchored.insert(Position(mark)).inserted
            guard isFirst else { return ConfigNode(content: .refused, origin: origin) }
            return refused(
                "anchors (&\(anchor.rawValue)) and aliases (*\(anchor.rawValue)) are not "
                    + "supported. Write the value out.")
        }
        guard depth <= Self.maximumDepth else {
            return refused("nested too deeply; the limit is \(Self.maximumDepth) levels.")
        }
        switch node {
        case .scalar(let scalar):
            return convert(scalar, origin: origin, refused: refused)
        case .sequence(let sequence):
            guard Self.isUntagged(sequence.tag) else {
                return refused("tags (\(sequence.tag)) are not supported. Remove it.")
            }
            let nodes = sequence.enumerated().map { index, node in
                convert(node, path: "\(path)[\(index)]", depth: depth + 1)
            }
            return ConfigNode(content: .sequence(nodes), origin: origin)
        case .mapping(let mapping):
            guard Self.isUntagged(mapping.tag) else {
                return refused("tags (\(mapping.tag)) are not supported. Remove it.")
            }
            return ConfigNode(
                content: .mapping(entries(of: mapping, path: path, depth: depth)), origin: origin)
        case .alias(let alias):
            return refused(
                "aliases (*\(alias.anchor.rawValue)) are not supported. Write the value out.")
        }
    }

    private func convert(
        _ scalar: Node.Scalar, origin: SourceLocation.Origin, refused: (String) -> ConfigNode
    ) -> ConfigNode {
        let isPlain = scalar.style == .plain && scalar.tag.description != Self.textTag
        guard Self.isUntagged(scalar.tag) || scalar.tag.description == Self.textTag else {
            return refused("tags (\(scalar.tag)) are not supported. Remove it.")
        }
        guard !scalar.string.unicodeScalars.contains("\0") else {
            return refused("a text may not contain a NUL character. Remove it.")
        }
        return ConfigNode(content: .scalar(scalar.string, isPlain: isPlain), origin: origin)
    }

    private mutating func entries(
        of mapping: Node.Mapping, path: String, depth: Int
    ) -> [ConfigNode.Entry] {
        var entries: [ConfigNode.Entry] = []
        for (keyNode, valueNode) in mapping {
            let keyOrigin = origin(keyNode.mark.map(Position.init))
            guard case .scalar(let scalar) = keyNode, keyNode.anchor == nil else {
                diagnostics.append(
                    Diagnostic("a key must be a word.", at: SourceLocation(keyOrigin, path: path))
                )
                continue
            }
            let key = keyNode.mark.flatMap { repairs[Position($0)] } ?? scalar.string
            let valuePath = path.appending(key: key)
            let value = convert(valueNode, path: valuePath, depth: depth + 1)
            if let first = entries.first(where: { $0.key == key }) {
                let line =
                    if case .file(let line, _) = first.keyOrigin { " in line \(line)" } else { "" }
                diagnostics.append(
                    Diagnostic(
                        "duplicate key: the first is\(line). Keep one.",
                        at: SourceLocation(keyOrigin, path: valuePath)))
                continue
            }
            entries.append(ConfigNode.Entry(key: key, keyOrigin: keyOrigin, value: value))
        }
        return entries
    }

    private static let textTag = "tag:yaml.org,2002:str"

    private static func isUntagged(_ tag: Tag) -> Bool {
        // An implicit tag becomes that of its collection once Yams has hashed the node.
        ["", "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"].contains(tag.description)
    }
}
