import GreenroomABI
import GreenroomPlugin
import Synchronization
import TestSupport
import Testing

/// Plays files that ffmpeg makes with the real library of Media, on a clock that the test advances.
@Suite struct MediaFileTests {
    private static let size = "64x36"

    /// Sixty frames, 30 per second. The luma of each tells its number.
    private static func film(_ seconds: Double = 2, rate: Int = 30) -> [String] {
        [
            "-f", "lavfi", "-i",
            "color=gray:s=\(size):r=\(rate):d=\(seconds),format=yuv420p,geq=lum='16+3*mod(N,60)':cb=128:cr=128",
        ]
    }

    private static func tone(_ seconds: Double) -> [String] {
        ["-f", "lavfi", "-i", "sine=1000:sample_rate=48000:duration=\(seconds)"]
    }

    private static func ffmpeg(_ arguments: [String]) throws {
        let run = try ChildProcess.run("ffmpeg", ["-v", "error", "-y"] + arguments)
        try #require(run.exit == .code(0), "\(run)")
    }

    /// Makes a file, and returns its path.
    private static func make(
        _ name: String, in folder: TemporaryFolder, _ inputs: [String], _ options: String
    ) throws -> String {
        let path = folder(name)
        try ffmpeg(inputs + options.split(separator: " ").map(String.init) + [path])
        return path
    }

    /// A number for each frame that was sent, by its luma.
    private static func numbers(_ frames: [SentFrame]) -> [Int] {
        frames.map { frame in
            guard let luma = frame.planes.first, !luma.isEmpty else { return -1 }
            let mean = Double(luma.reduce(0) { $0 + Int($1) }) / Double(luma.count)
            return Int(((mean - 16) / 3).rounded())
        }
    }

    private struct Played {
        var frames: [SentFrame]
        var log: [String]
        var holds: [Bool]
        var damaged: Int
        var numbers: [Int] { MediaFileTests.numbers(frames) }
    }

    private static func play(
        _ path: String, seconds: Double, _ settings: [(String, Given)] = []
    ) throws -> Played {
        let session = try FakeSession(
            "Media", of: bundledEntry("Media"), settings: [("file", .path(path))] + settings)
        try #require(session.initializeVideo() == .ok)
        try #require(session.run(nanoseconds: Int64(seconds * 1e9)) == .ok)
        return session.host.state.withLock {
            Played(
                frames: $0.video.committed, log: $0.log, holds: $0.holds, damaged: $0.damaged)
        }
    }

    static let containers = [
        ("one-group.ts", "-c:v libx264 -g 600 -bf 2"),
        ("groups.ts", "-c:v libx264 -g 12 -bf 2"),
        ("mpeg2.ts", "-c:v mpeg2video -g 12 -bf 2 -q:v 2"),
        ("mpeg2.vob", "-c:v mpeg2video -g 12 -bf 2 -q:v 2"),
        ("h264.flv", "-c:v libx264 -g 12 -bf 2"), ("flv1.flv", "-c:v flv -q:v 2"),
        ("b-frames.avi", "-c:v mpeg4 -g 12 -bf 2 -q:v 2"), ("h264.avi", "-c:v libx264 -bf 2 -g 12"),
        (
            "mjpeg.avi",
            "-vf scale=in_range=pc:out_range=pc -c:v mjpeg -q:v 2 -pix_fmt yuvj420p"
        ),
        ("h264.mp4", "-c:v libx264 -g 600 -bf 2"),
        ("h264.mkv", "-c:v libx264 -g 12 -bf 2"),
        ("mpeg1.mpg", "-c:v mpeg1video -g 12 -bf 2 -q:v 2"),
        ("raw.h264", "-c:v libx264 -g 12 -bf 2"),
        ("theora.ogv", "-c:v libtheora -q:v 9"), ("h264.asf", "-c:v libx264 -bf 2 -g 12"),
        ("wmv.asf", "-c:v wmv2 -q:v 2"),
    ]

