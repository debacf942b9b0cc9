@testable import GreenroomConfig
@testable import GreenroomSchema
@testable import GreenroomOutputs
import GreenroomSession
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import Testing

@Suite struct OverrideTests {
    private let yaml = """
        camera: { plugin: ColorBars, settings: { pattern: bars } }
        outputs:
          - record: here
        """

    @Test func `an argument's value replaces the file's value`() throws {
        let file = try read(yaml, overrides: [.set("camera.settings.pattern=grey")])
        let path = "camera.settings.pattern"
        #expect(file.configuration.slots[.camera]?.plugin.settings["pattern"] == "grey")
        #expect(
            file.places.diagnostic(ConfigurationProblem("", at: path)).place
                == SourceLocation(.argument("--set camera.settings.pattern=grey"), path: path))
    }

    @Test func `the last of two arguments for a key applies`() throws {
        let file = try read(yaml, overrides: [.duration("10s"), .set("session.duration=3s")])
        #expect(file.configuration.duration == .seconds(3))
    }

    @Test func `an argument creates missing sections`() throws {
        let file = try read(
            yaml,
            overrides: [
                .set("microphone.plugin=Tone"), .set("camera.pre-processors[0].plugin=Watermark"),
                .set("camera.pre-processors[0].settings.opacity=0.5"),
            ])
        #expect(file.configuration.slots[.microphone]?.plugin.plugin == "Tone")
        #expect(file.configuration.slots[.camera]?.filters.first?.settings.values.first == 0.5)
    }

    @Test func `an argument expands a short form to its section`() throws {
        let file = try read(
            yaml, overrides: [.set("outputs[0].record.size=640x360")])
        let recording = try #require(file.configuration.outputs.first?.output as? Recording)
        #expect(recording.folder == "/sessions/here")
        #expect(recording.video.size?.description == "640x360")
    }

    @Test func `an argument can append an entry to a list`() throws {
        let file = try read(
            yaml, overrides: [.set("outputs[1].record.folder=/tmp/x")])
        #expect(file.configuration.outputs.count == 2)
    }

    @Test(
        arguments: [
            ("a: b # c", .string("a: b # c")), ("*x", .string("*x")), ("-", .string("-")),
            ("", .string("")), ("5", .integer(5)), ("\"5\"", .string("5")), ("'5'", .string("5")),
            ("a=b", .string("a=b")), ("true", .boolean(true)), ("a]", .string("a]")),
        ] as [(String, ParameterValue)])
    func `an argument's value has the type of its text, and quotes make it a string`(
        text: String, value: ParameterValue
    ) throws {
        let file = try read(yaml, overrides: [.set("camera.settings.x=\(text)")])
        #expect(file.configuration.slots[.camera]?.plugin.settings["x"] == value)
    }

    @Test func `an argument's value can be a list or a section`() throws {
        let file = try read(
            yaml,
            overrides: [
                .set("outputs=[{record: a}, {y4m: \"-\"}]"), .set("camera.settings={a: 1, b: 2}"),
            ])
        #expect(file.configuration.outputs.count == 2)
        #expect(file.configuration.slots[.camera]?.plugin.settings.keys.sorted() == ["a", "b"])
    }

    @Test(arguments: [
        (
            "camera.settngs.x=1",
            #"camera.settngs: unknown key. Did you mean "settings"?"#
        ),
        ("camera", "needs PATH=VALUE, such as --set camera.settings.pattern=grey."),
        ("camera..x=1", "needs PATH=VALUE, such as --set camera.settings.pattern=grey."),
        ("=1", "needs PATH=VALUE, such as --set camera.settings.pattern=grey."),
        ("outputs[x].record=1", "needs PATH=VALUE, such as --set camera.settings.pattern=grey."),
        (
            "outputs[5].record=a",
            "outputs: has 1 entries. Write [1] to add one."
        ),
        (
            "camera[0]=a",
            "camera: has no entry [0]: it is a section."
        ),
        (
            "camera.settings.pattern.x=1",
            #"camera.settings.pattern: has no key "x": it is the text "bars"."#
        ),
        (
            "session.duration=3",
            "session.duration: needs a time such as 10s, 500ms, 2m or 1h30m, from 1ms to 8760h, "
                + "found the number 3. Write 3s."
        ),
        (
            "camera.settings={a: ",
            "camera.settings: missing value before this. Write it, or remove its key or "
                + "dash."
        ),
    ])
    func `an error about an argument's value quotes the argument`(
        assignment: String, message: String
    ) {
        #expect(
            faults(yaml, overrides: [.set(assignment)]) == ["--set \(assignment): \(message)"])
    }

    @Test func `errors of file and arguments are reported together, the file's first`() {
        let told = faults(
            "camera: { plugin: A, plugn: B }",
            overrides: [.duration("x"), .set("share.plugin=true")])
        #expect(told.count == 3)
        #expect(told[0].hasPrefix("1:22: camera.plugn"))
        #expect(told.contains { $0.hasPrefix("--duration x: session.duration: needs a time") })
        #expect(told.contains { $0.hasPrefix("--set share.plugin=true: share.plugin: needs") })
    }
}
