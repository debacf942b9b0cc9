import GreenroomMedia
import GreenroomModel
import GreenroomSchema

extension Decoder<Int> {
    /// `50%`.
    static let percent = Decoder.pattern(
        "(100|[1-9]?[0-9])%", "a part such as 50%, from 0% to 100%",
        cure: { Int($0).flatMap { (0...100).contains($0) ? "\($0)%" : nil } }
    ) { Int($0.dropLast()) }
}

extension Decoder<SessionCommand> {
    /// `640x360@15`, or `none`.
    static func ceiling(_ role: SessionRole) -> Decoder {
        pattern(
            SessionCommand.ceilingPattern, SessionCommand.ceilingExpectation,
            cure: \.capabilityBounds
        ) { SessionCommand(ceiling: $0, of: role) }
    }

    /// `camera.settings.pattern=grey`.
    static let assignment: Decoder = {
        let schema = Schema(
            kind: .text(pattern: SessionCommand.assignmentPattern),
            expectation: "a setting and its value, such as camera.settings.pattern=grey")
        let text = Decoder<String>.scalar(schema) { scalar in
            guard case .text(let text) = scalar, text.contains("=") else { return nil }
            return text
        }
        return Decoder(schema: schema) { node, path, reading in
            guard let assignment = text.read(node, path, &reading) else { return nil }
            do throws(CommandError) {
                return try SessionCommand(set: assignment)
            } catch {
                reading.complain(error.description, about: node, path)
                return nil
            }
        }
    }()
}

extension Decoder<[String: ParameterValue]> {
    /// The settings of a plugin: names and values. A list is a text with a line for each entry.
    static let settings: Decoder = {
        let expectation = "a section of settings, name: value"
        let schema = Schema(kind: .settings, expectation: expectation)
        return Decoder(schema: schema) { node, path, reading in
            switch node.content {
            case .refused: return nil
            case .mapping(let entries):
                var settings: [String: ParameterValue] = [:]
                for entry in entries {
                    let path = path.appending(key: entry.key)
                    if case .sequence(let nodes) = entry.value.content {
                        settings[entry.key] = reading.lines(nodes, path).map { .string($0) }
                    } else {
                        settings[entry.key] = reading.settingValue(entry.value, path)
                    }
                }
                return settings
            case .scalar where node.scalar == .null: return [:]
            case .scalar, .sequence:
                reading.complain(
                    "needs \(expectation), found \(node.inWords).", about: node, path)
                return nil
            }
        }
    }()
}

extension Reading {
    /// The value of a plugin's setting; nil with a diagnostic if it is not a single value.
    mutating func settingValue(_ node: ConfigNode, _ path: String) -> ParameterValue? {
        switch node.scalar {
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .number(let value): return .number(value)
        case .text(let value): return .string(value)
        case .immense: complain("\(node.inWords) is too large.", about: node, path)
        case .null: complain("has no value. Give it one, or remove it.", about: node, path)
        case nil:
            if case .refused = node.content { return nil }
            complain("needs a single value, found \(node.inWords).", about: node, path)
        }
        return nil
    }

    /// The entries of a list as lines.
    fileprivate mutating func lines(_ nodes: [ConfigNode], _ path: String) -> String? {
        var lines: [String] = []
        for (index, node) in nodes.enumerated() {
            let path = "\(path)[\(index)]"
            switch node.content {
            case .scalar(let text, _)
            where node.scalar != .null && !text.utf8.contains(UInt8(ascii: "\n")):
                lines.append(text)
            case .refused: return nil
            case .scalar, .sequence, .mapping:
                complain("needs a text of one line, found \(node.inWords).", about: node, path)
                return nil
            }
        }
        // The end of the last line may be missing, unless it is empty.
        return lines.joined(separator: "\n") + (lines.last == "" ? "\n" : "")
    }
}
