import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension BroadcastTests {
    @Test func `the last frame of a silent share repeats at the output's rate`()
        throws
    {
        let host = try startSession()
        let broadcaster = try visit("still")
        #expect(hears(host, "share: connected"))
        #expect(
            waitUntil {
                ((try? lumas()) ?? []).count { $0 == 200 } >= 50
            })
        let (run, report) = try finish(host)
        #expect(life(end(broadcaster)) == Self.wholeLife)
        let picture = try report.picture("share")
        #expect(picture.accepted == 1, "\(run)")
        let shown = try lumas().drop { $0 != 200 }
        #expect(shown.count >= 50 && shown.allSatisfy { $0 == 200 }, "\(shown)\n\(run)")
        #expect(picture.outputs[0].repeated >= shown.count - 1, "\(picture)")
    }

    @Test func `the last frame of a paused share stays until it resumes`() throws {
        let host = try startSession()
        let broadcaster = try visit("pause")
        #expect(hears(host, "share: paused by its source"))
        #expect(hears(host, "share: resumed by its source"))
        #expect(
            waitUntil { ((try? lumas()) ?? []).count { $0 == 100 } >= 5 })
        let (run, _) = try finish(host)
        let told = end(broadcaster)
        #expect(life(told) == Self.wholeLife, "\(told.text)")
        let paused = run.standardError.ranges(of: "paused by its source").count
        #expect(paused == 1, "said twice, told once: \(run)")
        let shown = try lumas().drop { $0 != 200 }
        let (light, dark) = (shown.count { $0 == 200 }, shown.count { $0 == 100 })
        // Frames for a third of a second, and the last one for a second.
        #expect(light >= 30 && dark >= 5 && light + dark == shown.count, "\(shown)\n\(run)")
    }

    @Test func `each frame is rotated upright`() throws {
        let host = try startSession()
        let program = try ChildProcess(try TestPlugins.bouncer(), [socket])
        #expect(hears(host, "share: connected"))
        // Upright for two seconds, then rotated to the right.
        #expect(
            waitUntil {
                let rotated = try? Y4MRecording(session.recording + "/share-2.y4m")
                return rotated?.frameCount ?? 0 > 20
            })
        let (run, report) = try finish(host)
        #expect(end(program).exit == .code(0))
        // A recording has a file for each shape, and its white edge is at the top in both.
        let pieces = try #require(report.picture("share").outputs[0].pieces, "\(run)").prefix(2)
        #expect(pieces.map(\.size) == ["320x180", "100x180"], "\(pieces)")
        var shown: [Int] = []
        for piece in pieces {
            let recording = try Y4MRecording(piece.file)
            let middle = recording.width / 2
            var count = 0
            for index in 0..<recording.frameCount {
                let frame = try recording.frame(index)
                // Black until it connects, then a slate.
                guard frame[middle, 90].y > 45, count > 0 || frame[middle, 3].y > 200 else {
                    continue
                }
                #expect(frame[middle, 3].y > 200, "\(piece.file): frame \(index)\n\(run)")
                count += 1
            }
            shown.append(count)
        }
        #expect(shown.count == 2 && shown[0] > 30 && shown[1] > 15, "\(shown)")
    }

    @Test func `the audio of a broadcast uses the same socket`() throws {
        let host = try startSession()
        let program = try ChildProcess(try TestPlugins.bouncer(), [socket])
        #expect(hears(host, "share.audio: connected"))
        #expect(
            waitUntil {
                let beeps = try? FlashAndBeep.beeps(in: session.recording + "/share.wav")
                return beeps?.count ?? 0 >= 2
            })
        let (run, report) = try finish(host)
        #expect(end(program).exit == .code(0))
        let beeps = try FlashAndBeep.beeps(in: session.recording + "/share.wav")
        #expect(beeps.count >= 2, "\(beeps)\n\(run)")
        #expect(try report.plugin("share.audio").callbacks["start-send"]?.calls == 1)
    }

    @Test
    func `a broadcast that does not answer is dropped, and another one is accepted`()
        throws
    {
        let host = try startSession()
        let hung = try visit("idle")
        #expect(hears(host, "share: connected"))
        hung.signal(SIGSTOP)
        #expect(hears(host, "has not answered"))
        #expect(life(end(try visit("finish"))) == Self.wholeLife)
        // It is alive: the host can't end it, and it detects that its share has ended.
        hung.signal(SIGCONT)
        let told = end(hung)
        #expect(told.text.contains("status 3 "), "\(told.text)")
        #expect(life(told).hasSuffix("stop-send uninitialize destroy"), "\(told.text)")
        let (run, _) = try finish(host)
        #expect(run.exit == .code(130), "\(run)")
    }

    @Test func `a broadcast without a host gets UNAVAILABLE`() throws {
        let told = end(try visit("idle"))
        #expect(told.text.contains("status 41") && told.text.contains(socket), "\(told.text)")
        let long = session.folder(String(repeating: "s", count: 108))
        let broadcaster = try ChildProcess(try TestPlugins.broadcaster(), [long, "idle"])
        #expect(end(broadcaster).text.contains("status 10"))
    }

    @Test
    func `a broadcast that fails to create keeps its status, and another one may connect`()
        throws
    {
        let host = try startSession()
        let told = end(try visit("refuse"))
        #expect(told.text.contains("status 42"), "\(told.text)")
        #expect(hears(host, "it will not be made"))
        #expect(life(end(try visit("finish"))) == Self.wholeLife)
        let (run, _) = try finish(host)
        #expect(run.exit == .code(130), "\(run)")
    }

    @Test func `a killed host ends the broadcast, and does not block the next host`()
        throws
    {
        let host = try startSession()
        let broadcaster = try visit("pause")
        #expect(hears(host, "share: connected"))
        host.signal(SIGKILL)
        let told = end(broadcaster)
        #expect(told.text.contains("status 3 "), "\(told.text)")
        #expect(life(told).hasSuffix("stop-send uninitialize destroy"), "\(told.text)")
        _ = host.wait()
        #expect(session.folder.has("share.sock"), "left behind")

        let next = try session.start()
        #expect(hears(next, "sending"))
        #expect(life(end(try visit("finish"))) == Self.wholeLife)
        next.signal(SIGINT)
        let run = next.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(!session.folder.has("share.sock"))
    }

    @Test
    func `a socket in a folder that is not there is a wrong setting, with its line`() throws {
        let file = try session.folder.write("wrong.yaml", "share: { connect: none/share.sock }")
        let run = try Greenroom.run("run", file)
        #expect(run.exit == .code(65), "\(run)")
        #expect(
            run.standardError.contains(
                "wrong.yaml:1:19: share.connect: \(session.folder("none/share.sock")): cannot open "
                    + "the folder"), "\(run)")
    }

    @Test func `two sessions can't have one socket`() throws {
        let host = try startSession()
        let second = try session.run()
        #expect(second.exit == .code(69), "\(second)")
        #expect(second.standardError.contains("has a listener already"), "\(second)")
        #expect(life(end(try visit("finish"))) == Self.wholeLife, "the first continues")
        _ = try finish(host)
    }

    @Test func `ended broadcasts leave nothing behind`() throws {
        let host = try startSession()
        func held() throws -> Int { try entryCount(of: "/proc/\(host.id)/fd") }
        for _ in 0..<2 { #expect(life(end(try visit("finish"))) == Self.wholeLife) }
        usleep(500_000)
        let before = try held()
        for _ in 0..<6 { #expect(life(end(try visit("finish"))) == Self.wholeLife) }
        for _ in 0..<40 where try held() > before { usleep(500_000) }
        #expect(try held() <= before, "descriptors")
        let (_, report) = try finish(host)
        #expect(try report.plugin("share").callbacks["create"]?.calls == 8)
    }

    @Test func `the sample in Swift shares video and audio`() throws {
        let sample = try Self.bouncerInSwift.get()
        let host = try startSession()
        let program = try ChildProcess(sample, [socket])
        #expect(hears(host, "share: connected"))
        #expect(hears(host, "share.audio: connected"))
        #expect(
            waitUntil {
                let beeps = try? FlashAndBeep.beeps(in: session.recording + "/share.wav")
                return beeps?.isEmpty == false && ((try? uprightFrames()) ?? 0) > 30
            })
        let (run, report) = try finish(host)
        let told = end(program)
        #expect(told.exit == .code(0) && told.text.contains("over"), "\(told)\(told.text)")
        #expect(try report.picture("share").accepted > 20, "\(run)")
        let beeps = try FlashAndBeep.beeps(in: session.recording + "/share.wav")
        #expect(beeps.count >= 1, "\(beeps)\n\(run)")
        let recording = try session.picture("share")
        let last = recording.frameCount - 1
        #expect(try recording.frame(last)[160, 3].y > 200, "its edge is at the top")
        let first = try (0..<last).first { try recording.frame($0)[160, 3].y > 200 }
        #expect(try recording.frame(last) != recording.frame(#require(first)), "it moves")
    }

    /// The luma in the middle of each frame of the recording.
    private func lumas() throws -> [Int] {
        let recording = try session.picture("share")
        return try (0..<recording.frameCount).map { index in
            Int(try recording.frame(index)[recording.width / 2, recording.height / 2].y)
        }
    }

    /// The number of the share's frames with the white edge of the Swift sample at their top.
    private func uprightFrames() throws -> Int {
        let recording = try session.picture("share")
        return try (0..<recording.frameCount).count { try recording.frame($0)[160, 3].y > 200 }
    }

    private static let bouncerInSwift = Result {
        try SampleProgram(
            sample: "ThirdPartyBroadcast", name: "Bouncer", product: "greenroom-broadcast",
            module: "GreenroomBroadcastLibrary"
        ).build()
    }
}

/// The number of files in a folder.
private func entryCount(of path: String) throws -> Int {
    guard let folder = opendir(path) else { throw Failure("can't list \(path)") }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}
