import Foundation
import GreenroomModel
import Testing

@testable import GreenroomConfig
@testable import GreenroomSchema

@Suite struct SchemaTests {
    /// A validator that is not ours: python3-jsonschema, with PyYAML to read the files.
    private static let validator = """
        import json, re, sys
        try:
            import jsonschema, yaml
        except ImportError:
            sys.exit("run: apt-get install python3-jsonschema python3-yaml")
        # YAML 1.2's booleans: "off" is a word.
        class Loader(yaml.SafeLoader):
            yaml_implicit_resolvers = {
                first: [rule for rule in rules if rule[0] != "tag:yaml.org,2002:bool"]
                for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()}
        Loader.add_implicit_resolver(
            "tag:yaml.org,2002:bool", re.compile("^(true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
        task = json.load(sys.stdin)
        schema = json.loads(task["schema"])
        Validator = jsonschema.Draft202012Validator
        Validator.check_schema(schema)
        whole = Validator(schema)
        results = [whole.is_valid(yaml.load(text, Loader)) for text in task["files"]]
        def walk(node, path):
            if isinstance(node, dict):
                for example in node.get("examples", []) + [node[k] for k in ["default"] if k in node]:
                    part = {k: v for k, v in node.items()} | {"$defs": schema["$defs"]}
                    if not Validator(part).is_valid(example):
                        sys.exit(f"{path}: {example!r} is no example")
                for key, value in node.items():
                    walk(value, f"{path}/{key}")
        walk(schema, "")
        print(json.dumps(results))
        """

    private func validate(
        _ files: [String], schema: String = SessionFile.jsonSchema
    ) throws -> [Bool] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", Self.validator]
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let task = try JSONEncoder().encode(Task(schema: schema, files: files))
        try input.fileHandleForWriting.write(contentsOf: task)
        try input.fileHandleForWriting.close()
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(
            process.terminationStatus == 0, "\(String(decoding: complaint, as: UTF8.self))")
        return try JSONDecoder().decode([Bool].self, from: result)
    }

    private struct Task: Encodable {
        var schema: String
        var files: [String]
    }

    @Test func `an independent schema validator accepts and refuses the same files`()
        throws
    {
        let samples = Samples.bad.filter {
            !$0.yaml.contains("? [a]") && !$0.yaml.contains("!mine")
        }
        let results = try validate(Samples.good + samples.map(\.yaml))
        #expect(results.count == Samples.good.count + samples.count)
        for (yaml, isValid) in zip(Samples.good, results) {
            #expect(isValid, "the schema refuses: \(yaml)")
        }
        for (sample, isValid) in zip(samples, results.dropFirst(Samples.good.count)) {
            #expect(isValid != sample.isSeenBySchema, "\(sample.yaml)")
        }
    }

    @Test func `a schema with a plugin's settings checks them wherever the plugin is named`() throws
    {
        let camera: JSON = [
            "type": ["object", "null"], "additionalProperties": false,
            "properties": ["speed": ["type": "number", "maximum": 10]],
        ]
        let output: JSON = ["type": "object", "required": ["path"]]
        let schema = SessionFile.jsonSchema(settings: [
            Schema.PluginSettings(
                section: "camera", plugins: ["Ball", "./ball.py"], settings: camera,
                areRequired: false),
            Schema.PluginSettings(
                section: "output", plugins: ["Ball"], settings: output, areRequired: true),
        ])
        let files = [
            "camera: { plugin: Ball, settings: { speed: 3 } }",
            "camera: { plugin: Ball, settings: { speed: 30 } }",
            "camera: { plugin: ./ball.py, settings: { spede: 3 } }",
            "camera: { plugin: Other, settings: { spede: 30 } }",
            "camera: { plugin: Other }\noutputs: [{ plugin: Ball, settings: { path: here } }]",
            "camera: { plugin: Other }\noutputs: [{ plugin: Ball }]",
        ]
        #expect(
            try validate(files, schema: schema) == [true, false, false, true, true, false])
    }

    @Test func `the schema is deterministic, and its sections are in the usual order`() throws {
        let schema = SessionFile.jsonSchema
        #expect(schema == SessionFile.jsonSchema)
        #expect(
            schema.hasPrefix("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\""))
        let order = ["\"session\": {", "\"camera\": {", "\"microphone\": {", "\"outputs\": {"]
        let positions = try order.map { try #require(schema.range(of: $0)).lowerBound }
        #expect(positions == positions.sorted())
        _ = try JSONSerialization.jsonObject(with: Data(schema.utf8))
    }

    @Test func `every key has a sentence and an example`() {
        for section in SessionDecoder.root.schema.sections {
            #expect(section.summary.hasSuffix("."))
            for field in section.fields {
                #expect(field.summary.hasSuffix("."), "\(section.name).\(field.key)")
                #expect(!field.examples.isEmpty, "\(section.name).\(field.key)")
            }
        }
    }

    @Test func `every section has a unique name`() {
        let sections = SessionDecoder.root.schema.sections
        #expect(Set(sections.map(\.name)).count == sections.count)
        #expect(sections.count == 21)
    }

    @Test(arguments: [
        (Pattern.size, "1280x720", true), (Pattern.size, "1280X720", false),
        (Pattern.size, "0x720", false), (Pattern.size, "+1x2", false),
        (Pattern.capability, "640x360@30", true), (Pattern.capability, "640x360@30000/1001", true),
        (Pattern.capability, "640x360", false), (Pattern.duration, "1h30m", true),
        (Pattern.duration, "1.5s", true), (Pattern.duration, "500ms", true),
        (Pattern.duration, "", false), (Pattern.duration, "5", false),
        (Pattern.duration, "1m1h", false), (MemorySize.pattern, "50 MB", true),
        (MemorySize.pattern, "1.5GB", true), (MemorySize.pattern, "50", false),
    ])
    func `the schema's patterns accept the same texts as the reader`(
        pattern: String, text: String, isRight: Bool
    ) throws {
        #expect((try Regex(pattern).wholeMatch(in: text) != nil) == isRight)
        if pattern == Pattern.duration {
            #expect((Duration(asWritten: text) != nil) == isRight)
        }
    }
}
