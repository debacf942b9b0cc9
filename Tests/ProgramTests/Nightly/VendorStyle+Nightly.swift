import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension VendorStyleTests {
    @Test func `Zoom's sources and filter send, stop and start again`() throws {
        let session = try session(
            """
            camera: { plugin: \(try Self.plugin("ZoomListings", "ZoomCamera")) }
            microphone: { plugin: \(try Self.plugin("ZoomListings", "ZoomMicrophone")) }
            share: { plugin: \(try Self.plugin("ZoomListings", "ZoomShare")) }
            """,
            timeline: Self.restart("stop camera", "start camera") + Self.restart("mute", "unmute"))
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        // Said once, of each plugin that joins with a token.
        let token = run.standardError.split(separator: "\n").filter { $0.contains(".token has no") }
        #expect(token.count == 1, "\(run)")

        for track in ["camera", "share"] {
            let recording = try session.picture(track)
            let last = try recording.frame(recording.frameCount - 1)
            // A luma ramp below the moving bar.
            let row = last.y[(180 * 640)...].prefix(640)
            let ramp = row.enumerated().filter { abs(Int($1) - (40 + $0 * 120 / 640)) < 4 }.count
            #expect(ramp > 600, "\(track): \(ramp)")
            #expect(try last != recording.frame(recording.frameCount - 10), "\(track) moves")
        }
        try expectRestarted(session.picture("camera"))

        let sound = try session.sound("camera").channels[0]
        #expect(sound.contains(0) && sound[48_000...].contains { abs($0) > 4000 })
        let tail = sound.suffix(24_000)
        expectTone(in: tail)
        let report = try session.report()
        // The host's pace: nothing finds the queue full.
        let refused = try report.sound("microphone").refused
        #expect(refused.keys.allSatisfy { $0 == "STOPPED" }, "\(refused)")
    }

    @Test func `Zoom's filter edits the frames of another camera`() throws {
        let filter = try Self.plugin("ZoomListings", "ZoomFilter")
        let session = try FileSession(
            """
            camera:
              plugin: ColorBars
              settings: { pattern: grey, counter: false, ball: false }
              pre-processors: [{ plugin: \(filter) }]
            """, clock: "virtual", isolation: "process")
        let plain = try FileSession(
            """
            camera:
              plugin: ColorBars
              settings: { pattern: grey, counter: false, ball: false }
            """, clock: "virtual")
        #expect(try session.run().exit == .code(0))
        #expect(try plain.run().exit == .code(0))
        let (edited, original) = try (
            session.picture("camera").frame(5), plain.picture("camera").frame(5)
        )
        #expect(zip(edited.y, original.y).allSatisfy { $0 == 251 &- $1 })
        #expect(edited.u == original.u && edited.v == original.v)
    }

    @Test func `Zoom's sources keep the rules of a plugin`() throws {
        let validation = try Greenroom.validate(
            try VendorStyle.library("ZoomListings"),
            ["--only", "load,lifecycle.whole-life,lifecycle.restart,lifecycle.start-returns"])
        #expect(validation.checks.count > 10)
        #expect(validation.faults.isEmpty, "\(validation)")
    }

    @Test(arguments: ["AzureCamera", "AzureSteps"])
    func `Azure's camera and tone send, stop and start again`(camera: String) throws {
        let session = try session(
            """
            camera: { plugin: \(try Self.plugin("AzureListings", camera)) }
            microphone: { plugin: \(try Self.plugin("AzureListings", "AzureTone")) }
            """, maximum: "1280x720@30",
            timeline: Self.restart("stop camera", "start camera") + Self.restart("mute", "unmute"))
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")

        let recording = try session.picture("camera")
        let last = try recording.frame(recording.frameCount - 1)
        // Stripes of 10 to 24 greys, each at least a 25th of the frame, of full range 100 to 254.
        let column = (0..<720).map { last.y[$0 * 1280 + 10] }
        let edges = zip(column, column.dropFirst()).filter { $0 != $1 }.count
        #expect((5...30).contains(edges), "\(edges) stripes")
        #expect(column.allSatisfy { (100...235).contains($0) })
        #expect(last.u.allSatisfy { (127...129).contains($0) })
        try expectRestarted(recording)

        // The guide steps by two samples: 800 Hz.
        let sound = try session.sound("camera").channels[0]
        let stop = try #require(
            (24_000..<sound.count - 4800).last { index in
                index % 480 == 0 && sound[index..<(index + 4800)].allSatisfy { $0 == 0 }
            }, "it is muted")
        let tail = sound[(stop + 4800)...]
        let tone = Tone.amplitude(of: 800, in: tail, rate: 48_000)
        #expect(tone > 3 * Tone.amplitude(of: 440, in: tail, rate: 48_000) && tone > 1000)
    }

    /// An app whose participant sends what it captures of the screen, with the name of the track. Azure's
    /// guide sends it as a virtual camera.
    @Test(
        arguments: [
            ("AzureListings", "AzureScreen", "azurescreen-camera"),
            ("BroadcastListings", "AgoraBroadcast", "screenshare-share"),
            ("BroadcastListings", "WebRTCBroadcast", "webrtc-share"),
        ])
    func `an app shares its capture of the session's screen`(
        library: String, name: String, track: String
    ) throws {
        let session = try session(
            """
            share: { plugin: ColorBarsShare, settings: { ball: false, counter: false } }
            call: { plugin: \(try Self.plugin(library, name)) }
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let sent = try session.picture(track)
        let screen = try session.picture("share")
        let (last, original) = try (
            sent.frame(sent.frameCount - 1), screen.frame(screen.frameCount - 1)
        )
        #expect(sent.width == 640 && sent.height == 360)
        let different = zip(last.y, original.y).filter { abs(Int($0) - Int($1)) > 4 }.count
        #expect(different < last.y.count / 50, "\(different)")
        guard name == "AgoraBroadcast" else { return }
        // The app hears of its extension's user, and its picker explains itself.
        for line in ["Ignore screen share uid", "RPSystemBroadcastPickerView has no effect"] {
            #expect(run.standardError.components(separatedBy: line).count == 2, "\(run)")
        }
    }

    @Test
    func `Azure's receiver hears every sample of a call`() throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            call: { plugin: LoopbackCall, settings: { script: Ana 0s microphone } }
            """, duration: "2s", clock: "virtual", isolation: "process",
            outputs: "[{ plugin: \(try Self.plugin("AzureListings", "AzureSpeaker")) }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("received 88200 samples"), "\(run)")
    }

    @Test
    func `Azure's microphone captures from ALSA`() throws {
        // 10 s of a tone of 1000 Hz, 48000 Hz, mono.
        let samples = (0..<480_000).map { index in
            Int16(8000 * sin(2 * .pi * 1000 * Double(index) / 48_000))
        }
        let voice = "/tmp/greenroom-voice-\(UUID().uuidString).raw"
        defer { try? FileManager.default.removeItem(atPath: voice) }
        try samples.withUnsafeBytes { try Data($0).write(to: URL(filePath: voice)) }
        let configuration = try ALSAConfiguration(
            """
            pcm.!default {
                type file
                slave.pcm { type null }
                file /dev/null
                infile "\(voice)"
                format raw
            }
            """)
        let session = try session(
            """
            microphone:
              plugin: \(try Self.plugin("AzureListings", "AzureMicrophone"))
              allow: { read: [\(configuration.path), \(voice)] }
            """)
        let run = try session.run(environment: ["ALSA_CONFIG_PATH": configuration.path])
        #expect(run.exit == .code(0), "\(run)")
        let explained = run.standardError.split(separator: "\n").filter {
            $0.contains("has no effect")
        }
        #expect(explained.count == 2, "\(run)")
        let sound = try session.sound("camera").channels[0]
        let begin = try #require(sound.firstIndex { abs($0) > 4000 }, "\(run)")
        let tone = sound[begin...].prefix(2400)
        #expect(abs((Tone.frequency(of: tone, rate: 48_000) ?? 0) - 1000) < 20, "\(run)")
    }

    @Test
    func `Agora's broadcast turns a rotated screen upright`() throws {
        let session = try session(
            """
            share: { plugin: ColorBarsShare, settings: { ball: false, counter: false } }
            call:
              plugin: \(try Self.plugin("BroadcastListings", "AgoraBroadcast"))
              settings: { orientation: left }
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let sent = try session.picture("screenshare-share")
        try #require(sent.width == 360 && sent.height == 640)
        let screen = try session.picture("share")
        let (last, original) = try (
            sent.frame(sent.frameCount - 1), screen.frame(screen.frameCount - 1)
        )
        // A quarter turn clockwise: the left edge is on top.
        let different = (0..<640).filter { y in
            abs(Int(last.y[y * 360 + 180]) - Int(original.y[(359 - 180) * 640 + y])) > 4
        }
        #expect(different.count < 640 / 20, "\(different)")
    }

    @Test
    func `Agora's broadcast sends the last frame again while its screen is still`() throws {
        let session = try session(
            """
            share: { plugin: ColorBarsShare }
            call: { plugin: \(try Self.plugin("BroadcastListings", "AgoraBroadcast")) }
            """, maximum: "640x360@5", timeline: ["at: 1s, do: pause share"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.report()
        let sent = try #require(report.participants?.first?.tracks.first?.video?.accepted)
        // 300 ms after its last frame, the listing's timer sends it again.
        #expect(try sent > report.picture("share").accepted + 2, "\(run)")
    }

    @Test
    func `a broadcast that its app ends leaves, and the session continues`() throws {
        let session = try session(
            """
            share: { plugin: ColorBarsShare }
            call: { plugin: \(try Self.plugin("BroadcastListings", "StatusBroadcast")) }
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("call: ended: Broadcast completed"), "\(run)")
        let recording = try session.picture("screenshare-share")
        #expect(try recording.frameCount < session.picture("share").frameCount)
    }

    @Test
    func `an extension hands frames to its app in a mapped file, and the app ends it`() throws {
        let group = try TemporaryFolder()
        func plugin(_ name: String) throws -> String {
            """
            plugin: \(try Self.plugin("BroadcastListings", name)), \
            settings: { group: "\(group.path)" }, allow: { write: ["\(group.path)"] }
            """
        }
        let session = try session(
            """
            share: { plugin: ColorBarsShare, settings: { ball: false, counter: false } }
            call: { \(try plugin("BufferExtension")) }
            camera: { \(try plugin("BufferApp")) }
            """, timeline: ["at: 2s, do: stop camera"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("call: ended: Broadcast completed"), "\(run)")
        let (sent, screen) = try (session.picture("camera"), session.picture("share"))
        // Before the camera stops, and once the file has a frame.
        let (last, original) = try (sent.frame(50), screen.frame(50))
        let different = zip(last.y, original.y).filter { abs(Int($0) - Int($1)) > 4 }.count
        #expect(different < last.y.count / 50, "\(different)")
        withExtendedLifetime(group) {}
    }

    @Test func `an app shows its capture of its screen`() throws {
        let session = try session(
            """
            share: { plugin: ColorBarsShare }
            call: { plugin: \(try Self.plugin("BroadcastListings", "ScreenPreview")) }
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        for line in ["shows 640x360", "UIView has no effect", "PickerView has no effect"] {
            #expect(run.standardError.components(separatedBy: line).count == 2, "\(line): \(run)")
        }
    }

    @Test func `C++ sources of Zoom's SDKs send, stop and start again`() throws {
        let library = try VendorStyle.senders()
        let session = try session(
            """
            camera:
              plugin: "\(library)#Ramp"
              pre-processors: [{ plugin: "\(library)#Inverter" }]
            microphone: { plugin: "\(library)#StereoMic" }
            share: { plugin: "\(library)#RampShare" }
            """,
            timeline: Self.restart("stop camera", "start camera") + Self.restart("mute", "unmute"))
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let camera = try session.picture("camera")
        let last = try camera.frame(camera.frameCount - 1)
        // The ramp of 40 to 160 rises by less than 40, and is inverted.
        #expect((171...211).contains(last.y[180 * 640 + 5]), "\(last.y[180 * 640 + 5])")
        #expect((51...101).contains(last.y[180 * 640 + 630]), "\(last.y[180 * 640 + 630])")
        try expectRestarted(camera)
        let share = try session.picture("share")
        let ramps = try Set(
            (share.frameCount / 2..<share.frameCount).map { try share.frame($0).y[320] })
        #expect(ramps.count > 3 && ramps.allSatisfy { (98...142).contains($0) }, "\(ramps)")
        let tail = try session.sound("camera").channels[0].suffix(24_000)
        expectTone(in: tail)
    }

    @Test
    func `a C++ camera is turned upright, and a share's one frame is repeated`() throws {
        let library = try VendorStyle.senders()
        let session = try session(
            """
            camera: { plugin: "\(library)#Turned" }
            microphone: { plugin: "\(library)#ToneMic" }
            share: { plugin: "\(library)#StillShare" }
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        try expectTone(in: session.sound("camera").channels[0].suffix(24_000))
        let share = try session.picture("share")
        let still = try share.frame(share.frameCount - 1)
        #expect(abs(Int(still.y[180 * 640 + 320]) - 100) < 3)
        let camera = try session.picture("camera")
        let last = try camera.frame(camera.frameCount - 1)
        // The ramp rises from top to bottom.
        #expect(abs(Int(last.y[10 * 640 + 320]) - 43) < 5)
        #expect(abs(Int(last.y[350 * 640 + 320]) - 156) < 5)
    }

    @Test
    func `C++ sources of Zoom's SDKs keep the rules of a plugin`() throws {
        let validation = try Greenroom.validate(
            try VendorStyle.senders(),
            ["--only", "load,lifecycle.whole-life,lifecycle.restart,lifecycle.start-returns"])
        #expect(validation.checks.count > 10)
        #expect(validation.faults.isEmpty, "\(validation)")
        let offers = try Greenroom.validate(VendorStyle.senders() + "#Ramp", Self.offers)
        #expect(offers.faults.isEmpty, "\(offers)")
    }

    @Test(arguments: ["zoom", "azure", "agora"])
    func `a camera with a vendor's names sends, stops and starts again`(style: String) throws {
        let folder = try TemporaryFolder()
        let made = try NewPlugin.begin(["camera", "my-cam", "--style", style], in: folder.path)
        #expect(made.exit == .code(0), "\(made)")
        let manifest = String(
            decoding: try readFile(folder("my-cam/Package.swift")), as: UTF8.self)
        #expect(manifest.contains(".v5") && manifest.contains("Samples/VendorStyle"))
        let module = style.capitalized + "Style"
        #expect(manifest.contains("\"\(module)\""))
        let library = folder("my-cam/my-cam.so")
        try VendorStyle.build(
            "MyCam", [folder("my-cam/Sources/MyCamCamera.swift")], with: module, into: library)
        let session = try session(
            "camera: { plugin: \"\(library)\" }",
            timeline: Self.restart("stop camera", "start camera"))
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let camera = try session.picture("camera")
        #expect(try Set(camera.frame(camera.frameCount - 1).y).count > 100, "stripes")
        try expectRestarted(camera)
        let validation = try Greenroom.validate(library, Self.offers)
        #expect(validation.faults.isEmpty, "\(validation)")
    }

    private static func plugin(_ library: String, _ name: String) throws -> String {
        "\"\(try VendorStyle.library(library))#\(name)\""
    }

    /// The vendors' senders name no offer: the layer does.
    private static let offers = [
        "--only", "negotiation.revision-geometry,negotiation.change,negotiation.unfamiliar-sizes",
    ]

    /// The listings run on the machine's clock: their pumps sleep.
    private func session(
        _ sources: String, maximum: String = "640x360@30", timeline: [String] = [],
        isolation: String = "process"
    ) throws -> FileSession {
        try FileSession(
            sources, maximum: maximum, duration: "3s", timeline: timeline, isolation: isolation)
    }

    /// A stop and a start of a role.
    private static func restart(_ stop: String, _ start: String) -> [String] {
        ["at: 1s, do: \(stop)", "at: 1500ms, do: \(start)"]
    }

    private func expectRestarted(_ recording: Y4MRecording) throws {
        let black = try (0..<recording.frameCount).map { index in
            try recording.frame(index).y.allSatisfy { $0 == 16 }
        }
        let stop = try #require(black.lastIndex(of: true))
        #expect(stop < black.count - 1 && black.prefix(stop).contains(false), "it is there again")
    }

    /// A busy machine may leave gaps, which a count of zero crossings would see.
    private func expectTone(in samples: some Collection<Double>) {
        let tone = Tone.amplitude(of: 440, in: samples, rate: 48_000)
        let other = Tone.amplitude(of: 617, in: samples, rate: 48_000)
        #expect(tone > 2000 && tone > 3 * other, "\(tone), \(other)")
    }
}
