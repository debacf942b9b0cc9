extension Schema {
    /// The settings of a plugin, for the sections that may name it.
    package struct PluginSettings: Sendable {
        /// The name of the sections.
        package var section: String
        /// The values of the key `plugin` that mean it.
        package var plugins: [String]
        /// The schema of its settings.
        package var settings: JSON
        /// Whether the key `settings` must be present.
        package var areRequired: Bool

        package init(section: String, plugins: [String], settings: JSON, areRequired: Bool) {
            self.section = section
            self.plugins = plugins
            self.settings = settings
            self.areRequired = areRequired
        }

        fileprivate var rule: JSON {
            [
                "if": [
                    "properties": ["plugin": ["enum": .array(plugins.map { .string($0) })]],
                    "required": ["plugin"],
                ],
                "then": .members([
                    ("properties", ["settings": settings]),
                    ("required", areRequired ? ["settings"] : nil),
                ]),
            ]
        }
    }

    /// The JSON Schema (draft 2020-12) of a document.
    ///
    /// - Parameters:
    ///   - title: The document's title.
    ///   - settings: The settings of plugins.
    package func document(title: String, settings: [PluginSettings] = []) -> JSON {
        var members: [(String, JSON?)] = [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("title", .string(title)),
        ]
        guard let root = section else { return .members(members) }
        members += root.members
        let definitions = sections.dropFirst().map { section -> (String, JSON?) in
            let rules = settings.filter { $0.section == section.name }.map(\.rule)
            return (
                section.name,
                .members(section.members + [("allOf", rules.isEmpty ? nil : .array(rules))])
            )
        }
        members.append(("$defs", .members(definitions)))
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
