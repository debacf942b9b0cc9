import GreenroomMedia
import Testing

@testable import PluginEncoding

/// Tests of what a stream decides without a network.
@Suite struct StreamDecisionTests {
    /// A playlist of HLS with segments of two seconds.
    private static func list(_ numbers: ClosedRange<Int>, _ more: String = "") -> String {
        let segments = numbers.map { "#EXTINF:2.000000,\nlive-\($0).ts\n" }.joined()
        return "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:2\n"
            + "#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n\(more)\(segments)"
    }

    private static func empty(_ number: Int, seconds: Int = 2, seams: Int = 0) -> String {
        "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:\(seconds)\n"
            + "#EXT-X-MEDIA-SEQUENCE:\(number)\n#EXT-X-DISCONTINUITY-SEQUENCE:\(seams)\n"
    }

    @Test(arguments: [
        // The files of the folder, its playlist, and the playlist that replaces it.
        (0..<0, "", nil), (3..<9, list(3...8), nil), (3..<9, list(3...8) + "#EXT-X-ENDLIST\n", nil),
        (3..<10, list(3...8), nil), (3..<11, list(3...8), empty(11)), (3..<9, "", empty(9)),
        (3..<9, "x", empty(9)), (3..<9, String(list(3...8).dropLast(1)), empty(9)),
        (3..<9, list(3...4) + "#EXTINF:2.0", empty(9)), (0..<0, empty(9), empty(9)),
        (
            0..<0, list(3...8, "#EXT-X-DISCONTINUITY-SEQUENCE:4\n#EXT-X-DISCONTINUITY\n") + "#",
            empty(9, seams: 5)
        ),
        (0..<0, list(3...8) + "#EXTINF:2,\n../secret.ts\n", empty(10)),
        (0..<0, "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:99999999999\n", empty(0)),
        (0..<0, "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:1073741823\nlive-0.ts\n", empty((1 << 30) - 1)),
    ])
    func `HLS continues with the next number, whatever a folder has`(
        files: Range<Int>, text: String, replacement: String?
    ) {
        let names = files.map { "live-\($0).ts" } + ["live-99999999999.ts", "other.ts"]
        let restart = HLSRestart(among: names, playlist: "live.m3u8", text, seconds: 2)
        #expect(restart.replacement == replacement)
        // The last name is not a segment's.
        let orphans = names.prefix(names.count - 1).filter {
            replacement != nil || !text.contains($0)
        }
        #expect(restart.orphans == (text.isEmpty ? [] : orphans))
    }

    @Test func `segments are never longer than the target duration that players know`() {
        for (text, wanted, seconds, target) in [
            ("", 4, 4, nil), (Self.list(0...1), 1, 1, nil), (Self.list(0...1), 4, 2, nil),
            (Self.list(0...1) + "#", 4, 2, "DURATION:2"),
            (Self.list(0...1) + "#", 1, 1, "DURATION:2"),
        ] as [(String, Int, Int, String?)] {
            let restart = HLSRestart(among: [], playlist: "live.m3u8", text, seconds: wanted)
            #expect(restart.seconds == seconds, "\(text) \(wanted)")
            #expect(target.map { restart.replacement?.contains($0) == true } ?? true)
        }
    }

