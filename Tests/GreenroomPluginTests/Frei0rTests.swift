import Foundation
import GreenroomABI
import GreenroomConversion
import GreenroomPlugin
import Synchronization
import TestSupport
import Testing

/// Runs the installed effects of frei0r through the bridge, and through a host in C that shares nothing
/// with it.
@Suite(.ownThreads) struct Frei0rTests {
    private static let folder = "/usr/lib/frei0r-1"
    /// Faulty effects are not run.
    private static let faulty = [
        "3dflippo", "curves", "elastic_scale", "lightgraffiti", "partik0l",
    ]

    static let effects =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".so") }.map { String($0.dropLast(3)) }.sorted()

    /// An effect as the bridge describes it.
    private struct Opened {
        var entry: UnsafePointer<gr_entry>
        var index: UInt32

        var descriptor: gr_descriptor {
            get throws { try #require(entry.pointee.descriptor(index)).pointee }
        }
        var isSource: Bool { get throws { try descriptor.kind == GR_KIND_VIDEO_SOURCE } }
        var summary: String { get throws { String(cString: try descriptor.summary) } }
        var parameters: [gr_parameter] {
            get throws {
                let descriptor = try descriptor
                return Array(
                    UnsafeBufferPointer(
                        start: descriptor.parameters, count: Int(descriptor.parameter_count)))
            }
        }
    }

    /// Nil for a mixer.
    private static func open(_ effect: String) throws -> Opened? {
        func load(_ path: String) throws -> UnsafeMutableRawPointer {
            let library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
            return try #require(library, "\(path)")
        }
        let bridge = try load(Checkout.products + "/libFrei0r.so")
        let symbol = try #require(dlsym(bridge, "greenroom_frei0r_open"))
        typealias Function =
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<UInt32>?,
                UnsafeMutablePointer<CChar>?, Int
            ) -> UnsafeMutableRawPointer?
        let name = "frei0r-" + effect.replacing("_", with: "-")
        var index: [UInt32] = [9, 9]
        var reason = [CChar](repeating: 0, count: 200)
        let entry = unsafeBitCast(symbol, to: Function.self)(
            try load("\(folder)/\(effect).so"), name, &index, &reason, reason.count)
        guard let entry else {
            let text = String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            #expect(index[0] == 1 && text.contains("a mixer of pictures"), "\(effect): \(text)")
            return nil
        }
        return Opened(
            entry: UnsafePointer(entry.assumingMemoryBound(to: gr_entry.self)), index: index[0])
    }

    private static let host = Result {
        let program = Checkout.products + "/frei0r-host"
        let built = try ChildProcess.run(
            "cc", ["-O1", "-o", program, Checkout.root + "/Tests/Frei0rHost/host.c", "-ldl"])
        guard built.exit == .code(0) else { throw Failure("\(built)") }
        return program
    }

    /// The pictures that the C host returns.
    private static func reference(
        _ effect: String, _ size: FrameSize, frames: Int, input: [UInt8]
    ) throws -> [UInt8] {
        let run = try ChildProcess.run(
            host.get(),
            ["\(folder)/\(effect).so", "\(size.width)", "\(size.height)", "\(frames)"], input: input
        )
        #expect(run.exit == .code(0), "\(effect): \(run)")
        return run.standardOutput
    }

    /// An I420 image in memory without padding.
    private struct Planes: Equatable {
        var y: [UInt8]
        var u: [UInt8]
        var v: [UInt8]

        /// A picture with slopes, edges and noise; each frame has another.
        init(_ size: FrameSize, frame: Int) {
            var noise = UInt32(frame + 1)
            func sample(_ x: Int, _ y: Int, _ plane: Int) -> UInt8 {
                noise = noise &* 1_664_525 &+ 1_013_904_223
                let slope = (x * (3 + plane) + y * (5 - plane) + frame * 11) % 220
                return UInt8(
                    16 + ((x / 16 + y / 8) % 2 == 0 ? slope : Int(noise >> 24) * 200 / 255))
            }
            let chroma = FrameSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
            y = (0..<size.height).flatMap { row in (0..<size.width).map { sample($0, row, 0) } }
            u = (0..<chroma.height).flatMap { row in (0..<chroma.width).map { sample($0, row, 1) } }
            v = (0..<chroma.height).flatMap { row in (0..<chroma.width).map { sample($0, row, 2) } }
        }

        mutating func with(_ size: FrameSize, _ body: (PackedConversion.Planes) -> Void) {
            y.withUnsafeMutableBufferPointer { y in
                u.withUnsafeMutableBufferPointer { u in
                    v.withUnsafeMutableBufferPointer { v in
                        guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress
                        else { return }
                        body(
                            PackedConversion.Planes(
                                y: y, u: u, v: v, yStride: size.width,
                                uStride: (size.width + 1) / 2, vStride: (size.width + 1) / 2))
                    }
                }
            }
        }

        func copy(to frame: FakeFrame) {
            for (plane, samples) in [y, u, v].enumerated() {
                let geometry = PixelFormat.i420.plane(plane, of: frame.size)
                for row in 0..<geometry.rows {
                    for column in 0..<geometry.rowBytes {
                        frame.planes[plane][row * frame.strides[plane] + column] =
                            samples[row * geometry.rowBytes + column]
                    }
                }
            }
        }

        mutating func copy(from frame: FakeFrame) {
            func samples(_ plane: Int) -> [UInt8] {
                let geometry = PixelFormat.i420.plane(plane, of: frame.size)
                return (0..<geometry.rows).flatMap { row in
                    (0..<geometry.rowBytes).map {
                        frame.planes[plane][row * frame.strides[plane] + $0]
                    }
                }
            }
            (y, u, v) = (samples(0), samples(1), samples(2))
        }
    }

    /// The effect's model: the bridge's formats are BGRA, but for effects that are RGBA alone.
    private func isBlueFirst(_ effect: String) throws -> Bool {
        var info = [Int](repeating: 0, count: 16)
        let library = try #require(dlopen("\(Self.folder)/\(effect).so", RTLD_NOW | RTLD_LOCAL))
        let symbol = try #require(dlsym(library, "f0r_get_plugin_info"))
        unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)(&info)
        return info.withUnsafeBytes { $0.load(fromByteOffset: 20, as: Int32.self) } != 1
    }

    private func filtered(
        _ opened: Opened, _ size: FrameSize, frames: Int, settings: [(String, Given)] = []
    ) throws -> [Planes] {
        let session = try FakeSession(
            pluginAt: opened.index, of: opened.entry, settings: settings)
        let capability = VideoCapability(size: size, rate: FrameRate(25))
        try #require(session.initializePreProcessor(capability) == .ok)
        try #require(session.startSend() == .ok)
        let lent = FakeFrame(.i420, size, padding: 3)
        defer { lent.free() }
        return try (0..<frames).map { frame in
            var planes = Planes(size, frame: frame)
            planes.copy(to: lent)
            var given = lent.cFrame
            given.info.pts_ns = 7_000_000_000 + Int64(frame) * 40_000_000
            try #require(try session.process(&given) == .ok)
            planes.copy(from: lent)
            return planes
        }
    }

    @Test(arguments: effects.filter { !faulty.contains($0) })
    func `an effect makes the same pixels as in a host in C`(effect: String) throws {
        guard let opened = try Self.open(effect) else { return }
        let summary = try opened.summary
        // The others are run, and not compared.
        let isDeterministic = summary.contains("[deterministic]")
        #expect(isDeterministic != summary.contains("[not deterministic]"), "\(summary)")
        let frames = 3
        let padded = FrameSize(width: 96, height: 64)
        // Rounded up to multiples of 8 this is the same.
        let size = FrameSize(width: 90, height: 61)
        if try opened.isSource {
            let session = try FakeSession(pluginAt: opened.index, of: opened.entry)
            try #require(
                session.initializeVideo([VideoCapability(size: size, rate: FrameRate(25))]) == .ok)
            try #require(session.run(nanoseconds: 3 * 40_000_000 - 1) == .ok)
            let sent = session.host.state.withLock { $0.video.committed }
            #expect(
                sent.count == frames && sent.allSatisfy { $0.format == .bgra || $0.format == .rgba }
            )
            let expected = try Self.reference(effect, padded, frames: frames, input: [])
            for (index, frame) in sent.enumerated() where isDeterministic {
                let isEqual = (0..<size.height).allSatisfy { row in
                    let start = (index * padded.height + row) * padded.width * 4
                    return frame.planes[0][row * size.width * 4..<(row + 1) * size.width * 4]
                        == expected[start..<start + size.width * 4]
                }
                #expect(isEqual, "frame \(index)")
            }
            return
        }
        let result = try filtered(opened, size, frames: frames)
        guard isDeterministic else { return }
        let conversion = PackedConversion(
            color: .bt601Limited, isBlueFirst: try isBlueFirst(effect))
        let stride = padded.width * 4
        var input: [UInt8] = []
        for frame in 0..<frames {
            var pixels = [UInt8](repeating: 0, count: padded.area * 4)
            var planes = Planes(size, frame: frame)
            planes.with(size) { planes in
                pixels.withUnsafeMutableBufferPointer { pixels in
                    guard let start = pixels.baseAddress else { return }
                    conversion.makePixels(planes, size: size, into: start, stride: stride)
                }
            }
            // The last column and row fill the rest.
            for row in 0..<padded.height {
                for column in 0..<padded.width {
                    let from =
                        (min(row, size.height - 1) * padded.width + min(column, size.width - 1)) * 4
                    let to = (row * padded.width + column) * 4
                    for byte in 0..<4 { pixels[to + byte] = pixels[from + byte] }
                }
            }
            input += pixels
        }
        let output = try Self.reference(effect, padded, frames: frames, input: input)
        for frame in 0..<frames {
            var expected = Planes(size, frame: 0)
            expected.with(size) { planes in
                output.withUnsafeBufferPointer { output in
                    guard let start = output.baseAddress else { return }
                    conversion.makePlanes(
                        planes, size: size, from: start + frame * padded.area * 4, stride: stride)
                }
            }
            #expect(result[frame] == expected, "frame \(frame)")
        }
        // Another instance begins anew.
        #expect(try filtered(opened, size, frames: frames) == result)
    }

    @Test(arguments: faulty)
    func `an effect that is known to fail is marked, and starts only on request`(effect: String)
        throws
    {
        let opened = try #require(try Self.open(effect))
        #expect(try opened.summary.contains("[known to fail: "))
        let names = try opened.parameters.map { String(cString: $0.name) }
        #expect(names.first == "start-anyway")
        #expect(throws: FakeHost.Refusal.self) {
            _ = try FakeSession(pluginAt: opened.index, of: opened.entry)
        }
        let session = try FakeSession(
            pluginAt: opened.index, of: opened.entry, settings: [("start-anyway", .boolean(true))])
        let capability = VideoCapability(
            size: FrameSize(width: 96, height: 64), rate: FrameRate(25))
        let status =
            try opened.isSource
            ? session.initializeVideo([capability]) : session.initializePreProcessor(capability)
        #expect(status == .ok)
    }

    @Test func `settings have the names, types and defaults of the effect's parameters`() throws {
        func table(_ effect: String) throws -> [String] {
            try #require(try Self.open(effect)).parameters.map { parameter in
                let name = String(cString: parameter.name)
                let value = parameter.default_value
                return switch Int(parameter.type) {
                case GR_TYPE_BOOLEAN: "\(name) \(value.integer == 1)"
                case GR_TYPE_NUMBER: "\(name) \(value.number)"
                default: "\(name) \(value.string.map { String(cString: $0) } ?? "")"
                }
            }
        }
        #expect(try table("glow") == ["blur 0.0"])
        #expect(try table("flippo") == ["x-axis false", "y-axis false"])
        #expect(
            try table("lissajous0r") == ["ratiox 0.0", "ratioy 0.0"])
        #expect(try table("onecol0r") == ["color #000000"])
        #expect(try table("cairogradient").contains("start-x 0.5"))
        #expect(try table("cairogradient").contains("pattern gradient_linear"))
    }

    @Test func `live settings and a new size reach the effect`() throws {
        let size = FrameSize(width: 64, height: 48)
        let opened = try #require(try Self.open("tint0r"))
        let names = try opened.parameters.map { String(cString: $0.name) }
        #expect(names.contains("map-white-to"))
        let session = try FakeSession(
            pluginAt: opened.index, of: opened.entry,
            settings: [("map-white-to", .text("#00ff00"))])
        func process(_ size: FrameSize) throws -> [UInt8] {
            let lent = FakeFrame(.i420, size, padding: 0)
            defer { lent.free() }
            for (plane, value) in [UInt8(180), 128, 128].enumerated() {
                for index in lent.planes[plane].indices { lent.planes[plane][index] = value }
            }
            var frame = lent.cFrame
            try #require(try session.process(&frame) == .ok)
            return (0..<3).map { lent.planes[$0][0] }
        }
        try #require(
            session.initializePreProcessor(VideoCapability(size: size, rate: FrameRate(25))) == .ok)
        try #require(session.startSend() == .ok)
        let green = try process(size)
        #expect(green[1] < 128 && green[2] < 128)
        let large = FrameSize(width: 128, height: 96)
        #expect(try session.changeFrames(VideoCapability(size: large, rate: FrameRate(25))) == .ok)
        // The new instance has the settings.
        #expect(try process(large) == green)
        #expect(try session.set("map-white-to", .text("#ff0000")) == .ok)
        #expect(try process(large)[2] > 128)
        #expect(try session.set("map-white-to", .text("red")) == .ok)
        #expect(try process(large)[2] > 128)
        #expect(
            session.host.state.withLock { $0.log }.count { $0.contains("\"red\" is not a colour") }
                == 1)
        let huge = FrameSize(width: 2560, height: 1440)
        #expect(
            try session.changeFrames(VideoCapability(size: huge, rate: FrameRate(25)))
                == .unsupported)
        #expect(try process(large)[2] > 128)
    }
}
