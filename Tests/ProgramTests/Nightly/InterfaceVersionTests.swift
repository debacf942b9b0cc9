import SessionTestSupport
import TestSupport
import Testing

/// Plugins that were built against an older minor of the interface load and run as before.
@Suite(.ownThreads) struct InterfaceVersionTests {
    /// A session with every kind of interface 1.0, which sends in every way.
    private func session(_ library: String) throws -> FileSession {
        func plugin(_ name: String, _ settings: String = "", _ more: String = "") -> String {
            FileSession.library("\(library)#\(name)", settings, more)
        }
        return try FileSession(
            """
            camera: \(plugin(
                "Answers", "answer: fixed, fps: 15, width: 320, height: 180, way: leased", """
                    pre-processors: [\(plugin("Invert"))]
                    """))
            microphone: \(plugin("Mic", "rate: 44100"))
            share:
              plugin: "\(library)#ShareAnswers"
              settings: { answer: fixed, fps: 5, width: 160, height: 120, way: borrowed }
              audio: \(plugin("ShareAudio", "rate: 8000"))
            """, maximum: "320x180@15", duration: "2s", clock: "virtual",
            timeline: [
                "at: 500ms, do: mute", "at: 1s, do: unmute", "at: 1500ms, ceiling: 160x90@5",
            ])
    }

    @Test(arguments: ["host", "process"])
    func `plugins of interface 1.0 record the same bytes as plugins of this one`(
        isolation: String
    ) throws {
        let old = try Recorded(
            try session(TestPlugins.hostileOfFirstInterface()), isolation: isolation)
        let new = try Recorded(try session(TestPlugins.hostile()), isolation: isolation)
        #expect(old.run.exit == .code(0), "\(old.run)")
        #expect(old.files.count == 4 && old.files.values.allSatisfy { $0.count > 1000 })
        #expect(new.run.exit == .code(0), "\(new.run)")
        // Not compared by the macro, which would print everything.
        for (file, bytes) in old.files {
            let isSame = new.files[file] == bytes
            #expect(isSame, "\(file) differs\n\(old.run)")
        }
    }

    @Test func `plugin info shows the interface that a library was built for`() throws {
        let library = try TestPlugins.hostileOfFirstInterface() + "#Answers"
        let told = try Greenroom.run("plugin", "info", library)
        #expect(told.text.contains("interface 1.0"), "\(told)")
    }
}
