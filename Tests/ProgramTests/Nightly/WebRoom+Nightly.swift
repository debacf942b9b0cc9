import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension WebRoomTests {
    @Test
    func `a viewer sees and hears the session, and guests each other, and they are recorded`()
        throws
    {
        // Small: on a busy machine a disk may not follow three large videos.
        let live = try Live(outputs: "[{ record: { folder: recording, size: 320x180 } }]")
        let viewer = try Seen(live.peer("watch", 0, "20").wait())
        #expect(viewer.frames >= 20)
        // Each frame is one of the camera's, in order.
        let numbers = viewer.codes.compactMap(\.self)
        #expect(numbers.count * 10 >= viewer.codes.count * 9, "\(viewer.codes)")
        #expect(numbers == numbers.sorted() && Set(numbers).count > 10, "\(numbers)")
        // The luma of the colour bars in BT.601.
        for (bar, luma) in zip(viewer.bars ?? [], [180, 161, 131, 112, 84, 65, 35, 16]) {
            #expect(abs(bar - luma) <= 12, "\(viewer.bars ?? [])")
        }
        // Gaps, which a busy machine makes, have crossings too.
        let hertz = Double(viewer.crossings) * 48_000 / Double(viewer.samples)
        #expect(abs(hertz - 1000) < 250, "\(viewer.crossings) of \(viewer.samples)")

        let ana = try live.peer("join", 1, "Ana", "660", "share")
        let ben = try live.peer("join", 1, "Ben", "880")
        for track in ["ana-camera", "ana-share", "ben-camera"] {
            #expect(
                live.run.waitForErrors(containing: "\(track): opened"),
                "\(live.run.errorsSoFar)")
        }
        // Late viewers see a picture, also when several come at once.
        // Without a request no key frame would come for an hour. A busy machine makes some wait.
        var lates: [Double] = []
        for _ in 0..<3 where lates.min() ?? .infinity >= 5 {
            lates = try (0..<3).map { _ in try live.peer("watch", 0, "5") }.map { late in
                let seen = try Seen(late.wait())
                #expect(seen.frames >= 5)
                return seen.first ?? .infinity
            }
        }
        #expect(lates.min() ?? .infinity < 5 && lates.max() ?? .infinity < 60, "\(lates)")
        // Each hears the other and the session, and not itself.
        let guests = [(ana, own: 660, rest: [880, 1000]), (ben, own: 880, rest: [660, 1000])]
        for (guest, own, rest) in guests {
            let words = rest.map(String.init).joined(separator: " ")
            #expect(
                guest.waitForErrors(containing: "hears \(words) "),
                "\(own): \(guest.errorsSoFar)")
        }
        for (guest, own, _) in guests {
            guest.signal(SIGTERM)
            let heard = try Seen(guest.wait()).heard
            #expect(!heard.joined().contains(own), "\(heard)")
        }
        for name in ["Ana", "Ben"] {
            #expect(
                live.run.waitForErrors(containing: "\(name) left"),
                "\(live.run.errorsSoFar)")
        }
        let finished = live.end()
        #expect(!live.tokens.contains { !finished.standardError.contains("#\($0)") })

        try expectFrames(of: YUV(y: 81, u: 90, v: 240), in: live, "ana-camera")
        try expectFrames(of: YUV(y: 41, u: 240, v: 110), in: live, "ana-share")
        for (track, tone, other) in [
            ("ana-microphone", 660.0, 880.0), ("ben-microphone", 880, 660),
        ] {
            try expectTone(tone, not: other, in: live, track)
        }
        // No secret is in what stays.
        let report = try String(
            decoding: readFile(live.session.recording + "/session.json"), as: UTF8.self)
        #expect(!live.tokens.contains { report.contains($0) })
    }

    @Test func `requests of clients without rights are refused, and the room stays open`()
        throws
    {
        let live = try Live(
            """
            camera: { plugin: ColorBars, settings: { ball: false } }
            microphone: { plugin: Tone, settings: { frequency: 1000 } }
            call:
              plugin: WebRoom
              isolation: process
              allow: { network: true }
              memory-limit: 1 GB
              settings: { allow-origins: "https://page.example" }
            """)
        let attempts = try ChildProcess.run(
            "/usr/bin/python3",
            [Checkout.root + "/Tests/WebRoom/attempts.py", live.url] + live.tokens)
        try #require(attempts.exit == .code(0), "\(attempts)")
        let statuses = try JSONDecoder().decode(
            [String: Int].self, from: Data(attempts.standardOutput))
        let expected = [
            "page": 200, "script": 200, "room without a token": 401,
            "room with a wrong token": 401, "room": 200, "a path outside": 404,
            "watch without a token": 401, "a viewer joins": 403, "a guest removes somebody": 403,
            "another page watches": 403, "another type": 400, "no SDP": 400, "half an SDP": 400,
            "two videos": 406, "two of one name": 400, "no name of a medium": 201,
            "a guest sends two videos": 406, "slots of nobody": 404, "wishes that are none": 400,
            "endless wishes": 413, "another codec": 406, "sends to a viewer": 406,
            "a large body": 413, "no such stream": 404, "no such viewer": 404,
            "no such guest": 404, "deleted": 204, "deleted again": 404,
            "a foreign page asks": 403, "a program asks": 204, "an allowed page asks": 204,
            "an allowed page watches": 201, "an allowed page without a token": 401, "no name": 400,
            "nobody shares": 404,
            "operator removes nobody": 404, "never connects": 201, "tokens guessed": 429,
        ]
        for (name, status) in expected {
            #expect(statuses[name] == status, "\(name): \(statuses[name] ?? 0)")
        }
        let viewer = try Seen(live.peer("watch", 0, "3").wait())
        #expect(viewer.frames >= 3)
        _ = live.end()
    }

    @Test
    func `only the guest who sends too much is disconnected, and a viewer continues to watch`()
        throws
    {
        let live = try Live()
        let viewer = try live.peer(
            "slots", 0, "1", "180", environment: ["FRAMES": "1", "LIMIT": "580"])
        #expect(
            viewer.waitForErrors(containing: "frame 0\n"),
            "\(viewer.errorsSoFar)")
        let floods = [
            ("endless", "a frame does not end"),
            ("giant", "a frame is larger than 2560x1600"),
            ("giant-h264", "a frame is larger than 2560x1600"),
            ("sizes", "the camera changes its size more than 10 times per second"),
            ("bytes", "more than 20000 kbit/s arrive"),
            ("audio", "more than 500 packets/s arrive"),
        ]
        // By day `StreamLimitTests` alone count audio: a busy machine loses too much of it on its way.
        for (kind, reason) in floods where Nightly.isOn || kind != "audio" {
            let (name, guest) = try flood(kind, until: reason, in: live)
            #expect(
                live.run.waitForErrors(containing: "\(name) left"),
                "\(kind): \(live.run.errorsSoFar)")
            // It keeps flooding, but no output uses it.
            let seen = frames(viewer)
            for _ in 0..<150 where frames(viewer) < seen + 20 { usleep(200_000) }
            #expect(frames(viewer) >= seen + 20, "\(kind): \(seen), then \(frames(viewer))")
            kill(guest.id, SIGKILL)
            _ = guest.wait()
        }
        viewer.signal(SIGTERM)
        #expect(viewer.wait().exit == .code(0))
        let finished = live.end()
        #expect(!finished.standardError.contains("started again"), "\(finished)")
    }

    @Test
    func `silent connections and oversized requests do not disturb a viewer`()
        throws
    {
        let live = try Live()
        let viewer = try live.peer(
            "slots", 0, "1", "180", environment: ["FRAMES": "1", "LIMIT": "200"])
        #expect(
            viewer.waitForErrors(containing: "frame 0\n"),
            "\(viewer.errorsSoFar)")
        let seen = frames(viewer)
        let results = try script("hostile.py", "connections", with: live)
        // Of 300 that are silent those that are older have given way.
        #expect(results["closed"] ?? 0 >= 200, "\(results)")
        #expect(results["page"] == 200 && results["room"] == 200, "\(results)")
        #expect(results["endless head"] == 431, "\(results)")
        #expect(results["bytes of it"] ?? .max < 4_000_000, "\(results)")
        #expect(results["large body"] == 413 && results["chunks"] == 411, "\(results)")
        #expect(results["two lengths"] == 400 && results["answers to no HTTP"] == 0, "\(results)")
        #expect(results["half a head is closed"] == 1, "\(results)")
        #expect(results["two at once"] == 2, "\(results)")
        for _ in 0..<100 where frames(viewer) < seen + 20 { usleep(200_000) }
        #expect(frames(viewer) >= seen + 20, "\(seen), then \(frames(viewer))")
        viewer.signal(SIGTERM)
        #expect(viewer.wait().exit == .code(0))
        _ = live.end()
    }

    @Test
    func `one address cannot take all places, and a full room refuses guests`()
        throws
    {
        let live = try Live(
            """
            camera: { plugin: ColorBars, settings: { ball: false } }
            call: { plugin: WebRoom, settings: { proxy: 127.0.0.1, udp-ports: 50000-50099 } }
            """)
        var results = try script("hostile.py", "places", with: live)
        // Answers of a busy machine come too late for some; too many are never admitted.
        for _ in 0..<2 where (results["admitted"] ?? 0) < 12 || (results["guests"] ?? 0) < 16 {
            #expect(results["admitted"] ?? 0 <= 12 && results["guests"] ?? 0 <= 16, "\(results)")
            sleep(20)
            results = try script("hostile.py", "places", with: live)
        }
        #expect(results["admitted"] == 12 && results["full"] == 4, "\(results)")
        #expect(results["elsewhere"] == 201, "\(results)")
        #expect(results["port"].map { (50_000...50_099).contains($0) } == true, "\(results)")
        #expect(results["guests"] == 16 && results["guests too many"] == 1, "\(results)")
        let finished = live.end()
        for line in finished.standardError.split(separator: "\n") where !line.contains("http://") {
            #expect(!live.tokens.contains { line.contains($0) }, "a secret is said: \(line)")
        }
    }

    @Test func `a client may send candidates after its offer, and needs them to connect`()
        throws
    {
        let live = try Live()
        let results = try script("trickle.py", with: live)
        let expected = [
            "offer": 201, "another type": 415, "another session": 409, "an earlier state": 412,
            "of nobody": 404, "no candidates": 400, "another medium": 400, "too many": 400,
            "of a guest": 404, "candidates": 204, "connected": 1,
        ]
        for (name, status) in expected {
            #expect(results[name] == status, "\(name): \(results)")
        }
        _ = live.end()
    }

    @Test func `one connection carries all videos, each in the size of its tile`()
        throws
    {
        let live = try Live()
        let ana = try live.peer("join", 1, "Ana", "660")
        #expect(
            live.run.waitForErrors(containing: "ana-camera: opened"),
            "\(live.run.errorsSoFar)")
        // A small tile gets the half-size rendition, at a third of the bit rate. A larger tile gets
        // full size without a new offer. The guest's packets are forwarded in their size.
        let peer = try live.peer("slots", 0, "4", "90,720")
        for size in ["0 160 90", "1 320 180", "0 320 180"] {
            #expect(
                peer.waitForErrors(containing: "slot \(size)\n"),
                "\(peer.errorsSoFar)")
        }
        peer.signal(SIGTERM)
        #expect(peer.wait().exit == .code(0))
        ana.signal(SIGTERM)
        _ = ana.wait()
        _ = live.end()
    }

    @Test func `browsers without VP8 watch and send H.264, while others watch VP8`()
        throws
    {
        let live = try Live()
        let other = try live.peer("slots", 0, "4", "720")
        let ana = try live.peer("join", 1, "Ana", "660", environment: ["CODEC": "H264"])
        #expect(
            live.run.waitForErrors(containing: "ana-camera: opened"),
            "\(live.run.errorsSoFar)")
        let peer = try live.peer("watch", 0, "20", environment: ["CODEC": "H264"])
        let viewer = try Seen(peer.wait())
        #expect(viewer.frames >= 20)
        #expect(Set(viewer.codes.compactMap(\.self)).count > 10, "\(viewer.codes)")
        #expect(
            other.waitForErrors(containing: "slot 0 "),
            "\(other.errorsSoFar)")
        for peer in [other, ana] {
            peer.signal(SIGTERM)
            _ = peer.wait()
        }
        _ = live.end()
        try expectFrames(of: YUV(y: 81, u: 90, v: 240), in: live, "ana-camera")
    }

    @Test func `a room admits 60 pages and refuses the next one as full`()
        throws
    {
        struct Crowd: Decodable {
            var pages: Int
            var refused: Int
            var retry: String?
        }
        let live = try Live()
        let crowd = try live.peer("crowd", 0, environment: ["LIMIT": "400"])
            .wait()
        let result = try JSONDecoder().decode(Crowd.self, from: Data(crowd.standardOutput))
        #expect(result.pages == 60 && result.refused == 503, "\(result)")
        #expect(result.retry == "15")
        // Many threads of a busy room are ready at times; none of them runs without a pause.
        #expect(!live.run.errorsSoFar.contains("idle priority"), "\(live.run.errorsSoFar)")
        // Their places are free again, when their connections have ended.
        let isFree = try (0..<20).contains { _ in
            try live.peer("watch", 0, "3").wait().exit == .code(0)
        }
        #expect(isFree)
        _ = live.end()
    }

    @Test func `a guest's video is decoded only while an output requests it`() throws {
        // No output records it. The report is for those who may control the session.
        let live = try Live(
            """
            camera: { plugin: ColorBars, settings: { ball: false } }
            call: { plugin: WebRoom, allow: { control: true } }
            """, outputs: "[]")
        let ana = try live.peer("join", 1, "Ana", "660", environment: ["LIMIT": "200"])
        #expect(
            live.run.waitForErrors(containing: "ana-camera: opened"),
            "\(live.run.errorsSoFar)")
        // The room learns of the missing demand after a short delay.
        var counts = [try decoded(live)]
        while counts.count < 10, counts.count < 3 || counts.suffix(2).first != counts.last {
            usleep(3_000_000)
            counts.append(try decoded(live))
        }
        // Of 15 frames a second.
        #expect(counts.suffix(2).first == counts.last, "\(counts)")
        // A viewer with the guest's codec gets the guest's packets.
        let viewer = try live.peer("slots", 0, "2", "720", environment: ["LIMIT": "100"])
        #expect(
            viewer.waitForErrors(containing: "slot 1 "),
            "\(viewer.errorsSoFar)")
        usleep(2_000_000)
        #expect(try decoded(live) == counts.last, "\(counts)")
        let other = try live.peer(
            "slots", 0, "2", "720", environment: ["LIMIT": "100", "CODEC": "H264"])
        #expect(
            other.waitForErrors(containing: "slot 1 "),
            "\(other.errorsSoFar)")
        for _ in 0..<20 where try decoded(live) < counts[counts.count - 1] + 15 {
            usleep(1_000_000)
        }
        #expect(try decoded(live) >= counts[counts.count - 1] + 15, "\(counts)")
        for peer in [viewer, other, ana] {
            peer.signal(SIGTERM)
            _ = peer.wait()
        }
        _ = live.end()
    }

    @Test func `a viewer who vanishes is removed, and the encoder stops`() throws {
        let live = try Live()
        let vanished = try live.peer("vanish", 0).wait()
        #expect(vanished.exit == .code(0), "\(vanished)")
        #expect(
            live.run.waitForErrors(containing: "a viewer disconnected"),
            "\(live.run.errorsSoFar)")
        _ = live.end()
        let values = try #require(try live.session.report().outputPlugins).first?.values
        #expect(values?["viewers"] == 0)
    }

    @Test
    func `a taken port, another call and a short token are errors that name the fix`() throws {
        let session = try FileSession("camera: { plugin: ColorBars }", isolation: nil)
        let live = try Live()
        let port = try #require(URL(string: live.url)?.port)
        let taken = try Greenroom.run("live", session.file, "--port", "\(port)")
        #expect(taken.exit == .code(74), "\(taken)")
        #expect(taken.standardError.contains("is in use by another program"), "\(taken)")
        _ = live.end()

        let other = try FileSession(
            "camera: { plugin: ColorBars }\ncall: { plugin: LoopbackCall }", isolation: nil)
        let second = try Greenroom.run("live", other.file)
        #expect(second.exit == .code(65), "\(second)")
        #expect(second.standardError.contains("has the call LoopbackCall"), "\(second)")

        let short = try FileSession(
            "call: { plugin: WebRoom, settings: { viewer-token: abc } }", isolation: nil)
        let third = try Greenroom.run("live", short.file)
        #expect(third.exit == .code(65), "\(third)")
        #expect(third.standardError.contains("call.settings.viewer-token: "), "\(third)")
        #expect(!third.standardError.contains("started again"), "\(third)")
        #expect(third.standardError.contains("viewer-token is short"), "\(third)")

        let spaced = try FileSession(
            "call: { plugin: WebRoom, settings: { viewer-token: a token of many words } }",
            isolation: nil)
        let fourth = try Greenroom.run("live", spaced.file)
        #expect(fourth.exit == .code(65), "\(fourth)")
        #expect(fourth.standardError.contains("does not fit into a link"), "\(fourth)")
    }

    @Test func `a room that can't be opened ends the command at once`() throws {
        // An address of another network.
        let elsewhere = try FileSession(
            """
            camera: { plugin: ColorBars }
            call: { plugin: WebRoom, settings: { address: 192.0.2.1 } }
            """, duration: nil, isolation: nil, outputs: "[{ record: recording }]")
        let run = try Greenroom.run("live", elsewhere.file)
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("192.0.2.1"), "\(run)")
        #expect(!run.standardError.contains("started again"), "\(run)")
    }

    /// A track of the recording has frames of a colour.
    private func expectFrames(of color: YUV, in live: Live, _ track: String) throws {
        let video = try Y4MRecording(live.session.recording + "/\(track).y4m")
        let those = try (0..<video.frameCount).filter { index in
            try video.frame(index)[video.width / 2, video.height / 2].isNear(color, within: 20)
        }
        #expect(those.count >= 10, "\(track): \(those.count) of \(video.frameCount)")
    }

    /// A track of the recording has a guest's tone, whole from where it begins.
    private func expectTone(
        _ tone: Double, not other: Double, in live: Live, _ track: String
    ) throws {
        let audio = try WAVRecording(live.session.recording + "/\(track).wav")
        let samples = audio.channels.first ?? []
        let tenths = stride(from: 0, to: samples.count - 4800, by: 4800).map { start in
            let part = samples[start..<(start + 4800)]
            return (
                own: Tone.amplitude(of: tone, in: part, rate: audio.sampleRate),
                other: Tone.amplitude(of: other, in: part, rate: audio.sampleRate)
            )
        }
        let begun = tenths.drop { $0.own < 2000 }
        #expect(begun.count >= 10, "\(track): \(tenths)")
        let whole = begun.count { $0.own > 2500 && $0.other < 300 }
        // A busy machine makes gaps.
        #expect(whole * 2 >= begun.count, "\(track): \(tenths)")
        let account = try #require(
            try live.session.report().participants?.flatMap(\.tracks)
                .first { $0.track == track }?.audio, "\(track)")
        #expect(account.concealed < account.played, "\(track): \(account)")
        #expect(account.stamps.foreign + account.stamps.jumps == 0, "\(track): \(account.stamps)")
    }

    /// Sends a flood until the room says that it is too much: again, if a busy machine could not send
    /// enough of it.
    ///
    /// - Returns: The sender's name, and its process.
    private func flood(
        _ kind: String, until reason: String, in live: Live
    ) throws -> (name: String, guest: ChildProcess) {
        let dependsOnRate = ["sizes", "bytes", "audio"].contains(kind)
        for attempt in 1...(dependsOnRate ? 4 : 1) {
            let name = "F-\(kind)-\(attempt)"
            let guest = try live.peer(
                "flood", 1, name, kind, environment: kind == "giant-h264" ? ["CODEC": "H264"] : [:])
            if live.run.waitForErrors(containing: "\(name): \(reason)") {
                return (name, guest)
            }
            kill(guest.id, SIGKILL)
            _ = guest.wait()
        }
        throw Failure("\(kind): \(live.run.errorsSoFar)")
    }

    /// Runs a script of Tests/WebRoom with the room's URL and tokens.
    private func script(
        _ name: String, _ arguments: String..., with live: Live
    ) throws -> [String: Int] {
        let run = try ChildProcess.run(
            "/usr/bin/python3",
            ["\(Checkout.root)/Tests/WebRoom/\(name)"] + arguments + [live.url] + live.tokens)
        try #require(run.exit == .code(0), "\(run)")
        return try JSONDecoder().decode([String: Int].self, from: Data(run.standardOutput))
    }

    /// How many frames of guests have been decoded. The room says it for the first time after a second.
    private func decoded(_ live: Live) throws -> Int {
        for _ in 0..<100 {
            let run = try ChildProcess.run(
                "/usr/bin/curl",
                ["-fsS", "-H", "Authorization: Bearer \(live.tokens[2])", live.url + "metrics"])
            let text = String(decoding: run.standardOutput, as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.contains("guests-frames-decoded") }
            if let count = line?.split(separator: " ").last.flatMap({ Double($0) }) {
                return Int(count)
            }
            usleep(200_000)
        }
        throw Failure("the room does not say how many frames it has decoded")
    }
}
