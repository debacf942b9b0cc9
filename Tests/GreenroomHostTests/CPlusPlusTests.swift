import SessionTestSupport
import TestSupport
import Testing

/// `greenroom/plugin.hpp`: no exception leaves through the C border, and each one's text arrives.
@Suite(.ownThreads) struct CPlusPlusTests {
    private static let texts = [
        "error": "no lens: plug one in", "standard": "basic_string::at",
        "number": "an exception that is no std::exception",
    ]

    /// A session in the host's process, which an exception outside the plugin would end.
    private func run(
        _ role: String, _ plugin: String, _ settings: String, timeline: [String] = []
    ) throws -> (FileSession, Finished) {
        let library = FileSession.library(
            "\(try TestPlugins.throwing())#\(plugin)", settings, "on-failure: off")
        let session = try FileSession(
            role == "filter"
                ? "camera: { plugin: ColorBars, pre-processors: [\(library)] }"
                // With a source that continues without the plugin.
                : "\(role): \(library)\nshare: { plugin: ColorBarsShare }",
            clock: "virtual", timeline: timeline)
        return (session, try session.run("--json"))
    }

    @Test(arguments: ["initialize", "start"], ["error", "standard", "number"])
    func `an exception in a callback fails the step, with its text`(place: String, kind: String)
        throws
    {
        let (_, run) = try run("camera", "ThrowingCamera", "place: \(place), kind: \(kind)")
        #expect(run.exit == .code(0), "\(run)")
        let step = place == "start" ? "start-send" : place
        let status = kind == "error" ? "UNAVAILABLE" : "FAILED"
        let text = try #require(Self.texts[kind])
        let failure = try #require(try run.events("step-failed", of: "camera").first)
        #expect(failure.status == status && failure.step == step, "\(run.text)")
        #expect(failure.text?.hasPrefix(text) == true, "\(run.text)")
    }

    @Test(arguments: [("camera", "ThrowingCamera"), ("microphone", "BareLoop")])
    func `an exception on the sending thread ends the source with its text`(
        role: String, plugin: String
    )
        throws
    {
        let (session, run) = try run(role, plugin, "place: frame, kind: standard")
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        let reason = try #require(try run.events("plugin-gave-up", of: role).first)
        #expect(reason.status == "FAILED", "\(run.text)")
        #expect(reason.text?.hasPrefix("basic_string::at") == true, "\(run.text)")
        let report = try session.report()
        let accepted =
            role == "camera"
            ? try report.picture(role).accepted : try report.sound(role).accepted
        #expect(accepted == (role == "camera" ? 10 : 11), "\(run)")
    }

    @Test func `an exception in the answer to a new offer keeps the present format`() throws {
        let (session, run) = try run(
            "camera", "ThrowingCamera", "place: offer",
            timeline: ["at: 200ms, ceiling: 212x160@15"])
        #expect(run.exit == .code(0), "\(run)")
        let failure = try #require(try run.events("step-failed", of: "camera").first)
        #expect(failure.status == "UNAVAILABLE" && failure.step == "property-change")
        #expect(failure.text?.hasPrefix("no lens") == true, "\(run.text)")
        #expect(try session.report().picture("camera").accepted == 12)
    }

    @Test(arguments: ["stop", "uninitialize"])
    func `an exception in stop or uninitialize does not harm the session`(place: String) throws {
        let (session, run) = try run("camera", "ThrowingCamera", "place: \(place)")
        #expect(run.exit == .code(0), "\(run)")
        #expect(try session.report().plugin("camera").state == "destroyed")
    }

    @Test func `an exception in a filter leaves its frames unedited`() throws {
        let (session, run) = try run("filter", "ThrowingFilter", "place: frame, kind: number")
        #expect(run.exit == .code(66), "no frame is as the filter should make it: \(run)")
        let picture = try session.report().picture("camera")
        #expect(picture.unprocessed.total == 12, "\(run)")
        let lines = try run.events("log", of: "camera.pre-processors[0]").map(\.text)
        #expect(lines == ["an exception that is no std::exception"], "once in a row: \(run.text)")
    }

    @Test(arguments: ["nowhere", "offer"])
    func `a filter follows a new size unless its answer throws`(
        place: String
    ) throws {
        let (session, run) = try run(
            "filter", "ThrowingFilter", "place: \(place)",
            timeline: ["at: 200ms, ceiling: 212x160@15"])
        #expect(run.exit == .code(0), "\(run)")
        let role = "camera.pre-processors[0]"
        let failures = try run.events("step-failed", of: role)
        #expect(
            failures.map(\.step) == (place == "offer" ? ["property-change"] : []), "\(run.text)")
        let plugin = try session.report().plugin(role)
        #expect(plugin.offer?.revision == (place == "offer" ? 1 : 2), "\(run.text)")
        #expect(try session.report().picture("camera").unprocessed.total == 0)
    }

    @Test
    func `an exception in a change of a setting is logged, and the source continues`() throws {
        let (session, run) = try run(
            "camera", "ThrowingCamera", "",
            timeline: ["at: 200ms, set: camera.settings.live=13"])
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.text.contains("unlucky"), "\(run)")
        #expect(try session.report().picture("camera").accepted == 12)
    }

    @Test func `the host paces a loop that only sends`() throws {
        let (session, run) = try run("microphone", "BareLoop", "")
        #expect(run.exit == .code(0), "\(run)")
        let sound = try session.report().sound("microphone")
        #expect(
            sound.refused.keys.allSatisfy { $0 == "STOPPED" } && sound.concealed == 0, "\(sound)")
        // 800 ms, and what the queue holds.
        #expect((80...101).contains(sound.accepted), "\(sound)")
    }

    @Test func `a microphone reads how much audio is queued, and clears the queue once`() throws {
        let (_, run) = try run("microphone", "Interrupted", "")
        #expect(run.exit == .code(66) || run.exit == .code(0), "\(run)")
        let lines = try run.events("log", of: "microphone").compactMap(\.text)
        #expect(lines == ["queued 100", "cleared 100", "cleared again 0"], "\(lines)")
    }

    @Test func `a source reports damage, which counts as refused, and the end of its media`() throws
    {
        let (session, run) = try run("microphone", "Damaged", "")
        #expect(run.exit == .code(0), "\(run)")
        let lines = try run.events("log", of: "microphone").compactMap(\.text)
        #expect(lines == ["damaged 0 0, held 0"], "\(lines)")
        let sound = try session.report().sound("microphone")
        #expect(sound.refused["BAD_DATA"] == 3 && sound.sent == sound.accepted + 3, "\(sound)")
        #expect(!run.text.contains("silent"), "\(run.text)")
    }
}
