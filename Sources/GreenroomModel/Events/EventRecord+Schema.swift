import GreenroomSchema

extension EventRecord {
    /// A member of an event's JSON.
    package struct Member: Sendable {
        /// The member's key.
        package var name: String
        /// The member's JSON Schema.
        var type: JSON
        /// A description for users.
        package var meaning: String
    }

    /// All members, in the order of the documentation.
    package static let members: [Member] = [
        Member(name: "event", type: kinds, meaning: "the kind of event"),
        Member(
            name: "version", type: ["const": .integer(Int64(version))],
            meaning: "the version of this table; further events and members don't raise it"),
        Member(
            name: "session", type: text,
            meaning: "the session's name and process, as `greenroom sessions` lists them"),
        Member(
            name: "at", type: ["type": "string", "format": "date-time"],
            meaning: "the time of day, in UTC"),
        Member(
            name: "time", type: number,
            meaning: "seconds since the program began to run the session"),
        Member(
            name: "level", type: words(["debug", "info", "warning", "error"]),
            meaning: "how important the event is"),
        Member(
            name: "role", type: text,
            meaning: "the plugin, the output or the participant's track that the event is about"),
        Member(
            name: "origin", type: text,
            meaning: "the source of a command, with the number of its line"),
        Member(name: "text", type: text, meaning: "the event in words; the text of a message"),
        Member(
            name: "author", type: text, meaning: "who wrote a message; the operator if it is absent"
        ),
        Member(
            name: "status", type: text, meaning: "the status of a plugin's step, as in the report"),
        Member(name: "step", type: text, meaning: "the step of the lifecycle, or the callback"),
        Member(name: "seconds", type: number, meaning: "the duration that the event reports"),
        Member(
            name: "state", type: words(OutputCondition.allCases.map(\.rawValue)),
            meaning: "the state of an output plugin"),
        Member(
            name: "output", type: text, meaning: "the output that failed, or the folder on a disk"),
        Member(name: "file", type: text, meaning: "the path of a complete file"),
        Member(name: "speaker", type: text, meaning: "the speaker of a caption"),
        Member(
            name: "start", type: number,
            meaning: "the beginning of a caption, in seconds from the session's start"),
        Member(
            name: "end", type: number,
            meaning: "the end of a caption, in seconds from the session's start"),
        Member(name: "capability", type: text, meaning: "size and rate, such as `1280x720@30`"),
        Member(name: "answer", type: text, meaning: "how a source answered its offer"),
        Member(
            name: "negotiation", type: ["type": "object"],
            meaning: "the offer with its reasons, as in the report"),
        Member(
            name: "videoTracks", type: list(["type": "object"]),
            meaning: "frames of each video track so far"),
        Member(
            name: "concealed", type: number,
            meaning: "frames of silence so far because an audio source was late"),
        Member(
            name: "real",
            type: ["type": "object", "additionalProperties": number],
            meaning: "how much of each track was real so far, in per cent"),
        Member(name: "commands", type: list(text), meaning: "the available commands"),
        Member(name: "outcome", type: text, meaning: "at the end: the report's outcome"),
        Member(name: "failedPlugin", type: text, meaning: "at the end: the plugin that ended it"),
        Member(name: "exit", type: number, meaning: "at the end: the exit code"),
        Member(name: "summary", type: list(text), meaning: "the summary, line by line"),
    ]

    /// The JSON Schema (draft 2020-12) of events.
    package static var jsonSchema: String {
        let document: JSON = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Greenroom event",
            "description": .string(
                "A line of greenroom run --json, greenroom logs, and a session's socket. Readers "
                    + "ignore events and members that they don't know."),
            "type": "object",
            "required": ["event", "version", "at", "level"],
            "properties": .members(
                members.map { member in
                    guard case .object(let type) = member.type else {
                        return (member.name, member.type)
                    }
                    let description = JSON.Member(
                        key: "description", value: .string(member.meaning))
                    return (member.name, .object(type + [description]))
                }),
        ]
        return document.text
    }

    private static let text: JSON = ["type": "string"]
    private static let number: JSON = ["type": "number"]

    private static func list(_ items: JSON) -> JSON { ["type": "array", "items": items] }

    private static func words(_ words: [String]) -> JSON {
        ["enum": .array(words.map { .string($0) })]
    }

    /// Each event with its meaning.
    private static let kinds: JSON = [
        "oneOf": .array(
            EventKind.allCases.map {
                ["const": .string($0.rawValue), "description": .string($0.facts.meaning)]
            })
    ]
}