    @Test func `only segments that the playlist does not name are left over`() {
        let names = [
            "live-0.ts", "live-1.ts", "live-2.ts", "live-2.ts.tmp", "live.m3u8", "live.ts",
            "lively-3.ts", "live2-7.ts", "live-4.mp4", "other1.ts", "live-\u{0663}.ts",
        ]
        let restart = HLSRestart(
            among: names, playlist: "live.m3u8", Self.list(1...1), seconds: 2)
        #expect(restart.orphans == ["live-0.ts", "live-2.ts", "live-2.ts.tmp"])
        #expect(
            HLSRestart(among: ["-7.ts", "a"], playlist: ".m3u8", "x", seconds: 2).orphans == [
                "-7.ts"
            ])
    }

    @Test func `the target duration of a playlist never falls`() {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:0.6,\nlive-7.ts\n"
        let playlist = HLSPlaylist(text, atLeast: 2)
        #expect(playlist.seconds == 2)
        #expect(playlist.text == text.replacing("DURATION:1", with: "DURATION:2"))
        #expect(HLSPlaylist(text, atLeast: 1).text == text)
        #expect(HLSPlaylist(playlist.text, atLeast: 1).seconds == 2)
        for damaged in [
            "", "#EXT-X-TARGETDURATION:x", "#EXT-X-TARGETDURATION:99999999999999999999",
        ] {
            #expect(HLSPlaylist(damaged, atLeast: 3).seconds == 3)
        }
    }

    @Test func `discontinuities that leave a playlist are counted, and a restart adds none`() {
        /// A playlist of one segment per digit; `x` begins a discontinuity.
        func text(_ content: String, seams: Int? = nil) -> String {
            var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n"
            if let seams { text += "#EXT-X-DISCONTINUITY-SEQUENCE:\(seams)\n" }
            for character in content {
                text +=
                    character == "x"
                    ? "#EXT-X-DISCONTINUITY\n" : "#EXTINF:2.0,\nlive-\(character).ts\n"
            }
            return text
        }
        var playlist = HLSPlaylist("", atLeast: 2)
        for (written, expected, seams) in [
            ("01", "01", nil), ("01x2", "01x2", nil), ("x23", "x23", nil), ("34", "34", 1),
            ("34x5x6", "34x5x6", 1), ("7", "7", 3), ("7x8", "7x8", 3),
        ] as [(String, String, Int?)] {
            playlist = HLSPlaylist(text(written), after: playlist, atLeast: 2)
            #expect(playlist.text == text(expected, seams: seams), "\(written)")
        }
        // The next process and its muxer read the file. The muxer begins the first segment with a discontinuity.
        let old = HLSPlaylist(playlist.text, atLeast: 2)
        #expect(old.removedSeams == 3 && old.text == playlist.text)
        #expect(
            HLSPlaylist(text("x7x8x9"), after: old, atLeast: 2).text == text("7x8x9", seams: 3))
        #expect(HLSPlaylist(text("9"), after: old, atLeast: 2).text == text("9", seams: 4))
    }

    @Test(arguments: [
        (
            "Server error: Stream \"geheim\" is already publishing\n",
            "Stream \"...\" is already publishing"
        ),
        ("method ANNOUNCE failed: 401 Unauthorized\n", "method ANNOUNCE failed: 401 Unauthorized"),
        ("Cannot open connection tcp://h:1935?x=geheim\n", nil), ("Server error: \n", nil),
        (
            "processAsyncConnectRequest: REJECT reported from HS processing: Incorrect token"
                + " - not processing further", "Incorrect token"
        ),
        ("REJECT reported from HS processing: Access forbidden", "Access forbidden"),
        ("Server error: no secret, token=s3cr=t", "no ..., token=s3cr=t"),
    ])
    func `a server's answer is shown without the key`(line: String, answer: String?) {
        let target = "rtmp://ana:secret@live.example.com:1935/app/geheim?token=secret"
        #expect(LoggedAnswer.read(line, from: target) == answer)
    }

    @Test func `a reason of SRT may contain the names of a URL's parameters`() {
        let line = "REJECT reported from HS processing: Incorrect passphrase: hidden-word - not"
        for target in [
            "srt://h:9?passphrase=hidden-word", "srt://h:9?mode=caller&passphrase=hidden-word",
        ] {
            #expect(LoggedAnswer.read(line, from: target) == "Incorrect passphrase: ...")
        }
    }

    @Test(arguments: [
        ("rtmp://ana:secret@live.example.com:1935/app/key?token=secret", "flv"),
        ("rtmps://live.example.com/app/secret", "flv"),
        ("rtmp://ana:secret/word@live.example.com/app/key", "flv"),
        ("srt://10.0.0.1:9000?passphrase=secret&streamid=secret", "mpegts"),
        ("udp://239.0.0.1:1234", "mpegts"),
        ("RTSP://u:p@secret@host/secret#secret", "rtsp"),
    ])
    func `a stream address has its muxer, and a name without credentials`(
        url: String, muxer: String
    ) throws {
        let address = try StreamAddress.url(url).get()
        #expect(address.muxer == muxer)
        #expect(address.target == url)
        #expect(!address.name.contains("secret"))
        #expect(!address.name.contains("@"))
        #expect(address.name.firstMatch(of: /^(rtmps?|srt|udp|rtsp):\/\/[a-z0-9.:]+$/) != nil)
    }

    @Test(arguments: [
        ("live.example.com/app", "is not a URL"),
        ("file:///etc/passwd", "has none of the schemes rtmp, rtmps, rtsp, srt, udp"),
        ("rtmp://", "names no host"),
        ("rtmp://ana:secret@/app", "names no host"),
        ("rtmp://host/app live=1", "has a space"),
        ("rtmp://host/\u{1B}[2J", "has a space or a character outside ASCII"),
    ])
    func `an error about an invalid stream address names the rule and no secret`(
        url: String, rule: String
    ) {
        let error = #expect(throws: InvalidValueError.self) { try StreamAddress.url(url).get() }
        #expect(error?.description.contains(rule) == true)
        #expect(error?.description.contains("secret") == false)
    }

    private static let second: Int64 = 1_000_000_000

    /// The shares of the bit rate at each change, and when.
    private func changes(
        behind: (_ second: Int64, _ share: Double) -> Double, seconds: Int64
    ) -> [(second: Int64, share: Double)] {
        var rate = AdaptiveBitRate()
        var changes: [(Int64, Double)] = []
        for now in 0..<seconds {
            let waiting = Int64(behind(now, rate.share) * Double(Self.second))
            if rate.update(behind: waiting, now: now * Self.second) {
                changes.append((now, rate.share))
            }
        }
        return changes
    }

    @Test func `a network that keeps up does not change the bit rate`() {
        #expect(changes(behind: { _, _ in 0.9 }, seconds: 300).isEmpty)
    }

    @Test func `the bit rate falls every 3 s, down to a quarter, and rises after 20 s on time`() {
        let found = changes(behind: { now, _ in now < 60 ? 1.5 : 0 }, seconds: 200)
        #expect(found.map(\.share) == [0.7, 0.5, 0.35, 0.25, 0.35, 0.5, 0.7, 1])
        #expect(found.map(\.second) == [0, 3, 6, 9, 80, 101, 122, 143])
    }

    @Test func `each failed attempt doubles the delay before the next attempt`() {
        // The network bears half of the bits.
        let found = changes(behind: { _, share in share > 0.5 ? 1.5 : 0 }, seconds: 600)
        let rises = found.filter { $0.share == 0.7 }.map(\.second).dropFirst()
        let pauses = zip(rises, rises.dropFirst()).map { $1 - $0 }
        #expect(pauses == [44, 84, 164])
    }

    @Test func `at half of the bit rate or less, a smaller source is requested`() {
        var rate = AdaptiveBitRate()
        let capability = VideoCapability(width: 1280, height: 720, fps: 30)
        var ceilings: [String?] = [rate.ceiling(of: capability)?.description]
        for now in 0..<5 {
            _ = rate.update(behind: AdaptiveBitRate.late, now: Int64(now) * 3 * Self.second)
            ceilings.append(rate.ceiling(of: capability)?.description)
        }
        #expect(ceilings == [nil, nil, "960x540@30", "640x360@30", "640x360@30", "640x360@30"])
    }
}
