import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension EventTests {
    @Test(.enabled(if: geteuid() == 0))
    func `under systemd events are entries of the journal`() throws {
        let inbox = try Inbox(folder("journal"))
        let log = try folder.write("stderr", "")
        var about = stat()
        stat(log, &about)
        let file = try session("lobby")
        let run = try ChildProcess.run(
            "unshare",
            [
                "--mount", "sh", "-c",
                """
                mount -t tmpfs none /run && mkdir -p /run/systemd/journal \
                && touch /run/systemd/journal/socket \
                && mount --bind '\(folder("journal"))' /run/systemd/journal/socket \
                && exec '\(Checkout.greenroom)' run '\(file)' 2>> '\(log)'
                """,
            ], environment: ["JOURNAL_STREAM": "\(about.st_dev):\(about.st_ino)"])
        var entries: [[String: String]] = []
        while entries.last?["GREENROOM_EVENT"] != "ended", let text = inbox.next() {
            let fields = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
            #expect(fields.allSatisfy { $0.count == 2 }, "\(text)")
            #expect(Set(fields.map { $0[0] }).count == fields.count, "\(text)")
            entries.append(
                Dictionary(uniqueKeysWithValues: fields.map { (String($0[0]), String($0[1])) }))
        }
        let said = String(decoding: try readFile(log), as: UTF8.self)
        #expect(said.isEmpty, "\(run)\n\(said)")
        let started = try #require(entries.first { $0["GREENROOM_EVENT"] == "started" })
        #expect(started["MESSAGE"] == "sending" && started["PRIORITY"] == "6", "\(started)")
        #expect(started["SYSLOG_IDENTIFIER"] == "greenroom")
        #expect(started["GREENROOM_SESSION"]?.hasPrefix("lobby.") == true, "\(started)")
        #expect(entries.contains { $0["GREENROOM_ROLE"] == "camera" }, "\(entries)")
        #expect(entries.last?["GREENROOM_OUTCOME"] == "finished", "\(entries)")
    }

    @Test func `the disk space of a recording is estimated before it starts`() throws {
        let fits = try session("fits", "outputs: [{ record: out }]")
        let check = try Greenroom.run("check", fits)
        // 320 x 180 x 1.5 bytes, 15 times a second.
        #expect(check.text.contains("out: takes up to 4.7 GB an hour; "), "\(check.text)")
        #expect(check.text.contains(" are free, enough for "), "\(check.text)")
        let json = try JSONSerialization.jsonObject(
            with: Data(try Greenroom.run("check", fits, "--json").text.utf8))
        let plan = (json as? [String: Any])?["session"] as? [String: Any]
        let disk = try #require((plan?["disk"] as? [[String: Any]])?.first)
        let frame: Double = 320 * 180 * 1.5
        #expect(disk["bytes-per-hour"] as? Double == frame * 15 * 3600)
        let large = try folder.write(
            "large.yaml",
            """
            session: { maximum: 1920x1080@60, duration: 1000h }
            camera: { plugin: ColorBars }
            outputs: [{ record: out }]
            """)
        let warned = try Greenroom.run("check", large)
        #expect(warned.text.contains("the disk is full after "), "\(warned.text)")
    }
}
