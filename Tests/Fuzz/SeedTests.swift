import Foundation
import Glibc
import PluginImages
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import TestSupport
import Testing

/// A few seconds of fuzzing with each change: the targets of `Tests/Fuzz/run.sh`, with the same seeds, and
/// without the fuzzer. Its inputs are always the same, so that what does harm does so again.
@Suite(.serialized) struct SeedTests {
    /// A target with what is known to be legal; the first bytes of files, where the formats begin, are
    /// changed as often as all others.
    struct Target: CustomStringConvertible, Sendable {
        var name: String
        /// Makes what takes the inputs, which ends with the test.
        var begin: @Sendable () throws -> ([UInt8]) -> Void
        var seeds: @Sendable () throws -> [[UInt8]]
        /// Of processor time, at night.
        var milliseconds: Int

        init(
            name: String, begin: @escaping @Sendable () throws -> ([UInt8]) -> Void,
            seeds: @escaping @Sendable () throws -> [[UInt8]], milliseconds: Int = 500
        ) {
            self.name = name
            self.begin = begin
            self.seeds = seeds
            self.milliseconds = milliseconds
        }

        init(
            name: String, run: @escaping @Sendable ([UInt8]) -> Void,
            seeds: @escaping @Sendable () throws -> [[UInt8]], milliseconds: Int = 500
        ) {
            self.init(name: name, begin: { run }, seeds: seeds, milliseconds: milliseconds)
        }

        var description: String { name }
    }

    /// The parsers of audio have needed it most.
    static let targets: [Target] = [
        Target(name: "sound", run: FileTarget.sound, seeds: Seeds.sounds, milliseconds: 2500),
        Target(name: "image", run: FileTarget.image, seeds: Seeds.images, milliseconds: 1000),
        Target(name: "y4m", run: FileTarget.y4m, seeds: { [Seeds.y4m] }),
        Target(name: "session-file", run: TextTarget.sessionFile, seeds: Seeds.sessionFiles),
        Target(name: "control-lines", run: TextTarget.controlLines, seeds: { [Seeds.lines] }),
        Target(name: "offer", run: TextTarget.offer, seeds: { [Seeds.offer] }),
        Target(
            name: "candidates", run: TextTarget.candidates,
            seeds: { [Seeds.offer + Seeds.candidates] }),
        Target(name: "request", run: TextTarget.request, seeds: { [Seeds.request] }),
        Target(name: "key-frame", run: FileTarget.keyFrame, seeds: { Seeds.keyFrames }),
        Target(name: "wire", run: ProcessTarget.read, seeds: { Seeds.wires }),
        Target(name: "messages", run: ProcessTarget.receive, seeds: { Seeds.messages }),
        Target(
            name: "calls",
            begin: {
                // Its processes end with it: one that outlives the tests keeps their run from its end.
                let rig = try HostServiceRig()
                return { _ = rig.serve($0) }
            }, seeds: { Seeds.calls }, milliseconds: 1000),
    ]

    @Test(arguments: targets)
    func `no mutation of a seed crashes the code that reads it`(target: Target) throws {
        let seeds = try target.seeds()
        let run = try target.begin()
        for seed in seeds { run(seed) }
        var random = SeededGenerator(seed: 4)
        let milliseconds = Nightly.value(target.milliseconds, byDay: target.milliseconds * 3 / 5)
        let end = Self.processorMilliseconds + milliseconds
        var count = 0
        while Self.processorMilliseconds < end {
            for seed in seeds { run(random.mutation(of: seed)) }
            count += seeds.count
        }
        #expect(count > 0)
    }

    @Test func `the fuzzing script runs every target`() throws {
        let script = String(
            decoding: try readFile(Checkout.root + "/Tests/Fuzz/run.sh"), as: UTF8.self)
        let line = try #require(script.split(separator: "\n").first { $0.contains("set -- calls") })
        let named = line.components(separatedBy: "set -- ").last ?? ""
        #expect(Set(named.split(separator: " ").map(String.init)) == Set(Self.targets.map(\.name)))
    }

    /// What this thread has used.
    private static var processorMilliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// Small legal inputs.
private enum Seeds {
    static func sounds() -> [[UInt8]] {
        let samples = WAVChunks.samples((0..<160).map { Int16($0 * 100) })
        let wave = WAVChunks(size: 400).format().adding("LIST", Array("INFO".utf8))
            .adding("data", samples).bytes
        let float = WAVChunks(size: 400).format(tag: 3, channels: 2, block: 8, bits: 32)
            .adding("data", samples).bytes
        return [wave, float, aiff(samples), aiff(samples, compression: "sowt")]
    }

