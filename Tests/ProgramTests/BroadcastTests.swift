import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests shares from processes that the host did not start.
@Suite(.ownThreads) struct BroadcastTests {
    let session: FileSession

    var socket: String { session.folder("share.sock") }

    init() throws {
        session = try FileSession(
            "share: { connect: ./share.sock, audio: { connect: ./share.sock } }",
            maximum: "320x180@30", duration: nil,
            outputs: "[{ record: { folder: recording, overwrite: true } }]")
    }

    /// Starts a session, which listens when it sends.
    func startSession() throws -> ChildProcess {
        let host = try session.start()
        guard host.waitForErrors(containing: "sending") else {
            throw Failure("\(host.wait(atMost: .zero))")
        }
        return host
    }

    func visit(_ mode: String) throws -> ChildProcess {
        try ChildProcess(try TestPlugins.broadcaster(), [socket, mode])
    }

    /// Waits until a broadcaster has ended.
    func end(_ broadcaster: ChildProcess) -> Finished {
        broadcaster.wait()
    }

    /// Waits for a line of the host.
    func hears(_ host: ChildProcess, _ text: String) -> Bool {
        host.waitForErrors(containing: text)
    }

    /// Ends the session with an interrupt.
    func finish(_ host: ChildProcess) throws -> (Finished, Report) {
        host.signal(SIGINT)
        let run = host.wait()
        return (run, try session.expectTrueReport(run))
    }

    static let wholeLife =
        "create initialize start-send stop-send uninitialize destroy"

    /// The steps that a broadcaster printed.
    func life(_ run: Finished) -> String {
        run.text.split(separator: "\n").filter { !$0.hasPrefix("status") }.joined(separator: " ")
    }

    @Test func `broadcasts connect and leave during a recording`() throws {
        let host = try startSession()
        let first = try ChildProcess(try TestPlugins.bouncer(), [socket])
        #expect(hears(host, "share: bouncer, process \(first.id) connected"))
        #expect(hears(host, "share: connected"))
        sleep(1)
        first.signal(SIGKILL)
        #expect(hears(host, "share: disconnected"))
        let second = try visit("crash")
        #expect(end(second).exit == .signal(SIGABRT))
        let third = try visit("finish")
        #expect(life(end(third)) == Self.wholeLife)
        #expect(hears(host, "share: ended: all is shown"))
        let (run, report) = try finish(host)
        #expect(run.exit == .code(130), "\(run)")
        let share = try report.plugin("share")
        #expect(share.callbacks["create"]?.calls == 3, "\(run)")
        let picture = try report.picture("share")
        #expect(picture.accepted >= 25, "\(picture)")
        // Every period has a frame, connected or not.
        let output = picture.outputs[0]
        let frames = output.delivered + output.repeated + output.black + output.slate
        #expect(try session.picture("share").frameCount == frames, "\(output)")
        #expect(!session.folder.has("share.sock"))
    }

    @Test func `a second broadcast is refused while another one is connected`() throws {
        let host = try startSession()
        let first = try visit("idle")
        #expect(hears(host, "share: connected"))
        let second = end(try visit("idle"))
        #expect(second.text.contains("status 41"), "\(second.text)")
        #expect(second.text.contains("a socket serves one at a time"), "\(second.text)")
        #expect(life(second).isEmpty)
        #expect(hears(host, "was refused"))
        _ = try finish(host)
        #expect(life(end(first)) == Self.wholeLife)
    }
}