    @Test(arguments: containers)
    func `every container shows each frame once in every repetition`(
        name: String, options: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(name, in: folder, Self.film(), "-r 30 " + options)
        let played = try Self.play(path, seconds: 6.5)
        #expect(
            played.numbers.prefix(195) == (0..<195).map { $0 % 60 }[...],
            "\(played.numbers) \(played.log)")
    }

    // ffmpeg leaves an empty place after the first picture of MJPEG in AVI with audio, and shifts the timestamps of program
    // streams with small frames, so numbers are not times there. Raw H.264 has no audio.
    @Test(
        arguments: containers.filter { name, _ in
            !["mpeg2.vob", "mpeg1.mpg", "mjpeg.avi", "raw.h264"].contains(name)
        })
    func `playback that starts at a time shows the frame of that time`(
        name: String, options: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            name, in: folder, Self.film(4) + Self.tone(4), "-r 30 " + options + " -shortest")
        let played = try Self.play(
            path, seconds: 0.4, [("start", .number(1.1)), ("loop", .boolean(false))])
        #expect(played.numbers.prefix(10) == Array(33..<43)[...], "\(played.numbers) \(played.log)")
    }

    @Test func `a picture beside music stays as long as the music`() throws {
        let folder = try TemporaryFolder()
        for name in ["cover.mkv", "cover.mp4"] {
            let path = try Self.make(
                name, in: folder, Self.film(1.0 / 30) + Self.tone(120),
                "-c:v libx264 -c:a libmp3lame")
            let session = try FakeSession(
                "MediaAudio", of: bundledEntry("Media"), settings: [("file", .path(path))])
            try #require(session.initializeAudio() == .ok)
            try #require(session.run(nanoseconds: 110_000_000_000) == .ok)
            let (blocks, log) = session.host.state.withLock { ($0.blocks, $0.log) }
            let silent = blocks.indices.filter { block in
                blocks[block].samples.allSatisfy { abs(Int($0)) < 200 }
            }
            #expect(silent.allSatisfy { $0 < 10 }, "\(silent) \(log)")
            let played = try Self.play(path, seconds: 3)
            #expect(played.numbers.allSatisfy { $0 == 0 }, "\(played.numbers)")
            #expect(
                played.log.count { $0.contains("the last frame is held") } == 1, "\(played.log)")
        }
    }

    @Test
    func `a file that is cut off repeats at its real end, and the log reports the cut`() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "whole.mp4", in: folder, Self.film(4), "-c:v libx264 -g 15 -bf 0 -movflags +faststart")
        let bytes = try readFile(path)
        let media = try TemporaryMedia()
        let cut = try media.addFile("cut.mp4", Array(bytes.prefix(bytes.count * 2 / 3)))
        let played = try Self.play(cut, seconds: 8)
        #expect(played.log.count { $0.contains("cut off") } == 1, "\(played.log)")
        // Each repetition begins right after the frame in which the file is cut, during which the one before is held.
        let numbers = played.numbers
        let ends = numbers.indices.dropFirst().filter { numbers[$0] == 0 }
        let held = numbers.indices.dropFirst().filter { numbers[$0] == numbers[$0 - 1] }
        #expect(ends.count >= 2, "\(numbers)")
        #expect(Set(held).isSubset(of: ends.map { $0 - 1 } + [numbers.count - 1]), "\(numbers)")
    }

    @Test(arguments: ["", "-output_ts_offset 100"])
    func `recordings that were appended play one after the other`(offset: String) throws {
        let folder = try TemporaryFolder()
        let options = "-r 30 -c:v libx264 -g 12 -bf 2"
        let one = try Self.make("1.ts", in: folder, Self.film(1), options)
        let two = try Self.make(
            "2.ts", in: folder, Self.film(), "-ss 1 \(options) \(offset)")
        let media = try TemporaryMedia()
        let joined = try media.addFile("joined.ts", try readFile(one) + readFile(two))
        let played = try Self.play(joined, seconds: 5)
        #expect(
            played.numbers.prefix(150) == (0..<150).map { $0 % 60 }[...],
            "\(played.numbers) \(played.log)")
        #expect(played.log.count { $0.contains("timestamps start again") } == 1)
    }

    @Test func `nothing is sent after the end of a file that does not repeat`() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make("short.mp4", in: folder, Self.film(1), "-c:v libx264 -bf 2")
        let played = try Self.play(path, seconds: 3, [("loop", .boolean(false))])
        #expect(played.numbers == Array(0..<30), "\(played.numbers)")
    }

    @Test func `variable frame rates show each frame at its time`() throws {
        let folder = try TemporaryFolder()
        // Frames 0, 3, 4, 5, 8, ... of thirty a second.
        let path = try Self.make(
            "variable.mkv", in: folder, Self.film(2),
            "-vf select='not(mod(n-1\\,5))+not(mod(n-2\\,7))+eq(n\\,0)' -fps_mode vfr -c:v libx264 -bf 0"
        )
        let played = try Self.play(path, seconds: 1.9)
        let sent = played.frames
        let first = try #require(sent.first?.info.ptsNanoseconds)
        for (frame, number) in zip(sent, played.numbers) {
            let time = Double((frame.info.ptsNanoseconds ?? 0) - first) / 1e9
            let shown = (0...Int(time * 30 + 0.1)).last {
                $0 == 0 || ($0 - 1) % 5 == 0 || ($0 - 2) % 7 == 0
            }
            #expect(abs(Double(number) - Double(shown ?? 0)) <= 0, "\(time): \(number)")
        }
    }

    /// The matrix of a display in a file's track header, and the corner where the picture's bright part has to be.
    @Test(
        arguments: [
            (1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0), (1, 0, 0, -1), (0, 1, 1, 0),
            (-1, 0, 0, 1), (0, -1, -1, 0),
        ] as [(Int32, Int32, Int32, Int32)])
    func `videos of every orientation are shown upright`(a: Int32, b: Int32, c: Int32, d: Int32)
        throws
    {
        let folder = try TemporaryFolder()
        // Bright at the upper left, with a tail to the right.
        let path = try Self.make(
            "corner.mp4", in: folder,
            [
                "-f", "lavfi", "-i",
                "color=black:s=64x32:r=30:d=0.2,format=yuv420p,geq=lum='if(lt(Y,8)*lt(X,32),200,if(lt(X,8)*lt(Y,16),120,30))':cb=128:cr=128",
            ], "-c:v libx264 -qp 1")
        var bytes = try readFile(path)
        let header = try #require(bytes.firstRange(of: Array("tkhd".utf8)))
        // After the type: version and flags, times and identifiers, layer and volume.
        let start = header.lowerBound + 4 + 4 + 20 + 8 + 8
        for (index, value) in [a, b, 0, c, d, 0].enumerated() {
            withUnsafeBytes(of: (value << 16).bigEndian) { word in
                for byte in 0..<4 { bytes[start + index * 4 + byte] = word[byte] }
            }
        }
        let media = try TemporaryMedia()
        let turned = try media.addFile("turned.mp4", bytes)
        let played = try Self.play(turned, seconds: 0.1)
        let frame = try #require(played.frames.first)
        let (width, height) = (frame.size.width, frame.size.height)
        // As the host turns it: clockwise.
        let degrees = Int(frame.info.rotation.rawValue)
        func upright(_ x: Int, _ y: Int) -> (Int, Int) {
            switch degrees {
            case 90: (height - 1 - y, x)
            case 180: (width - 1 - x, height - 1 - y)
            case 270: (y, width - 1 - x)
            default: (x, y)
            }
        }
        for (x, y, luma) in [(16, 4, 200), (4, 12, 120), (50, 4, 30), (16, 12, 30), (50, 28, 30)] {
            // The matrix moves the pixel, and then the picture back to positive places.
            let (u, v) = (Int(a) * x + Int(c) * y, Int(b) * x + Int(d) * y)
            let turnsSides = a == 0
            let (w, h) = turnsSides ? (32, 64) : (64, 32)
            let place = (u < 0 || a + c < 0 ? w - 1 + u : u, v < 0 || b + d < 0 ? h - 1 + v : v)
            var found: Int?
            for row in 0..<height {
                for column in 0..<width where upright(column, row) == place {
                    found = Int(frame.planes[0][row * width + column])
                }
            }
            #expect(abs((found ?? -99) - luma) < 12, "\(x) \(y): \(found ?? -1) \(degrees)")
        }
    }

    @Test func `audio whose timestamps run slower than its samples stays in step`() throws {
        let folder = try TemporaryFolder()
        // A beep each second, and timestamps that are 1 % closer.
        let path = try Self.make(
            "slow.mkv", in: folder,
            [
                "-f", "lavfi", "-i",
                "aevalsrc=if(lt(mod(t\\,1)\\,0.1)\\,0.5*sin(2*PI*1000*t)\\,0):s=48000:d=40",
            ], "-c:a pcm_s16le -bsf:a setts=ts=TS*0.99")
        let session = try FakeSession(
            "MediaAudio", of: bundledEntry("Media"), settings: [("file", .path(path))])
        try #require(session.initializeAudio() == .ok)
        try #require(session.run(nanoseconds: 36_000_000_000) == .ok)
        let blocks = session.host.state.withLock { $0.blocks }
        let samples = blocks.flatMap { block in
            stride(from: 0, to: block.samples.count, by: block.channels).map { block.samples[$0] }
        }
        var beeps: [Double] = []
        var quiet = 48_000
        for (index, sample) in samples.enumerated() {
            if abs(Int(sample)) > 4000 {
                if quiet > 12_000 { beeps.append(Double(index) / 48_000) }
                quiet = 0
            } else {
                quiet += 1
            }
        }
        #expect(beeps.count >= 35, "\(beeps)")
        for (index, beep) in beeps.enumerated() {
            #expect(abs(beep - Double(index) * 0.99) < 0.06, "\(index): \(beep)")
        }
    }

    @Test func `a file that cannot be played is a wrong setting with its reason`() throws {
        let media = try TemporaryMedia()
        let empty = try media.addFile("empty.mp4", [])
        let text = try media.addFile("text\nline.mp4", Array("no video".utf8))
        let folder = try TemporaryFolder()
        let short = try Self.make("short.mp4", in: folder, Self.film(1), "-c:v libx264")
        for (path, settings, reason) in [
            (empty, [], "is empty"), (text, [], "Invalid data"), (media.path, [], "a folder"),
            ("/no/such/file", [], "No such file"),
            (short, [("start", Given.number(9))], "'start' is 9.0 s"),
        ] as [(String, [(String, Given)], String)] {
            let session = try FakeSession(
                "Media", of: bundledEntry("Media"), settings: [("file", .path(path))] + settings)
            #expect(session.initializeVideo() == .badSetting)
            let errors = session.host.state.withLock { $0.errors }
            #expect(errors.count == 1 && errors[0].contains(reason), "\(errors)")
        }
    }

    @Test func `audio plays although the video of its file cannot be sent`() throws {
        let folder = try TemporaryFolder()
        let path = try Self.make(
            "wide.mkv", in: folder,
            ["-f", "lavfi", "-i", "color=red:s=8194x16:r=5:d=1"] + Self.tone(1),
            "-c:v ffv1 -c:a pcm_s16le")
        let played = try Self.play(path, seconds: 2)
        #expect(played.log.count { $0.contains("the audio plays without the video") } == 1)
        #expect(played.frames.isEmpty)
        let alone = try Self.make(
            "alone.mkv", in: folder, ["-f", "lavfi", "-i", "color=red:s=8194x16:r=5:d=1"],
            "-c:v ffv1")
        let session = try FakeSession(
            "Media", of: bundledEntry("Media"), settings: [("file", .path(alone))])
        #expect(session.initializeVideo() == .badSetting)
    }

    /// A file with dark MJPEG pictures, and where its pictures begin.
    private static func motionJPEG() throws -> (bytes: [UInt8], starts: [Int]) {
        let folder = try TemporaryFolder()
        let path = try make(
            "whole.avi", in: folder,
            [
                "-f", "lavfi", "-i",
                "color=0x303030:s=\(size):r=30:d=2,format=yuv420p,noise=alls=10:allf=t:all_seed=1",
            ], "-c:v mjpeg -q:v 2 -pix_fmt yuvj420p")
        let bytes = try readFile(path)
        return (
            bytes,
            bytes.indices.dropLast(3).filter {
                bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD8 && bytes[$0 + 2] == 0xFF
            }
        )
    }

    @Test func `MJPEG pictures without an end marker are whole`() throws {
        let (whole, starts) = try Self.motionJPEG()
        var bytes = whole
        for (start, end) in zip(starts, starts.dropFirst() + [bytes.count]) {
            let marker = try #require(bytes[start..<end].firstRange(of: [0xFF, 0xD9]))
            bytes.replaceSubrange(marker, with: [0, 0])
        }
        let media = try TemporaryMedia()
        let played = try Self.play(try media.addFile("endless.avi", bytes), seconds: 1)
        #expect(played.damaged == 0 && played.frames.count >= 29, "\(played.log)")
    }

    /// The ways to damage the scan of a JPEG image.
    enum Damage: CaseIterable {
        /// Cut in half, with the end marker put back.
        case cut
        /// 1 kB of zeros, which are valid codes, too.
        case zeroed

        func apply(to bytes: inout [UInt8], _ scan: Range<Int>) {
            let middle = (scan.lowerBound + scan.upperBound) / 2
            switch self {
            case .cut:
                for index in middle..<(scan.upperBound - 16) { bytes[index] = 0 }
                bytes[middle] = 0xFF
                bytes[middle + 1] = 0xD9
            case .zeroed:
                for index in middle..<min(middle + 1024, scan.upperBound - 16) { bytes[index] = 0 }
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func `damaged MJPEG pictures are skipped and counted, and the picture before is held`(
        damage: Damage
    ) throws {
        let (whole, starts) = try Self.motionJPEG()
        var bytes = whole
        try #require(starts.count >= 60)
        for number in [5, 10, 11] {
            let image = starts[number]..<starts[number + 1]
            let scan = try #require(bytes[image].firstRange(of: [0xFF, 0xDA])).upperBound + 12
            damage.apply(to: &bytes, scan..<image.upperBound)
        }
        let media = try TemporaryMedia()
        let played = try Self.play(try media.addFile("damaged.avi", bytes), seconds: 1)
        #expect(played.log.count { $0.contains("damaged at") } == 1, "\(played.log)")
        #expect(played.damaged == 3 && played.holds == [true, false, true, false])
        for frame in played.frames {
            // The part of a picture that is not decoded is grey.
            #expect(frame.planes[0].allSatisfy { $0 < 100 })
        }
    }
}
