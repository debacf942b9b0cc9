import TestSupport
import Testing

private let bundledPlugins = [
    "Adjust", "AlsaMicrophone", "Browser", "ColorBars", "Command", "FrameFolder", "Gain",
    "LoopbackCall", "Media", "NoiseSuppression", "PipeWireCamera", "Recorder", "Slides",
    "SpeakerFile", "Stream", "Text", "Tone", "V4L2Camera", "VirtualCamera", "VirtualMicrophone",
    "VirtualSpeaker", "Watermark", "WaveFile", "Y4MFile",
]

/// Dependencies and exports of built plugins.
@Suite(.ownThreads) struct LinkageTests {
    private func output(_ program: String, _ arguments: String...) throws -> String {
        let finished = try ChildProcess.run(program, arguments)
        try #require(finished.exit == .code(0), "\(finished)")
        return finished.text
    }

    @Test(arguments: bundledPlugins)
    func `a plugin does not link Foundation`(name: String) throws {
        let libraries = try output("ldd", Checkout.products + "/lib\(name).so")
        #expect(libraries.contains("libswiftCore.so"))
        #expect(!libraries.contains("Foundation"))
    }

    @Test func `the client library does not link Foundation, and exports its functions only`()
        throws
    {
        let name = "greenroom-client"
        #expect(!(try output("ldd", Checkout.products + "/lib\(name).so")).contains("Foundation"))
        let global = try exports(of: name)
        #expect(global.count == 4, "\(global)")
        #expect(global.allSatisfy { $0.contains(" T greenroom_client_") }, "\(global)")
    }

    @Test(arguments: ["Frei0r", "Ladspa"])
    func `the bridge to an interface of effects exports one function`(name: String) throws {
        let global = try exports(of: name)
        #expect(global.count == 1, "\(global)")
        #expect(global.first?.hasSuffix(" T greenroom_\(name.lowercased())_open") == true)
    }

    @Test func `the host needs libyuv and ALSA, and no other library of media`() throws {
        let needed = try output("readelf", "-d", Checkout.products + "/greenroom")
            .split(separator: "\n").filter { $0.contains("(NEEDED)") }
        #expect(needed.contains { $0.contains("[libyuv.so") })
        // libyuv needs libjpeg itself.
        let others = [
            "png", "libz.", "turbojpeg", "sndfile", "speex", "seccomp", "pipewire", "libav",
            "libgst",
        ]
        #expect(!needed.contains { line in others.contains { line.contains($0) } }, "\(needed)")
    }

    // WebRoom's HTTP server uses Foundation.
    @Test(arguments: bundledPlugins + ["WebRoom"])
    func `a plugin exports its entry and no other function`(name: String) throws {
        let global = try exports(of: name)
        #expect(global.count == 1, "\(global)")
        #expect(global.first?.hasSuffix(" T greenroom_plugin_entry") == true)
    }

    /// The exports of a library.
    private func exports(of name: String) throws -> [Substring] {
        let symbols = try output(
            "nm", "-D", "--defined-only", Checkout.products + "/lib\(name).so")
        return symbols.split(separator: "\n").filter { line in
            let words = line.split(separator: " ")
            return words.count == 3 && words[1].allSatisfy(\.isUppercase)
        }
    }
}
