@testable import GreenroomConfig
@testable import GreenroomSchema
@testable import GreenroomOutputs
import GreenroomSession
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import Testing

/// Reads a text as the file `s.yaml` of the folder `/sessions`.
func read(
    _ yaml: String, overrides: [Override] = []
) throws(SessionFileError) -> SessionFile {
    try read(Array(yaml.utf8), overrides: overrides)
}

func read(
    _ bytes: [UInt8], overrides: [Override] = []
) throws(SessionFileError) -> SessionFile {
    try SessionFile.read(bytes, file: "s.yaml", folder: "/sessions", overrides: overrides)
}

/// The diagnostics of a file, one line each, without the file's name and quoted lines.
func faults(_ yaml: String, overrides: [Override] = []) -> [String] {
    faults(Array(yaml.utf8), overrides: overrides)
}

func faults(_ bytes: [UInt8], overrides: [Override] = []) -> [String] {
    do {
        _ = try read(bytes, overrides: overrides)
        return []
    } catch {
        return error.diagnostics.map { diagnostic in
            let first = error.source.render(diagnostic).prefix { $0 != "\n" }
            return String(first.hasPrefix("s.yaml:") ? first.dropFirst(7) : first)
        }
    }
}

@Suite struct ReadingTests {
    @Test(
        arguments: [
            ("rtmp://host/x", "The output Stream sends to rtmp addresses."),
            ("srt://host:9000", "The output Stream sends to srt addresses."),
            ("rtmps://host/talk.mkv", "The output Stream sends to rtmps addresses."),
            (
                "https://host/whip",
                "The call WebRoom publishes there by WHIP: call: { plugin: WebRoom, settings: { "
                    + "publish: URL } }."
            ),
            ("file:///tmp/x", "Write the path without file://."),
            ("s3://bucket", "A recording is a folder or a file on this machine."),
        ])
    func `a URL as the path of a recording is refused with the fix`(url: String, cure: String) {
        for written in ["record: \(url)", "record: { folder: \"\(url)\" }"] {
            let told = faults("camera: { plugin: A }\noutputs: [{ \(written) }]")
            #expect(
                told.count == 1
                    && told[0].hasSuffix("needs the path of a folder, found a URL. \(cure)"),
                "\(told)")
        }
    }

    @Test func `a URL as the path of a socket or a grant is refused`() {
        let told = faults(
            """
            share: { connect: "unix://run/s" }
            camera: { plugin: A, isolation: process, allow: { read: ["http://x/y", "a:/b", "c"] } }
            """)
        #expect(told.count == 2 && told.allSatisfy { $0.contains("found a URL") }, "\(told)")
    }

    @Test(arguments: [
        ("{ url: rtmp://ana:pin@host:1/pin/pin?pin#pin }", "rtmp://*******@host:1/***************"),
        ("{ url: 'srt://pin@:9?pin', b: c:d }", "srt://***@:9?***', b: c:d }"),
        ("{ url: [udp://a/pin, http://b] }", "udp://a/***, http://b]"),
        // A password that belongs into %2F, and one with marks of YAML.
        ("{ url: rtsp://ana:p/pin@host:1/x }", "rtsp://****************** }"),
        ("{ url: rtsp://ana:p,p]pin@host/x }", "rtsp://***********@host/* }"),
    ])
    func `a quoted line shows no credentials of a URL`(line: String, shown: String) throws {
        let error = #expect(throws: SessionFileError.self) {
            _ = try read("sesion: \(line)\n")
        }
        let text = try #require(error).description
        #expect(text.contains(shown), "\(text)")
        #expect(!text.contains("pin"), "\(text)")
    }

    @Test(arguments: Samples.good)
    func `a valid file is read`(yaml: String) {
        #expect(faults(yaml) == [])
    }

    @Test(arguments: Samples.bad + Samples.malformed)
    func `every error has its location and fix`(sample: Samples.Bad) {
        #expect(faults(sample.yaml) == sample.faults)
    }

    private static let call = "call: { plugin: LoopbackCall }\n"

    @Test(
        arguments: [
            ("participant *", nil, nil), ("participant Ana", "Ana", nil),
            ("participant * camera", nil, .track(.camera)),
            ("participant Ana share-audio", "Ana", .track(.shareAudio)),
            ("participant * mix-minus", nil, .mixMinus),
            ("participant Ana mix-minus", "Ana", .mixMinus),
            ("participant Ana Maria", "Ana Maria", nil),
            ("participant  Ana  Maria  camera", "Ana Maria", .track(.camera)),
            ("participant ana", "ana", nil), ("participant camera", "camera", nil),
            ("participant \"Ana cam\"", "Ana cam", nil),
            ("participant \"Ana  cam\" microphone", "Ana  cam", .track(.microphone)),
            ("participant \"*\"", "*", nil), ("participant 花子 share", "花子", .track(.share)),
        ] as [(String, String?, TrackSelection.Participants.Kind?)])
    func `a participant's name may contain spaces`(
        rule: String, name: String?, kind: TrackSelection.Participants.Kind?
    ) throws {
        let yaml = Self.call + "outputs: [{ plugin: SpeakerFile, tracks: ['\(rule)'] }]"
        let selection = try read(yaml).configuration.outputs.compactMap(\.output.selection).first
        #expect(selection?.participants == [.init(name: name, kind: kind)])
    }

    @Test(arguments: [
        "participant Ana cam", "participant * video", "participant * Ana", "participant \"Ana",
        "participant \"Ana\" cam", "participant \"Ana\"camera", "participant \"\"",
    ])
    func `an error about an unknown track of a participant lists the tracks`(rule: String) {
        let found = faults(
            Self.call + "outputs: [{ plugin: SpeakerFile, tracks: ['\(rule)'] }]")
        #expect(found.count == 1)
        #expect(
            found.first?.contains("camera, microphone, share, share-audio or mix-minus") == true,
            "\(found)")
    }

    @Test func `every key sets its value`() throws {
        let file = try read(
            """
            session: { name: demo, maximum: 1280x720@60, duration: 1m10s, callback-deadline: 1s }
            camera:
              plugin: ColorBars
              on-failure: off
              callback-deadline: 5s
              pre-processors: [{ plugin: Watermark, on-failure: restart }, { plugin: lib/Mine.so }]
            microphone: { plugin: /opt/libTone.so }
            share: { plugin: Slides, audio: { plugin: Tone } }
            outputs:
              - record: out
              - record: { folder: /abs, size: 1280x720, fps: 30000/1001, fit: crop, overwrite: true }
              - loudspeaker: plughw:0,0
              - loudspeaker:
              - y4m: { track: share, size: 640x360, fps: 15, fit: reject }
            """)
        #expect(file.configuration.name == "demo")
        #expect(file.configuration.maximum == VideoCapability(width: 1280, height: 720, fps: 60))
        #expect(file.configuration.duration == .seconds(70))
        #expect(file.configuration.callbackDeadline == .seconds(1))
        #expect(file.configuration.folder == "/sessions")
        #expect(file.configuration.slots[.camera]?.plugin.plugin == "ColorBars")
        #expect(file.configuration.slots[.camera]?.plugin.onFailure == .off)
        #expect(file.configuration.slots[.camera]?.plugin.callbackDeadline == .seconds(5))
        #expect(
            (file.configuration.slots[.camera]?.filters ?? []).map(\.plugin)
                == ["Watermark", "/sessions/lib/Mine.so"])
        #expect(
            (file.configuration.slots[.camera]?.filters ?? []).map(\.onFailure) == [.restart, nil])
        #expect(file.configuration.slots[.microphone]?.plugin.plugin == "/opt/libTone.so")
        #expect(file.configuration.slots[.share]?.plugin.plugin == "Slides")
        #expect(file.configuration.slots[.shareAudio]?.plugin.plugin == "Tone")
        let rate = try #require(FrameRate("30000/1001"))
        let picture = VideoSinkWant(
            size: FrameSize(width: 1280, height: 720), rate: rate, fit: .crop)
        let small = VideoSinkWant(
            size: FrameSize(width: 640, height: 360), rate: FrameRate(15), fit: .reject)
        let outputs = file.configuration.outputs.map(\.output)
        try #require(outputs.count == 5)
        #expect(outputs[0] as? Recording == Recording(folder: "/sessions/out"))
        #expect(
            outputs[1] as? Recording == Recording(folder: "/abs", video: picture, overwrite: true))
        #expect(outputs[2] as? LoudspeakerOutput == LoudspeakerOutput(device: "plughw:0,0"))
        #expect(outputs[3] as? LoudspeakerOutput == LoudspeakerOutput(device: "default"))
        #expect(outputs[4] as? Y4MOutput == Y4MOutput(track: .share, video: small))
    }

    @Test func `a recording path with the ending of a media file is a file, not a folder`() throws {
        let file = try read(
            """
            camera: { plugin: A }
            outputs:
              - record: talks/one.mkv
              - record: /abs/two.MP4
              - record: three.webm
              - record: four.v2
            """)
        let outputs = file.configuration.outputs.map(\.output)
        #expect(
            outputs.map { ($0 as? FileRecording)?.file }
                == ["/sessions/talks/one.mkv", "/abs/two.MP4", "/sessions/three.webm", nil])
        #expect(outputs[0].plugin?.plugin == "Recorder")
        #expect(outputs[0].plugin?.settings == ["file": .string("/sessions/talks/one.mkv")])
        #expect(outputs[0].writtenFolder == "/sessions/talks")
        #expect((outputs[3] as? Recording)?.folder == "/sessions/four.v2")
    }

    @Test func `missing keys have their defaults`() throws {
        let file = try read("camera: { plugin: A }\noutputs: [{ y4m: \"-\" }]")
        #expect(file.configuration.name == "s")
        #expect(file.configuration.maximum == VideoCapability(width: 1920, height: 1080, fps: 30))
        #expect(file.configuration.duration == nil)
        #expect(file.configuration.callbackDeadline == nil)
        #expect(file.configuration.slots[.camera]?.plugin.onFailure == nil)
        #expect(file.configuration.outputs.map { $0.output as? Y4MOutput } == [Y4MOutput()])
    }

    @Test(
        arguments: [
            ("true", .boolean(true)), ("False", .boolean(false)), ("0", .integer(0)),
            ("-12", .integer(-12)), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("0.5", .number(0.5)),
            (".5", .number(0.5)), ("5.", .number(5)), ("-.5e1", .number(-5)),
            ("1e3", .number(1000)),
            ("yes", .string("yes")), ("off", .string("off")), ("0x10", .string("0x10")),
            ("007", .string("007")), ("+5", .string("+5")), ("1_000", .string("1_000")),
            (".", .string(".")), ("-", .string("-")), ("e5", .string("e5")),
            (".inf", .string(".inf")),
            ("10:30", .string("10:30")), ("\"5\"", .string("5")), ("'true'", .string("true")),
            ("!!str 5", .string("5")), ("a b", .string("a b")), ("\"\"", .string("")),
            ("2024-01-01", .string("2024-01-01")),
        ] as [(String, ParameterValue)])
    func `a setting's type follows its text`(yaml: String, value: ParameterValue) throws {
        // "-" alone would begin a list.
        let yaml = yaml == "-" ? "\"-\"" : yaml
        let file = try read("camera:\n  plugin: A\n  settings:\n    x: \(yaml)\n")
        #expect(file.configuration.slots[.camera]?.plugin.settings == ["x": value])
    }

    @Test func `a setting keeps its location for the plugin's check`() throws {
        let file = try read(
            "camera:\n  plugin: A\n  pre-processors:\n    - plugin: B\n      settings:\n"
                + "        path: logo.png\n        opacity: 0.6\n")
        let plugin = try #require(file.configuration.slots[.camera]?.filters.first)
        let path = "camera.pre-processors[0].settings.opacity"
        #expect(plugin.settings == ["path": "logo.png", "opacity": 0.6])
        let key = file.places.diagnostic(ConfigurationProblem("", at: path, isOfKey: true))
        #expect(key.place == SourceLocation(.file(line: 7, column: 9), path: path))
        // What is missing is told at the section that lacks it.
        let missing = file.places.diagnostic(ConfigurationProblem("", at: "\(path)s"))
        #expect(missing.place.origin == .file(line: 6, column: 9))
        let later = file.located(
            ConfigurationError([ConfigurationProblem("2 is out of bounds.", at: path)]))
        #expect(
            "\(later)" == """
                s.yaml:7:18: camera.pre-processors[0].settings.opacity: 2 is out of bounds.
                        opacity: 0.6
                                 ^
                """)
    }

    @Test(
        arguments: [
            ("10s", .seconds(10)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)),
            ("1h30m", .seconds(5400)), ("1.5s", .milliseconds(1500)),
            ("1m0.25s", .milliseconds(60250)),
            ("1h1m1s1ms", .milliseconds(3_661_001)), ("0.0000000019s", .nanoseconds(1)),
            ("10", nil), ("s", nil), ("", nil), ("-1s", nil), ("1m1h", nil), ("1s ", nil),
            ("1.s", nil), ("5x", nil), ("1.5m", nil), ("99999999999999999999s", nil),
            ("2147483647h", nil),
        ] as [(String, Duration?)])
    func `a duration has units, largest first`(text: String, duration: Duration?) {
        #expect(Duration(asWritten: text) == duration)
    }

    @Test(arguments: ["10s", "500ms", "2m", "1h30m", "1h1m1s1ms", "0s"])
    func `a duration survives conversion to text`(text: String) {
        #expect(Duration(asWritten: text)?.asWritten == text)
    }
}
