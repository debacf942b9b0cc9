import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension PreviewTests {
    @Test
    func `an output shows the frames that it received and the values that it reports`()
        throws
    {
        let run = try preview(
            "FrameFolder", "--set", "folder=\(folder("images"))", "--duration", "2s",
            "--virtual-clock", "--maximum", "640x360@30")
        #expect(run.exit == .code(0) && run.standardError.isEmpty, "\(run)\n\(run.text)")
        #expect(Self.lines(run).first == "FrameFolder 1.0.0, an output, in the host's process")
        #expect(Self.row("camera", of: run) == "rgba, taken 60, refused none, lost none")
        #expect(Self.row("values", of: run) == "images 2", "\(run.text)")
        #expect(Self.row("frames", of: run) == nil && !run.text.contains("offer"), "\(run.text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder("images"))
        #expect(names.sorted() == ["frame-000000.png", "frame-000030.png"])
    }

    @Test func `a call shows its participants and the media of their tracks`() throws {
        let run = try preview(
            "LoopbackCall", "--set", "script=Ana 0s camera=320x180@15; Ben 0s-1s microphone",
            "--duration", "2s", "--virtual-clock", "--maximum", "640x360@30")
        #expect(run.exit == .code(0) && run.standardError.isEmpty, "\(run)\n\(run.text)")
        #expect(
            Self.row("Ana", of: run) == "left, ana-camera 320x180@15 (closed): sent 30",
            "\(run.text)")
        #expect(
            Self.row("Ben", of: run) == "left, ben-microphone (closed): sent 100", "\(run.text)")
    }

    @Test func `refusals and losses are shown by reason, with the plugin's log`() throws {
        let library = try TestPlugins.hostile()
        let refused = try preview(
            "\(library)#BadFrames", "--duration", "1s", "--virtual-clock", "--maximum",
            "320x180@15")
        #expect(refused.text.contains("camera: status short-luma 15 BAD_LENGTH"))
        #expect(refused.text.contains("7 BAD_LENGTH") && refused.text.contains("2 BAD_ROTATION"))

        let lost = try preview(
            "\(library)#Faulty", "--set", "fault=segv", "--set", "once=1", "--duration", "8s",
            "--maximum", "320x180@15")
        #expect(lost.exit == .code(0), "\(lost)\n\(lost.text)")
        #expect(lost.text.contains("camera: lost: killed by SIGSEGV"))
        #expect(Self.row("lost", of: lost)?.hasPrefix("once, away for ") == true, "\(lost.text)")
    }

    @Test func `a script of ceilings shows the result of each offer`() throws {
        let script = "1s 320x180@15, 2s none"
        func offers(_ plugin: String) throws -> [String] {
            let run = try preview(
                plugin, "--ceiling", script, "--duration", "7s", "--virtual-clock", "--maximum",
                "640x360@30")
            #expect(run.exit == .code(0), "\(run)\n\(run.text)")
            #expect(run.text.contains("camera: ceiling 320x180@15 (--ceiling)"), "\(run.text)")
            return Self.lines(run).filter { $0.hasPrefix("offer ") }
        }
        #expect(
            try offers("ColorBars") == [
                "offer 1 (initial): 640x360@30; accepted",
                "offer 2 (ceiling-lowered): 320x180@15; accepted; followed after 0 frames",
                "offer 3 (ceiling-raised): 640x360@30; accepted; followed after 0 frames",
            ])
        #expect(
            try offers("\(try TestPlugins.hostile())#RefusesChange").dropFirst() == [
                "offer 2 (ceiling-lowered): 320x180@15; refused; it continues with 640x360@30",
                "offer 3 (ceiling-raised): 640x360@30; refused; it continues with 640x360@30",
            ])
        let share = try preview(
            "\(try TestPlugins.hostile())#FollowsShare", "--ceiling", "1s 320x180@5", "--duration",
            "3s", "--virtual-clock", "--maximum", "640x360@30")
        #expect(share.text.contains("share: ceiling 320x180@5 (--ceiling)"), "\(share.text)")
        #expect(Self.row("video", of: share) == "320x180@5 (offer 2)", "\(share.text)")
    }

    @Test func `a terminal has a block that is redrawn below the lines`() throws {
        let command =
            "stty cols 80 rows 24; '\(Checkout.greenroom)' preview ColorBars --duration 2500ms "
            + "--maximum 320x180@15 --ceiling '1s 212x160@10'"
        let run = try ChildProcess.run(
            "script", ["--quiet", "--return", "--command", command, "/dev/null"],
            environment: ["GREENROOM_PLUGIN_PATH": nil])
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        // The final content of a terminal: the block is erased before each line.
        var shown: [String] = []
        for part in run.text.replacing("\r\n", with: "\n").components(separatedBy: "\r\u{1B}[") {
            var part = part
            if let match = part.prefixMatch(of: #/([0-9]+)A\x1B\[J/#), let up = Int(match.1) {
                shown.removeLast(min(up + 1, shown.count))
                part = String(part[match.range.upperBound...])
                #expect(up < 24)
            } else if part.hasPrefix("K") {
                if !shown.isEmpty { shown.removeLast() }
                part.removeFirst()
            }
            shown += part.components(separatedBy: "\n")
        }
        let text = shown.joined(separator: "\n")
        // A line of the log, of a machine that was late, is as long as it is: the terminal breaks
        // it.
        #expect(shown.allSatisfy { $0.count < 80 || $0.hasPrefix("camera: ") }, "\(text)")
        #expect(!text.contains("\u{1B}"), "\(text)")
        #expect(shown.count { $0.hasPrefix("  video ") } == 1, "one block is left:\n\(text)")
        #expect(shown.first == "ColorBars 1.0.0, a video source, in the host's process", "\(text)")
        for line in ["offer 2 ", "stopping: the duration is over", "  refused ", "  intervals "] {
            #expect(shown.count { $0.hasPrefix(line) } == 1, "\(line)\n\(text)")
        }
        let blocks = run.text.ranges(of: "  video ").count
        #expect(blocks > 1, "\(run.text)")
    }

    @Test func `a snapshot at the end is the last frame`() throws {
        let file = folder("a.png")
        let run = try preview(
            "ColorBars", "--duration", "2s", "--virtual-clock", "--maximum", "640x360@30",
            "--ceiling", "1s 320x180@15", "--snapshot", file)
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        #expect(Self.lines(run).last == "\(file): 320x180", "\(run.text)")
        try expectBars(in: file, 320, 180)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.png"])

        // A filter's snapshot is its result: the inverted bars.
        let filtered = try preview(
            "\(try TestPlugins.hostile())#Invert", "--duration", "1s", "--virtual-clock",
            "--maximum", "320x180@15", "--snapshot", file)
        #expect(filtered.exit == .code(0), "\(filtered)\n\(filtered.text)")
        let decoded = try ChildProcess.run(
            "ffmpeg", ["-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", "-"])
        let left = decoded.standardOutput[320 * 120 + 20]
        let right = decoded.standardOutput[320 * 120 + 300]
        #expect(left < right, "white is darker than black: \(left), \(right)")
    }

    @Test func `each signal writes a snapshot`() throws {
        let file = folder("a.png")
        let child = try Greenroom.start([
            "preview", "ColorBars", "--maximum", "320x180@15", "--snapshot", file,
        ])
        #expect(
            child.waitForOutput(
                containing: "kill -USR1 \(child.id) writes \(file)"))
        for _ in 1...2 {
            // Before the first frame there is nothing to write, which is reported.
            #expect(
                waitUntil {
                    child.signal(SIGUSR1)
                    usleep(50_000)
                    return folder.has("a.png")
                })
            try expectBars(in: file, 320, 180)
            unlink(file)
        }
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(run.text.contains("\(file): 320x180"), "\(run.text)")
        // A snapshot at the end would overwrite requested ones.
        #expect(!folder.has("a.png"), "\(run.text)")
    }

    @Test func `a snapshot without a frame is an error`() throws {
        let run = try preview(
            "\(try TestPlugins.hostile())#Silent", "--duration", "1s", "--virtual-clock",
            "--maximum", "320x180@15", "--snapshot", folder("a.png"))
        #expect(run.exit == .code(66), "\(run)\n\(run.text)")
        #expect(
            run.text.contains("--snapshot \(folder("a.png")): no frame to write"),
            "\(run.text)")
        #expect(!folder.has("a.png"))
    }

    @Test func `Y4M uses standard output, statistics standard error`() throws {
        let run = try preview(
            "ColorBars", "--duration", "3s", "--maximum", "320x180@15", "--y4m", "-")
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("  video "), "\(run)")
        let stream = try Y4MRecording(try folder.write("a.y4m", run.standardOutput))
        #expect(stream.width == 320 && stream.height == 180 && stream.framesPerSecond == 15)
        #expect(stream.frameCount == 45 && stream.trailingBytes == 0)
        #expect(BurntInCode(try stream.frame(44)) != nil)
    }

    @Test func `a preview waits for a named pipe, and ends when its reader is gone`()
        throws
    {
        let pipe = folder("pipe")
        mkfifo(pipe, 0o600)
        let child = try Greenroom.start([
            "preview", "ColorBars", "--maximum", "320x180@15", "--y4m", pipe,
        ])
        #expect(
            child.waitForOutput(containing: "\(pipe): waiting for a reader"))
        let reader = try ChildProcess.run("head", ["-c", "400000", pipe])
        #expect(reader.standardOutput.count == 400_000, "\(reader)")
        let run = child.wait()
        #expect(run.exit == .code(0), "\(run)\n\(run.text)")
        #expect(run.text.contains("\(pipe): the reader closed it"), "\(run.text)")
        let stream = try Y4MRecording(try folder.write("a.y4m", reader.standardOutput))
        #expect(stream.frameCount == 4)
    }

    @Test func `a rebuilt library restarts, however the file was replaced`()
        throws
    {
        let library = folder("library.so")
        let child = try Greenroom.start([
            "preview", library, "--watch", "--maximum", "320x180@15",
        ])
        func expect(_ text: String, times: Int = 1, line: SourceLocation = #_sourceLocation) {
            let hasCome = child.waitForOutput(
                containing: text, times: times)
            #expect(hasCome, "\(text)", sourceLocation: line)
        }
        expect("\(library) is missing: waiting for it\n")
        try put(try build(version: "1.0.0", grey: 126), at: library)
        expect("CCamera 1.0.0, a video source, in a separate process")
        expect("offer 1 (initial): 320x180@15; accepted")

        // A build that can't be loaded is reported.
        try folder.write("library.so.new", "no library")
        rename("\(library).new", library)
        expect("\(library) has changed: restarting")
        expect("not a shared library for this machine")
        expect("waiting for the next change of \(library)")
        unlink(library)
        try put(try build(version: "1.1.0", grey: 126), at: library)
        expect("CCamera 1.1.0, a video source, in a separate process")
        expect("offer 1 (initial): 320x180@15; accepted", times: 2)

        // Overwritten in steps while it runs.
        let bytes = try readFile(try build(version: "1.2.0", grey: 126))
        let file = open(library, O_WRONLY | O_TRUNC)
        defer { close(file) }
        for start in stride(from: 0, to: bytes.count, by: bytes.count / 4 + 1) {
            let part = bytes[start..<min(start + bytes.count / 4 + 1, bytes.count)]
            #expect(part.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == part.count)
            usleep(50_000)
        }
        expect("CCamera 1.2.0, a video source, in a separate process")
        expect("offer 1 (initial): 320x180@15; accepted", times: 3)
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)\n\(run.text)")
    }

    @Test func `a stream continues with the next build`() throws {
        let library = folder("library.so")
        try put(try build(version: "1.0.0", grey: 126), at: library)
        let child = try Greenroom.start([
            "preview", library, "--watch", "--maximum", "320x180@15", "--y4m", "-", "--snapshot",
            folder("a.png"),
        ])
        func waitForSnapshot(of grey: Int) -> Bool {
            waitUntil {
                child.signal(SIGUSR1)
                usleep(100_000)
                return (try? greyOfSnapshot()).map { abs($0 - grey) <= 1 } == true
            }
        }
        #expect(child.waitForErrors(containing: "kill -USR1"))
        // Luma of limited range, 16 to 235, in full range.
        #expect(waitForSnapshot(of: 128))
        try put(try build(version: "1.1.0", grey: 200), at: library)
        #expect(waitForSnapshot(of: 214))
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        let stream = try Y4MRecording(try folder.write("a.y4m", run.standardOutput))
        #expect(stream.width == 320 && stream.frameCount > 0)
        let greys = try (0..<stream.frameCount).map { median(try stream.frame($0).y) }
        // Black before the first frame, then frames of the first build, then of the second.
        #expect(Set(greys).isSubset(of: [16, 126, 200]), "\(greys)")
        #expect(greys.contains(126) && greys.last == 200, "\(greys)")
    }

    @Test func `a build that fails is followed by the next one`() throws {
        let library = folder("library.so")
        try put(try TestPlugins.hostile(), at: library)
        // On the virtual clock, restarts take no time.
        let child = try Greenroom.start([
            "preview", "\(library)#Fails", "--set", "where=create", "--watch", "--virtual-clock",
            "--duration", "60s",
        ])
        for times in 1...2 {
            for text in [
                "Fails 1.0.0, a video source, in a separate process",
                "waiting for the next change of \(library)",
            ] {
                #expect(
                    child.waitForOutput(containing: text, times: times))
            }
            try put(try TestPlugins.hostile(), at: library)
        }
        child.signal(SIGINT)
        #expect(child.wait().exit == .code(130))
    }

    @Test func `a watched bundled plugin is isolated`() throws {
        let run = try preview(
            "Tone", "--watch", "--duration", "500ms", "--virtual-clock", "--set", "frequency=300")
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.text.hasPrefix("Tone 1.0.0, a virtual mic, in a separate process\n"))
    }

    @Test func `a library in the working folder is named by its file name`() throws {
        try folder.write("libMine.so", try readFile("\(Checkout.products)/libTone.so"))
        for arguments in [["libMine.so#Tone"], ["libMine.so#Tone", "--watch"]] {
            let run = try ChildProcess.run(
                "env",
                ["-C", folder.path, Checkout.greenroom, "preview"] + arguments + [
                    "--duration", "500ms", "--virtual-clock",
                ], environment: ["GREENROOM_PLUGIN_PATH": nil])
            #expect(run.exit == .code(0), "\(run)")
            #expect(run.text.hasPrefix("Tone 1.0.0, a virtual mic, in a separate process\n"))
        }
    }

    @Test func `a plugin can open exactly what is granted`() throws {
        // Beside its library it would be readable without a grant.
        let elsewhere = try TemporaryFolder()
        let file = try elsewhere.write("secret", "x")
        let source = try folder.write(
            "opens.c",
            """
            #define OWN_INITIALIZE
            #include "good.h"
            #include <fcntl.h>
            #include <unistd.h>
            static gr_status initialize(void *self, const gr_initialize *in) {
              const int file = open("\(file)", O_RDONLY);
              if (file < 0) return GR_STATUS_UNAVAILABLE;
              close(file);
              return good_initialize(self, in);
            }
            """)
        let library = folder("opens.so")
        let built = try ChildProcess.run(
            "cc",
            [
                "-std=c99", "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread", "-I",
                Checkout.include, "-I", WrongPlugin.folder, source, "-o", library,
            ])
        #expect(built.exit == .code(0), "\(built)")
        func exit(_ grants: String...) throws -> Exit {
            try Greenroom.start(
                ["preview", library, "--duration", "30s", "--virtual-clock"] + grants
            ).wait().exit
        }
        #expect(try exit() == .code(69))
        #expect(try exit("--allow-read", file) == .code(0))
        #expect(try exit("--allow-read", "/etc", "--allow-read", elsewhere.path) == .code(0))
        #expect(try exit("--allow-write", folder("a"), "--allow-device", "/dev/null") == .code(69))

        // Bundled plugins have a sandbox then, too.
        let bundled = try preview(
            "Tone", "--allow-network", "--duration", "500ms", "--virtual-clock")
        #expect(bundled.exit == .code(0), "\(bundled)")
        #expect(bundled.text.hasPrefix("Tone 1.0.0, a virtual mic, in a separate process\n"))
    }

    @Test(
        arguments: [
            ("camera", "Fails", ["where=create"], 69), ("camera", "Faulty", ["fault=segv"], 69),
            ("microphone", "FaultyMic", ["fault=exit"], 69),
            ("share", "FaultyShare", ["fault=abort"], 69),
            // The camera continues.
            ("filter", "FaultyFilter", ["fault=segv"], 0),
            // It is restarted.
            ("camera", "Faulty", ["fault=segv", "once=1"], 0),
        ])
    func `a lost plugin ends a preview with the exit code of a session`(
        place: String, plugin: String, settings: [String], code: Int32
    ) throws {
        let reference = "\(try TestPlugins.hostile())#\(plugin)"
        let values = settings.map { $0.replacing("=", with: ": ") }.joined(separator: ", ")
        let source = "{ plugin: \"\(reference)\", settings: { \(values) } }"
        let file = try folder.write(
            "s.yaml",
            place == "filter"
                ? "camera: { plugin: ColorBars, pre-processors: [\(source)] }"
                : "\(place): \(source)")
        let run = try Greenroom.run(
            "run", file, "--duration", "30s", "--virtual-clock", "--set",
            "session.maximum=320x180@15")
        #expect(run.exit == .code(code), "\(run)")
        let alone = try Greenroom.start(
            [
                "preview", reference, "--duration", "30s", "--virtual-clock", "--maximum",
                "320x180@15",
            ] + settings.flatMap { ["--set", $0] }
        ).wait()
        #expect(Self.row("lost", of: alone) != nil, "\(alone.text)")
        #expect(alone.exit == run.exit, "\(alone)\n\(alone.text)")
    }

    private func expectBars(
        in file: String, _ width: Int, _ height: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let decoded = try ChildProcess.run(
            "ffmpeg", ["-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        #expect(decoded.exit == .code(0), "\(decoded)", sourceLocation: sourceLocation)
        let pixels = decoded.standardOutput
        try #require(pixels.count == 3 * width * height, sourceLocation: sourceLocation)
        for (index, bar) in Self.bars.enumerated() {
            // Below the code and the clock, beside the ball's path, in the middle of the bar.
            let place = 3 * (width * (height * 2 / 3) + (2 * index + 1) * width / 16)
            let found = pixels[place..<place + 3].map(Int.init)
            #expect(
                zip(found, bar).allSatisfy { abs($0 - $1) <= 3 }, "bar \(index): \(found)",
                sourceLocation: sourceLocation)
        }
    }

    /// Builds the sample's camera with changes.
    ///
    /// - Parameters:
    ///   - version: Its new version.
    ///   - grey: The luma of its background, 126 in the sample.
    /// - Returns: The library's path.
    private func build(version: String, grey: Int) throws -> String {
        let sample = try readFile(Checkout.root + "/Samples/c-camera/camera.c")
        let source = String(decoding: sample, as: UTF8.self)
            .replacing("\"1.0.0\"", with: "\"\(version)\"")
            .replacing("memset(luma, 126", with: "memset(luma, \(grey)")
        let file = try folder.write("camera-\(version).c", source)
        let run = try ChildProcess.run(
            "cc",
            [
                "-std=c11", "-shared", "-fPIC", "-pthread", "-I", Checkout.include, file, "-o",
                folder("camera-\(version).so"),
            ])
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        return folder("camera-\(version).so")
    }

    /// Replaces a library by renaming, as linkers do.
    private func put(_ library: String, at path: String) throws {
        let unfinished = "\(path).new"
        try folder.write("library.so.new", try readFile(library))
        guard rename(unfinished, path) == 0 else { throw Failure("can't rename \(unfinished)") }
    }

    private func greyOfSnapshot() throws -> Int {
        let decoded = try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-i", folder("a.png"), "-f", "rawvideo", "-pix_fmt", "gray", "-"])
        guard decoded.standardOutput.count == 320 * 180 else { throw Failure("\(decoded)") }
        return median(decoded.standardOutput)
    }

    /// Most of the frame is background.
    private func median(_ pixels: [UInt8]) -> Int { Int(pixels.sorted()[pixels.count / 2]) }
}
