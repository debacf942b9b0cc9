import ArgumentParser
import GreenroomMedia
import GreenroomModel

/// A kind of plugin for `greenroom new`. To add a kind, add an entry to ``all`` and the templates.
struct PluginTemplate: Sendable {
    /// The kind.
    var kind: PluginKind
    /// The special name of a kind, such as a speaker, which is an output; nil if none.
    var special: (word: String, title: String)?
    /// The suffix of the Swift type's name. No type in a template, no Swift keyword and no target
    /// of Greenroom's package has this suffix, so any name can precede it.
    var typeSuffix: String
    /// The plugin's content.
    var content: String
    /// The one setting of the templates, with its default and another value.
    var setting: (name: String, usual: Int, another: Int)
    /// The task of the function that an author changes first.
    var task: String
    /// The fake plugins that the Swift test needs, and the state that the test expects after a
    /// second.
    var test: (fakes: [String], expectation: String)
    /// The steps of the Python test, which call the function that an author changes first, and
    /// their expected result.
    var pythonTest: PythonTest

    typealias PythonTest = (steps: [String], expectation: String)
    /// The function and the template of the source, by language.
    var sources: [NewPlugin.Language: (function: String, template: String)]
    /// The plugin that a session also needs: the source of a filter, an output or a call, or the
    /// share with the audio; nil if none.
    var companion: String?
    /// The key of the companion in the session file, beside an output or a call.
    var companionKey = SessionRole.camera.facts.key
    /// The file that an output writes, and the setting that names it; nil if the plugin writes
    /// none.
    var file: (setting: String, path: String)?
    /// The replacements in the source.
    var replacements: [(String, String)] = []

