extension Schema {
    /// The JSON Schema (draft 2020-12) of a document.
    ///
    /// - Parameters:
    ///   - title: The document's title.
    ///   - settings: Values of the key `plugin`, and the schema of its settings with each.
    package func document(
        title: String, settings: [(plugins: [String], schema: JSON)] = []
    ) -> JSON {
        var members: [(String, JSON?)] = [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("title", .string(title)),
        ]
        guard let root = section else { return .members(members) }
        members += root.members
        let names = settings.indices.map { "settings-\($0 + 1)" }
        let rules = zip(settings, names).map { setting, name -> JSON in
            [
                "if": [
                    "properties": ["plugin": ["enum": .array(setting.plugins.map { .string($0) })]],
                    "required": ["plugin"],
                ],
                "then": ["properties": ["settings": ["$ref": .string("#/$defs/\(name)")]]],
            ]
        }
        let definitions = sections.dropFirst().map { section -> (String, JSON?) in
            let hasSettings = section.fields.contains { $0.key == "settings" }
            let all = hasSettings && !rules.isEmpty ? JSON.array(rules) : nil
            return (section.name, .members(section.members + [("allOf", all)]))
        }
        let ofPlugins = zip(names, settings).map { name, setting -> (String, JSON?) in
            (name, setting.schema)
        }
        members.append(("$defs", .members(definitions + ofPlugins)))
        return .members(members)
    }

    /// The schema of a nested value.
    fileprivate var members: [(String, JSON?)] {
        switch kind {
        case .text(let pattern):
            let rule: (String, JSON?) =
                pattern.map { ("pattern", .string("^(\($0))$")) } ?? ("minLength", 1)
            return [("type", "string"), rule]
        case .choice(let choices):
            // oneOf with const, so that editors show the meaning of each word.
            return [
                (
                    "oneOf",
                    .array(
                        choices.map {
                            ["const": .string($0.word), "description": .string($0.meaning)]
                        })
                )
            ]
        case .boolean:
            return [("type", "boolean")]
        case .integer(let bounds):
            return [
                ("type", "integer"),
                ("minimum", .integer(bounds.lowerBound)),
                ("maximum", .integer(bounds.upperBound)),
            ]
        case .settings:
            return [
                ("type", ["object", "null"]),
                (
                    "additionalProperties",
                    [
                        "type": ["boolean", "number", "string", "array"],
                        "items": ["type": ["boolean", "number", "string"]],
                    ]
                ),
            ]
        case .list(let item, let count):
            return [
                ("type", count.contains(0) ? ["array", "null"] : "array"),
                ("items", .members(item.members)),
                ("minItems", count.contains(0) ? nil : .integer(Int64(count.lowerBound))),
                ("maxItems", count.upperBound == .max ? nil : .integer(Int64(count.upperBound))),
            ]
        case .section(let section):
            let short = section.fields.first { $0.key == section.shortKey }
            let forms = [
                short.map { JSON.members($0.schema.members) },
                section.mayBeEmpty ? ["type": "null"] : nil,
            ].compactMap { $0 }
            return forms.isEmpty
                ? [("$ref", section.reference)]
                : [("anyOf", .array(forms + [["$ref": section.reference]]))]
        case .named(let item, let pattern, let limit):
            return [
                ("type", "object"),
                (
                    "patternProperties",
                    .object([
                        JSON.Member(key: "^(\(pattern))$", value: .members(item.members))
                    ])
                ),
                ("additionalProperties", false),
                ("minProperties", 1),
                ("maxProperties", .integer(Int64(limit))),
            ]
        case .anyOf(let forms):
            return [("anyOf", .array(forms.map { .members($0.members) }))]
        }
    }
}

extension Schema.Section {
    fileprivate var reference: JSON { .string("#/$defs/\(name)") }

    /// The schema of the mapping.
    fileprivate var members: [(String, JSON?)] {
        let properties = fields.map { field in
            JSON.Member(
                key: field.key,
                value: .members(
                    [("description", .string(field.summary))] + field.schema.members + [
                        ("default", field.defaultValue), ("examples", .array(field.examples)),
                    ]))
        }
        let required = fields.filter(\.isRequired).map { JSON.string($0.key) }
        var members: [(String, JSON?)] = [
            ("description", .string(summary)),
            ("type", "object"),
            ("properties", .object(properties)),
            ("required", required.isEmpty ? nil : .array(required)),
            ("additionalProperties", false),
        ]
        switch presence {
        case .any: break
        case .oneOrMore(let keys):
            members.append(("anyOf", .array(keys.map { ["required": [.string($0)]] })))
        case .exactlyOneOf(let keys):
            members.append(("oneOf", .array(keys.map { ["required": [.string($0)]] })))
        case .either(let first, let alone):
            let whole = first.map { key in
                JSON.members([
                    ("required", [.string(key)]),
                    ("properties", .members(alone.map { ($0, .boolean(false)) })),
                ])
            }
            let short = alone.map {
                JSON.object([
                    JSON.Member(key: "required", value: [.string($0)]),
                    JSON.Member(key: "maxProperties", value: 1),
                ])
            }
            members.append(("oneOf", .array(whole + short)))
        }
        return members
    }
}
