import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

@Suite struct ControlTests {
    /// An initialized call, and its host as the plugin has it.
    private func session(isGranted: Bool) throws -> (session: FakeSession, host: PluginHost) {
        let host = FakeHost()
        host.state.withLock { state in
            state.call.isCall = true
            state.control.isGranted = isGranted
        }
        let session = try FakeSession(
            "call", of: testEntry, settings: [("host", .integer(Int64(host.id)))], host: host)
        try #require(session.initializeOutput() == .ok)
        return (session, try #require(Kept.calls.withLock { $0[Int(host.id)] }))
    }

    @Test func `a plugin without the control grant cannot control the session`() throws {
        let (_, host) = try session(isGranted: false)
        #expect(host.control == nil)
    }

    @Test func `a command returns its number, and a refusal has the host's text`() throws {
        let (session, host) = try session(isGranted: true)
        let control = try #require(host.control)
        #expect(try control.command("mute") == 1)
        #expect(try control.command("set camera.settings.speed=2") == 2)
        #expect(
            session.host.state.withLock { $0.control.commands }
                == ["mute", "set camera.settings.speed=2"])
        let refusal = #expect(throws: SendRefusal.self) { try control.command("dance") }
        #expect(refusal?.status == .badArgument)
        #expect(refusal?.text == "no command (BAD_ARGUMENT)")
    }

    @Test func `descriptions and reports up to the limit arrive whole`() throws {
        let (session, host) = try session(isGranted: true)
        let control = try #require(host.control)
        #expect(try control.describe() == #"{"session":"fake"}"#)
        #expect(try control.report() == #"{"seconds":1}"#)
        let longest = String(repeating: "é", count: (Int(GR_MAX_CONTROL_TEXT) - 1) / 2)
        session.host.state.withLock { $0.control.report = longest }
        #expect(try control.report() == longest)
        session.host.state.withLock { $0.control.report = longest + "éé" }
        #expect(throws: SendRefusal.self) { try control.report() }
        session.host.state.withLock { $0.control.report = "" }
        #expect(try control.report() == "")
    }

    @Test func `events reach the plugin`() throws {
        let (session, _) = try session(isGranted: true)
        #expect(session.startSend() == .ok)
        try session.event(#"{"event":"started"}"#)
        #expect(
            session.host.state.withLock { $0.log.last } == #"1 onSessionEvent {"event":"started"}"#)
    }

    @Test(
        arguments: [
            "camera", "screen", "microphone", "screen-audio", "receiver", "speaker",
        ])
    func `events reach a plugin of each simple kind`(name: String) throws {
        let session = try FakeSession(name, of: testEntry)
        try session.event(#"{"event":"caption"}"#)
        #expect(
            session.host.state.withLock { $0.log } == [#"1 onSessionEvent {"event":"caption"}"#])
    }
}