    private static let draws: PythonTest = (["host.advance(0.5)"], "assert host.frames")
    private static let plays: PythonTest = (
        ["host.advance(0.5)"], "assert any(any(block.pcm) for block in host.audio)"
    )
    private static let shows: PythonTest = (
        [#"host.show(host.join("Ana", "camera"), host.picture())"#],
        #"assert host.report["brightness"] == 128"#
    )

    /// The table of kinds.
    static let all = [
        PluginTemplate(
            kind: .videoSource, typeSuffix: "Camera",
            content: "stripes of light that drift across the frame",
            setting: ("stripes", 8, 20), task: "a frame is drawn",
            test: (
                [], #"#expect(session.takeFrames(of: "camera").count { $0.content == .new } >= 29)"#
            ),
            pythonTest: draws,
            sources: [
                .swift: ("fill", "Camera.swift"),
                .python: ("draw", "camera.py"),
                .c: ("draw", "camera.c"),
                .cxx: ("fill", "camera.cpp"),
            ]),
        PluginTemplate(
            kind: .virtualMic, typeSuffix: "Mic", content: "a sine of any frequency",
            setting: ("frequency", 440, 1000), task: "the plugin produces samples",
            test: ([], #"#expect(session.takeSamples(of: "microphone").contains { $0 != 0 })"#),
            pythonTest: plays,
            sources: audio),
        PluginTemplate(
            kind: .shareSource, typeSuffix: "Share", content: "a page of text that scrolls",
            setting: ("lines", 30, 12), task: "a frame is drawn",
            test: (
                [], #"#expect(session.takeFrames(of: "share").contains { $0.content == .new })"#
            ),
            pythonTest: draws,
            sources: [
                .swift: ("fill", "Share.swift"),
                .python: ("draw", "share.py"),
                .c: ("draw", "share.c"),
                .cxx: ("fill", "share.cpp"),
            ]),
        PluginTemplate(
            kind: .shareAudioSource, typeSuffix: "Audio", content: "a sine of any frequency",
            setting: ("frequency", 440, 1000), task: "the plugin produces samples",
            test: ([], #"#expect(session.takeSamples(of: "share-audio").contains { $0 != 0 })"#),
            pythonTest: plays,
            sources: audio,
            companion: "ColorBarsShare",
            // The audio of a share is a microphone's of another kind.
            replacements: [
                ("MyPlugin: Microphone", "MyPlugin: ScreenAudio"),
                ("GR_KIND_VIRTUAL_MIC", "GR_KIND_SHARE_AUDIO_SOURCE"),
                ("greenroom::Microphone", "greenroom::ScreenAudio"),
                ("greenroom.Microphone", "greenroom.ShareAudio"),
            ]),
        PluginTemplate(
            kind: .preProcessor, typeSuffix: "Filter", content: "the brown of old photographs",
            setting: ("strength", 80, 100), task: "a frame is edited",
            test: (
                ["FakeCamera"],
                #"#expect(session.takeFrames(of: "camera").last?.planes[1].contains(128) == false)"#
            ),
            pythonTest: (
                [
                    "edited = host.edit(host.picture(u=128))"
                ],
                "assert memoryview(edited.planes[1])[0, 0] != 128"
            ),
            sources: [
                .swift: ("onPreProcessRawData", "PreProcessor.swift"),
                .python: ("edit", "pre-processor.py"),
                .c: ("process", "pre-processor.c"),
                .cxx: ("process", "pre-processor.cpp"),
            ], companion: "ColorBars"),
        PluginTemplate(
            kind: .audioPreProcessor, typeSuffix: "Effect", content: "a voice that trembles",
            setting: ("rate", 5, 9), task: "a block of audio is edited",
            test: (
                ["FakeMicrophone"],
                #"#expect(session.takeSamples(of: "microphone").contains { $0 != 0 && $0 != 1000 })"#
            ),
            pythonTest: (
                [
                    #"block = b"\0\x20" * 480  # 10 ms"#,
                    "edited = host.edit_audio(block)",
                ],
                "assert edited != block"
            ),
            sources: [
                .swift: ("onPreProcessRawData", "AudioPreProcessor.swift"),
                .python: ("edit", "audio-pre-processor.py"),
                .c: ("process", "audio-pre-processor.c"),
                .cxx: ("process", "audio-pre-processor.cpp"),
            ], companion: "Tone"),
        PluginTemplate(
            kind: .output, typeSuffix: "Sink",
            content: "the brightness of the camera as lines of CSV",
            setting: ("every", 30, 50), task: "the plugin accepts a frame",
            test: (
                ["FakeCamera"],
                #"#expect(session.reportedValues(of: "outputs[0]")["brightness"] != nil)"#
            ),
            pythonTest: shows,
            sources: [
                .swift: ("onVideo", "Output.swift"),
                .python: ("video", "output.py"),
                .c: ("video", "output.c"),
                .cxx: ("on_video", "output.cpp"),
            ], companion: "ColorBars", file: ("file", "brightness.csv")),
        PluginTemplate(
            kind: .output, special: ("speaker", "a speaker"), typeSuffix: "Loudspeaker",
            content: "the loudness of the session's audio as lines of CSV",
            setting: ("every", 10, 50), task: "the plugin accepts a block",
            test: (
                ["FakeMicrophone"],
                #"#expect(session.reportedValues(of: "outputs[0]")["loudness"] != nil)"#
            ),
            pythonTest: (
                [
                    #"host.say(host.join("Ana", "mix"), b"\0\x20" * 48000)"#
                ],
                #"assert host.report["loudness"] == 0.25"#
            ),
            sources: [
                .swift: ("onVirtualSpeakerMixedAudioReceived", "Speaker.swift"),
                .python: ("audio", "speaker.py"),
                .c: ("audio", "speaker.c"),
                .cxx: ("on_audio", "speaker.cpp"),
            ], companion: "Tone", companionKey: SessionRole.microphone.facts.key,
            file: ("file", "loudness.csv")),
        PluginTemplate(
            kind: .output, special: ("receiver", "a receiver of participants' video"),
            typeSuffix: "Viewer",
            content: "the brightness of each participant's camera as lines of CSV",
            setting: ("every", 15, 25), task: "the plugin accepts a frame",
            test: (
                ["FakeCall"],
                #"#expect(session.reportedValues(of: "outputs[0]")["brightness"] == 100)"#
            ),
            pythonTest: shows,
            sources: [
                .swift: ("onRawDataFrameReceived", "Receiver.swift"),
                .python: ("seen", "receiver.py"),
                .c: ("video", "receiver.c"),
                .cxx: ("on_video", "receiver.cpp"),
            ], companion: "LoopbackCall", companionKey: PluginAddress.callKey,
            file: ("file", "participants.csv")),
        PluginTemplate(
            kind: .output, special: ("bot", "a bot"), typeSuffix: "Bot",
            content: "a tone that answers each participant",
            setting: ("frequency", 440, 1000), task: "somebody begins or ends to speak",
            test: ([], ""),
            pythonTest: (
                [
                    #"ana = host.join("Ana")"#,
                    #"host.say(ana, b"\0\x20" * 16000)  # a second of speech"#,
                    "host.say(ana, bytes(32000))  # a second of silence",
                ],
                "assert any(any(block.pcm) for block in host.audio)"
            ),
            sources: [.python: ("speaking", "bot.py")],
            companion: "LoopbackCall", companionKey: PluginAddress.callKey),
        PluginTemplate(
            kind: .call, typeSuffix: "Meeting",
            content: "one participant with a camera and a microphone",
            setting: ("frequency", 440, 1000), task: "the participant joins and begins to send",
            test: (
                [], #"#expect(session.takeSamples(of: "guest-microphone").contains { $0 != 0 })"#
            ),
            pythonTest: ([], ""),
            sources: [
                .swift: ("onStart", "Call.swift"),
                .c: ("start_send", "call.c"),
                .cxx: ("on_start", "call.cpp"),
            ], companion: "Tone", companionKey: SessionRole.microphone.facts.key),
        PluginTemplate(
            kind: .composer, typeSuffix: "Stage", content: "all cameras and shares side by side",
            setting: ("brightness", 100, 50), task: "a frame is drawn",
            test: (
                ["FakeCamera"],
                #"#expect(session.takeFrames(of: "stage").contains { $0.content == .new })"#
            ),
            pythonTest: (
                [
                    #"host.show(host.join("Ana", "camera"), host.picture())"#,
                    "host.advance(0.5)",
                ],
                "assert any(memoryview(frame.planes[0])[0, 0] == 128 for frame in host.frames)"
            ),
            sources: [
                .swift: ("fill", "Composer.swift"),
                .python: ("compose", "composer.py"),
                .c: ("draw", "composer.c"),
                .cxx: ("fill", "composer.cpp"),
            ], companion: "ColorBars"),
    ]

    private static let audio: [NewPlugin.Language: (function: String, template: String)] = [
        .swift: ("fill", "Microphone.swift"),
        .python: ("fill", "microphone.py"),
        .c: ("fill", "microphone.c"),
        .cxx: ("fill", "microphone.cpp"),
    ]

    /// Whether the plugin is an agent: a microphone as well.
    var isAgent: Bool { special?.word == "bot" }

    /// The argument of `greenroom new`.
    var word: String { special?.word ?? kind.facts.word }

    /// The kind's name in messages, with its article.
    var title: String { special?.title ?? kind.facts.title }

    /// The plugin's place in a session.
    var address: PluginAddress { PluginAddress(of: kind) }

    /// The file with the plugin's result: the plugin's own file or the recording.
    var result: String {
        if let file { return file.path }
        guard !kind.isCall else { return "recording/guest-camera.y4m" }
        guard !isAgent else { return "recording/camera.wav" }
        let track = address.role?.track ?? .camera
        return "recording/\(track.rawValue).\(kind.facts.medium == .audio ? "wav" : "y4m")"
    }
}

extension PluginTemplate: ExpressibleByArgument {
    /// Finds a template by the word of a role, or by the name that `greenroom plugins` shows, with
    /// hyphens.
    init?(argument: String) {
        let template = Self.all.first {
            $0.word == argument
                || $0.kind.name.split(separator: " ").joined(separator: "-") == argument
        }
        guard let template else { return nil }
        self = template
    }

    static var allValueStrings: [String] { all.map(\.word) }
    var defaultValueDescription: String { word }
}