    /// An AIFF file, or one with a compression.
    private static func aiff(_ samples: [UInt8], compression: String? = nil) -> [UInt8] {
        func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
            withUnsafeBytes(of: value.bigEndian) { Array($0) }
        }
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            var bytes = Array(name.utf8)
            bytes += number(UInt32(body.count))
            bytes += body
            return bytes
        }
        var common = number(UInt16(1))
        common += number(UInt32(samples.count / 2))
        common += number(UInt16(16))
        // 8000 as an extended number.
        common += [0x40, 0x0b, 0xfa, 0, 0, 0, 0, 0, 0, 0] as [UInt8]
        if let compression {
            common += Array(compression.utf8)
            common += [0, 0] as [UInt8]
        }
        var sound = number(UInt64(0))
        sound += samples
        var body = Array((compression == nil ? "AIFF" : "AIFC").utf8)
        body += chunk("COMM", common)
        body += chunk("SSND", sound)
        return chunk("FORM", body)
    }

    static func images() throws -> [[UInt8]] {
        let folder = try TemporaryFolder()
        let size = FrameSize(width: 16, height: 10)
        let pixels = (0..<(size.width * size.height * 4)).map { UInt8(truncatingIfNeeded: $0 * 7) }
        return try [ImageWriter.Format.png, .jpeg(quality: 80)].map { format in
            var writer = ImageWriter(format)
            try writer.write(
                pixels.span.bytes, size: size, strideBytes: size.width * 4, to: folder("image"))
            return try readFile(folder("image"))
        }
    }

    static var y4m: [UInt8] {
        var bytes = Array("YUV4MPEG2 W16 H10 F5:1 Ip A1:1 C420jpeg\n".utf8)
        for frame in 0..<3 {
            bytes += Array("FRAME\n".utf8) + [UInt8](repeating: UInt8(frame * 80), count: 240)
        }
        return bytes
    }

    static func sessionFiles() throws -> [[UInt8]] {
        let folder = Checkout.root + "/Samples"
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.hasSuffix(".yaml") }.map { try readFile("\(folder)/\($0)") }
    }

    static var lines: [UInt8] {
        Array(
            "ceiling 640x360@15\nset camera.settings.pattern=grey\nmute\nexplain\nhelp\nstop\n".utf8
        )
    }

    static var offer: [UInt8] {
        Array(
            [
                "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0 1",
                "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 0.0.0.0", "a=mid:0", "a=sendrecv",
                "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=setup:actpass",
                "a=fingerprint:sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":"),
                "a=rtcp-mux", "a=rtpmap:96 H264/90000",
                "a=fmtp:96 packetization-mode=1;profile-level-id=42e01f", "a=rtpmap:97 VP8/90000",
                "a=rtcp-fb:97 nack pli", "a=extmap:3 urn:ietf:params:rtp-hdrext:sdes:mid",
                "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:1", "a=sendrecv",
                "a=rtpmap:111 opus/48000/2", "",
            ].joined(separator: "\r\n").utf8)
    }

    static var candidates: [UInt8] {
        Array(
            [
                "", "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx",
                "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=mid:0",
                "a=candidate:1 1 UDP 2122252543 192.0.2.1 50000 typ host",
                "a=candidate:2 1 TCP 1518280447 192.0.2.1 9 typ host tcptype active",
                "a=end-of-candidates", "",
            ].joined(separator: "\r\n").utf8)
    }

    static var request: [UInt8] {
        Array(
            [
                "POST /whip?name=Ana HTTP/1.1", "Host: 127.0.0.1:8080", "Content-Length: 12",
                "Authorization: Bearer abcdefghijklmnop", "Connection: keep-alive",
                "Expect: 100-continue", "X-Forwarded-For: 192.0.2.1, 192.0.2.2", "", "",
            ].joined(separator: "\r\n").utf8)
    }

    static let keyFrames: [[UInt8]] = [
        [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x45, 0xd0, 0x02],
        [
            0, 0, 0, 1, 0x67, 0x64, 0x00, 0x28, 0xac, 0xd9, 0x40, 0x78, 0x02, 0x27, 0xe5, 0xc0,
            0x44, 0, 0, 3, 0, 4, 0, 0, 3, 0, 0xf0, 0x3c, 0x60, 0xc6, 0x58, 0, 0, 1, 0x65, 0x88,
        ],
    ]

    /// A description, an error and noise, with each kind's number before it.
    static var wires: [[UInt8]] {
        var descriptor = WireWriter()
        descriptor.write(
            PluginDescriptor(
                kind: .videoSource, id: "test.seed", name: "Seed", version: "1", summary: "a seed",
                vendor: "v", url: nil, parameters: []))
        var error = WireWriter()
        error.write(LoadError(code: .notAPlugin, place: "/a", explanation: "b"))
        var capability = WireWriter()
        capability.write(VideoCapability(width: 640, height: 360, fps: 15))
        let noise = [UInt8](0..<64)
        var wires: [[UInt8]] = [[0] + descriptor.bytes, [3] + error.bytes, [4] + capability.bytes]
        for kind: UInt8 in [1, 2, 5] { wires.append([kind] + noise) }
        return wires
    }

    static let messages: [[UInt8]] = (1...11).map { [$0, 0, 0, 0, 1, 0, 0, 0] }

    static let calls: [[UInt8]] = {
        var random = SeededGenerator(seed: 1)
        return (0..<8).map { _ in (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) } }
    }()
}
