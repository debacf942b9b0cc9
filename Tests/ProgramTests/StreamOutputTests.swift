import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the bundled output `Stream`, with real servers; ffprobe reads what they got.
@Suite(.ownThreads) struct StreamOutputTests {
    /// A camera that flashes and a microphone that beeps each second.
    func session(
        _ settings: String, _ more: String = "", duration: String = "4s",
        clock: String? = "virtual", camera: String? = nil, timeline: [String] = []
    ) throws -> FileSession {
        try FileSession(
            """
            camera: \(try camera ?? FileSession.hostile("FlashCamera"))
            microphone: \(try FileSession.hostile("BeepMic", "ppm: 0, stamps: own"))
            """, maximum: "640x360@30", duration: duration, clock: clock, timeline: timeline,
            outputs:
                "[\(FileSession.bundled("Stream", settings, more)), { record: recording }]")
    }

    /// Expects H.264 and AAC that decode without errors, and beeps at the times of the flashes.
    func expectTogether(
        _ stream: String, seconds: Int, frames: ClosedRange<Int>, _ run: Finished,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let streams = try FFProbe(stream).streams
        #expect(
            streams.map(\.codecName).sorted() == ["aac", "h264"], "\(run)",
            sourceLocation: sourceLocation)
        let count = streams.first { $0.codecName == "h264" }?.frameCount.flatMap { Int($0) } ?? 0
        #expect(frames.contains(count), "\(count) frames\n\(run)", sourceLocation: sourceLocation)
        let folder = try TemporaryFolder()
        let (video, audio) = (folder("v.y4m"), folder("a.wav"))
        let decoding = try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-i", stream, "-map", "0:v", "-pix_fmt", "yuv420p", video,
                "-map", "0:a", "-af", "aresample=async=1:first_pts=0", "-ac", "2", "-ar", "48000",
                audio,
            ])
        #expect(decoding.exit == .code(0), "\(decoding)", sourceLocation: sourceLocation)
        let found = try FlashAndBeep(picture: video, sound: audio)
        #expect(found.delays.count >= seconds, "\(found)\n\(run)", sourceLocation: sourceLocation)
        // At 30 fps the flash is at most half a frame from the full second.
        #expect(
            found.delays.allSatisfy { abs($0) < 0.030 }, "\(found.delays)",
            sourceLocation: sourceLocation)
    }

    // MARK: Protocols

    @Test func `HLS has segments that begin with a key frame`() throws {
        let folder = try TemporaryFolder()
        let playlist = folder("new/live.m3u8")
        let session = try session("hls: '\(playlist)', key-interval: 1")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let text = String(decoding: try readFile(playlist), as: UTF8.self)
        #expect(text.components(separatedBy: "#EXTINF:1.000000").count == 5, "\(text)")
        #expect(text.contains("#EXT-X-ENDLIST"), "\(text)")
        try expectTogether(playlist, seconds: 3, frames: 120...120, run)
        try expectTogether(folder("new/live-2.ts"), seconds: 0, frames: 30...30, run)
        #expect(run.standardError.contains("frames-lost 0"), "\(run)")
    }

    @Test func `HLS continues after a restart, and leaves no old segments`() throws {
        let folder = try TemporaryFolder()
        let playlist = folder("live.m3u8")
        for (first, interval) in [(0, 1), (4, 1), (8, 3)] {
            if first == 8 {
                // A crash of the machine cut off the list.
                let text = try readFile(playlist)
                try folder.write("live.m3u8", Array(text.dropLast(text.count / 2)))
            }
            let run = try session("hls: '\(playlist)', key-interval: \(interval)").run()
            #expect(run.exit == .code(0), "\(run)")
            let text = String(decoding: try readFile(playlist), as: UTF8.self)
            let lines = text.split(separator: "\n").map(String.init)
            #expect(lines.contains("#EXT-X-TARGETDURATION:1"), "\(text)")
            let seam = try #require(lines.lastIndex(of: "#EXT-X-DISCONTINUITY"), "\(text)")
            #expect(lines[seam + 2] == "live-\(first).ts", "\(text)")
            let listed = lines.filter { $0.hasSuffix(".ts") }
            #expect(listed.count <= 6 && listed.last == "live-\(first + 3).ts", "\(text)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files.count <= listed.count + 3, "\(files)")
        }
    }

    @Test(arguments: ["live-0.ts.tmp", "live.m3u8.tmp"])
    func `a file of HLS that cannot be written is reported`(name: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder(name), withDestinationPath: "/dev/full")
        let run = try session("hls: '\(folder("live.m3u8"))', key-interval: 1").run()
        #expect(
            run.standardError.contains(
                ": lost: \(folder("live.m3u8")): writing: No space left"), "\(run)")
        if name == "live.m3u8.tmp" {
            // The stream may have recovered before the session's end.
            let type =
                try? FileManager.default.attributesOfItem(atPath: folder("live.m3u8"))[.type]
                as? FileAttributeType
            #expect(type == nil || type == .typeRegular, "not what could not be written")
            if type == .typeRegular {
                let text = String(decoding: try readFile(folder("live.m3u8")), as: UTF8.self)
                #expect(text.contains("#EXTINF:"), "no empty playlist")
            }
        }
    }
}
