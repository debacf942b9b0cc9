import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
import GreenroomRuntime
@testable import GreenroomSession

/// Plugins that may control their session, on the virtual clock.
@Suite(.ownThreads) struct ControlTests {
    private static let parser = ControlParser(commands: [("stop camera", "stop the camera")]) {
        text throws(CommandError) in
        switch text {
        case "stop camera": return .command(.stop(.camera))
        case "mute": return .command(.stop(.microphone))
        case "stop": return .stop
        case "help": return .help
        case "": return .nothing
        default: throw CommandError("unknown command \"\(text)\".")
        }
    }

    /// A session of a camera with an output.
    private func session(
        _ output: FakeOutput, isGranted: Bool = true, milliseconds: Int64 = 1000
    ) throws -> InProcessSession {
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), milliseconds: milliseconds)
        var plan = output.plan()
        plan.configuration.grants = Grants(control: isGranted)
        session.plan.outputs[session.plan.configuration.outputs.count] = plan
        session.plan.configuration.outputs.append(
            SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        session.plan.controlParser = Self.parser
        return session
    }

    /// What a plugin got of the host.
    private struct Answers: Sendable {
        var hasExtension: Bool?
        var statuses: [Status] = []
        var refusals: [String] = []
        var numbers: [UInt32] = []
        var texts: [String] = []
    }

    private static func send(
        _ commands: [String], _ output: FakeOutput, to answers: borrowing Mutex<Answers>
    ) {
        for command in commands {
            var number: UInt32 = 0
            let status = Status(
                rawValue: HostInterface.control.pointee.command(output.handle, command, &number))
            answers.withLock { answers in
                answers.statuses.append(status)
                if status == .ok {
                    answers.numbers.append(number)
                } else {
                    answers.refusals.append(LastRefusal.text)
                }
            }
        }
    }

    private static func text(
        _ copy: (
            gr_instance, UnsafeMutablePointer<CChar>, UInt64, UnsafeMutablePointer<UInt64>
        ) -> gr_status, _ output: FakeOutput, capacity: Int = Int(GR_MAX_CONTROL_TEXT)
    ) -> (Status, String) {
        var (buffer, length) = ([CChar](repeating: 1, count: capacity), UInt64(0))
        let status = copy(output.handle, &buffer, UInt64(capacity), &length)
        let bytes = buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }
        return (Status(rawValue: status), String(decoding: bytes, as: UTF8.self))
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `a command takes effect and is reported by an event`() throws {
        let answers = Mutex(Answers())
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                Self.send(["stop camera"], output, to: answers)
            }))
        let result = try session(output, milliseconds: 2000).run()
        #expect(result.failures.isEmpty, "\(result.failures)")
        #expect(answers.withLock { $0.statuses } == [.ok])
        #expect(answers.withLock { $0.numbers } == [1])
        let events = try output.events.map(object)
        let kinds = events.compactMap { $0["event"] as? String }
        #expect(kinds.first == "agreed" && kinds.contains("started"), "\(kinds)")
        let commanded = try #require(events.first { $0["event"] as? String == "commanded" })
        #expect(commanded["origin"] as? String == "command 1 of outputs[1]")
        #expect(commanded["text"] as? String == "camera stopped")
        // The video is black from then on.
        #expect(try #require(result.picture("camera")?.outputs.first).black > 10)
    }

    @Test func `without the grant there is no extension, no command and no event`() throws {
        let answers = Mutex(Answers())
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                let host = HostInterface.host.pointee
                let found = host.get_extension(output.handle, GR_EXT_CONTROL_HOST) != nil
                answers.withLock { $0.hasExtension = found }
                Self.send(["stop camera"], output, to: answers)
                let (status, _) = Self.text(HostInterface.control.pointee.report, output)
                answers.withLock { $0.statuses.append(status) }
            }))
        _ = try session(output, isGranted: false).run()
        #expect(answers.withLock { $0.hasExtension } == false)
        #expect(answers.withLock { $0.statuses } == [.gone, .gone])
        #expect(output.events.isEmpty)
    }

    @Test func `a line that is not a command is refused with the reason`() throws {
        let answers = Mutex(Answers())
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                let long = String(repeating: "a", count: Int(GR_MAX_COMMAND) + 1)
                Self.send(["dance", "mute", "help", "", long, "a\nb"], output, to: answers)
            }))
        _ = try session(output).run()
        #expect(
            answers.withLock { $0.statuses }
                == [Status](repeating: .badArgument, count: 6))
        let refusals = answers.withLock { $0.refusals }
        #expect(
            refusals.first == #"BAD_ARGUMENT: control.command: unknown command "dance"."#)
        #expect(refusals[1].contains("the session has no microphone to mute"), "\(refusals)")
        #expect(refusals[4].contains("up to 4096 bytes"), "\(refusals)")
    }

    @Test func `too many commands are refused`() throws {
        let answers = Mutex(Answers())
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                Self.send([String](repeating: "dance", count: 100), output, to: answers)
            }))
        _ = try session(output).run()
        let statuses = answers.withLock { $0.statuses }
        #expect(statuses.prefix(60).allSatisfy { $0 == .badArgument })
        #expect(statuses.suffix(20).contains(.queueFull), "\(statuses)")
    }

    @Test func `the command stop ends the session as planned`() throws {
        let answers = Mutex(Answers())
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                Self.send(["stop"], output, to: answers)
            }))
        let result = try session(output, milliseconds: 60_000).run()
        #expect(result.report.outcome == .finished)
        #expect(try #require(result.picture("camera")).accepted < 200)
    }

    @Test func `the description has only live settings, and the report has the time`() throws {
        let answers = Mutex(Answers())
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 5 else { return }
                let control = HostInterface.control.pointee
                let texts = [
                    Self.text(control.describe, output), Self.text(control.report, output),
                    Self.text(control.describe, output, capacity: 20),
                ]
                answers.withLock { answers in
                    answers.statuses = texts.map(\.0)
                    answers.texts = texts.map(\.1)
                }
            }))
        var session = try session(output)
        var camera = session.plan.slots[0].plugin
        camera.descriptor.parameters = [
            Parameter(
                name: "speed", title: "Speed", type: .number, unit: "px", defaultValue: 1,
                bounds: 0...4, choices: [], isLive: true),
            Parameter(
                name: "token", title: "Secret", type: .string, unit: nil, defaultValue: "",
                bounds: nil, choices: [], isLive: false),
        ]
        camera.settings = [
            PluginSetting(name: "speed", type: .number, value: 2.5),
            PluginSetting(name: "token", type: .string, value: "hidden-token"),
        ]
        session.plan.slots[0].plugin = camera
        _ = try session.run()
        let (statuses, texts) = answers.withLock { ($0.statuses, $0.texts) }
        #expect(statuses == [.ok, .ok, .badLength])
        #expect(!texts.contains { $0.contains("hidden-token") })
        let description = try object(texts[0])
        let plugins = try #require(description["plugins"] as? [[String: Any]])
        #expect(plugins.compactMap { $0["role"] as? String } == ["camera", "outputs[1]"])
        #expect(plugins[0]["state"] as? String == "sending")
        #expect(plugins[0]["stop"] as? String == "stop camera")
        #expect(plugins[0]["ceiling"] as? String == "ceiling")
        let parameters = try #require(plugins[0]["parameters"] as? [[String: Any]])
        #expect(parameters.count == 1)
        #expect(parameters[0]["value"] as? Double == 2.5)
        #expect(parameters[0]["maximum"] as? Double == 4)
        #expect(parameters[0]["unit"] as? String == "px")
        let commands = try #require(description["commands"] as? [[String: String]])
        #expect(commands.first?["line"] == "stop camera")
        let report = try object(texts[1])
        #expect(report["seconds"] as? Double != nil)
        #expect(report["outcome"] as? String == "running")
    }

    @Test func `events about recordings reach a call without the grant, and no other event does`()
        throws
    {
        var plan = try session(FakeOutput(.init()), isGranted: false).plan
        for index in plan.outputs.keys { plan.outputs[index]?.descriptor.kind = .call }
        let grants = ControlGrants(plan, clock: .real)
        grants.add(.started)
        grants.add(.recording(.on))
        let grant = try #require(grants.grant(of: "outputs[1]"))
        #expect(!grant.mayCommand)
        let seen = try grant.takeEvents().map(object)
        #expect(seen.compactMap { $0["event"] as? String } == ["recording-started"])
        // A new life of the call has not seen the event.
        grants.add(.pluginReturned(role: "outputs[1]", seconds: 1))
        let again = try grant.takeEvents().map(object)
        #expect(again.compactMap { $0["event"] as? String } == ["recording-started"])
    }

    /// A session of a camera with an output that can pause, and maybe a recorded folder.
    private func recorded(
        _ commands: [(seconds: Int64, command: SessionCommand)] = [], isFolder: Bool = false,
        canPause: Bool = true
    ) throws -> InProcessSession {
        var session = try session(FakeOutput(.init()), milliseconds: 3000)
        if !isFolder { session.plan.configuration.outputs.removeFirst() }
        let index = isFolder ? 1 : 0
        let removed = session.plan.outputs.removeValue(forKey: 1)
        var output = try #require(removed)
        for name in canPause ? ["recording", "paused"] : ["recording"] {
            output.descriptor.parameters.append(
                Parameter(
                    name: name, title: name, type: .boolean, unit: nil, defaultValue: false,
                    bounds: nil, choices: [], isLive: true))
            output.settings.append(
                PluginSetting(name: name, type: .boolean, value: .boolean(name == "recording")))
        }
        session.plan.outputs[index] = output
        session.plan.configuration.timeline = commands.map {
            TimelineEntry(time: .seconds($0.seconds), command: $0.command)
        }
        return session
    }

    @Test func `recordings pause and resume, and the report lists the pauses`() throws {
        let result = try recorded([(1, .pauseRecording), (2, .resumeRecording)]).run()
        #expect(result.failures.isEmpty, "\(result.failures)")
        let events = result.events.map(\.record).filter {
            $0.event.rawValue.hasPrefix("recording-") || $0.event == .commanded
        }
        #expect(
            events.map { $0.text ?? $0.event.rawValue } == [
                "recording-started", "recording paused", "recording-paused", "recording resumed",
                "recording-started",
            ])
        let pauses = try #require(result.report.recordingPauses)
        #expect(pauses.count == 1)
        #expect(pauses[0].beganSeconds == 1 && pauses[0].endedSeconds == 2)
    }

    @Test(
        arguments: [
            (
                true, true,
                "outputs[0] records a folder, which can't pause. Record to one file, such as "
                    + "record: call.mkv."
            ),
            (
                false, false,
                "the session has no recording that can pause. Add one, such as record: call.mkv."
            ), (false, true, nil),
        ] as [(Bool, Bool, String?)])
    func `a session in which a recording can't pause refuses a pause`(
        isFolder: Bool, canPause: Bool, text: String?
    ) throws {
        let plan = try recorded(isFolder: isFolder, canPause: canPause).plan
        for command in [SessionCommand.pauseRecording, .resumeRecording] {
            var refusal: String?
            do throws(CommandError) {
                _ = try plan.check(command, isFromFile: false)
            } catch {
                refusal = error.description
            }
            #expect(refusal == text)
        }
    }

    @Test func `a slow reader loses events, which are counted`() {
        let grant = ControlGrant(NoSession())
        for number in 0..<300 { grant.add("event \(number)") }
        var taken: [String] = []
        while true {
            let some = grant.takeEvents()
            if some.isEmpty { break }
            #expect(some.count <= ControlGrant.mostInStep + 1)
            taken += some
        }
        #expect(taken.count == ControlGrant.mostEvents + 1)
        #expect(taken.prefix(256) == (0..<256).map { "event \($0)" }[...])
        #expect(taken.last?.contains("44 lines dropped") == true)
        // It gets the next ones.
        grant.add("next")
        #expect(grant.takeEvents() == ["next"])
        grant.add(String(repeating: "x", count: ControlGrant.longestEvent + 1))
        #expect(grant.takeEvents().first?.contains("1 lines dropped") == true)
    }
}

private struct NoSession: SessionControlling {
    func perform(line: String, for role: String) throws(CommandError) -> UInt32 { 0 }
    var descriptionText: String? { nil }
    var reportText: String? { nil }
}
