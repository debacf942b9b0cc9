import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that a session file can name the installed effects of frei0r.
@Suite(.ownThreads) struct EffectTests {
    private let installed: [String: String?] = ["FREI0R_PATH": "/usr/lib/frei0r-1"]

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// Names of effects and their types, as the effects themselves tell Python.
    private func types() throws -> [String: String] {
        let program = """
            import ctypes, glob, os
            for file in glob.glob('/usr/lib/frei0r-1/*.so'):
                effect = ctypes.CDLL(file)
                info = (ctypes.c_int * 32)()
                effect.f0r_init()
                effect.f0r_get_plugin_info(info)
                print(os.path.basename(file)[:-3].replace('_', '-'), info[4], flush=True)
            os._exit(0)
            """
        let run = try ChildProcess.run("python3", ["-c", program])
        #expect(run.exit == .code(0), "\(run)")
        let lines = run.text.split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        return Dictionary(uniqueKeysWithValues: lines.map { ($0[0], $0[1]) })
    }

    @Test func `every installed effect is listed under its own name`() throws {
        let run = try Greenroom.start(["plugins", "--json"], environment: installed)
            .wait()
        let list = try json(run.text)
        let plugins = try #require(list["plugins"] as? [[String: Any]])
        var listed: [String: String] = [:]
        for plugin in plugins {
            guard let name = plugin["name"] as? String, name.hasPrefix("frei0r-") else { continue }
            listed[String(name.dropFirst(7))] = plugin["kind"] as? String
            #expect(plugin["isolation"] as? String == "process")
        }
        let types = try types()
        #expect(types.count > 100)
        let expected = types.compactMapValues { type in
            ["0": "video pre-processor", "1": "video source"][type]
        }
        #expect(listed == expected)
        #expect((list["refused"] as? [Any])?.count == 0, "\(list["refused"] ?? "")")
    }

    @Test(.nightly)
    func `an effect is found by name and id, and an unknown one named with the package`()
        throws
    {
        for name in ["frei0r-glow", "frei0r.glow"] {
            let run = try Greenroom.start(
                ["plugin", "info", name, "--json"], environment: installed
            )
            .wait()
            let settings = try #require(try json(run.text)["settings"] as? [[String: Any]])
            #expect(settings.map { $0["name"] as? String } == ["blur"])
            #expect(settings.map { $0["default"] as? Double } == [0])
        }
        let session = try TestSession("camera: { plugin: frei0r-glowing }", duration: "1s")
        let run = try session.run([], environment: installed)
        #expect(run.exit != .code(0))
        #expect(run.standardError.contains("apt install frei0r-plugins"), "\(run)")
    }

    @Test(.nightly) func `an effect edits a session's frames through a change of size`() throws {
        func record(_ plugin: String) throws -> (frames: Int, bytes: [UInt8]) {
            let session = try TestSession(
                """
                camera:
                  plugin: ColorBars
                  settings: { counter: false }
                  pre-processors: [\(plugin)]
                """, maximum: "480x270@15", duration: "2s", clock: "virtual",
                timeline: ["at: 1s, ceiling: 320x180@15"], isolation: nil)
            let run = try session.run([], environment: installed)
            #expect(run.exit == .code(0), "\(run)")
            #expect(!run.standardError.contains("unprocessed"), "\(run)")
            return (
                try session.picture("camera").frameCount,
                try readFile("\(session.recording)/camera.y4m")
            )
        }
        let flip = "{ plugin: frei0r-flippo, settings: { x-axis: true } }"
        let first = try record(flip)
        #expect(first.frames == 30)
        // Not compared by the macro, which would print everything.
        let isSame = try record(flip).bytes == first.bytes
        #expect(isSame)
        let isEdited = try record("{ plugin: frei0r-flippo }").bytes != first.bytes
        #expect(isEdited)
    }

    @Test(.nightly) func `an effect that hangs starts only if the session file insists`() throws {
        let session = try TestSession(
            "camera: { plugin: ColorBars, pre-processors: [{ plugin: frei0r-curves }] }",
            duration: "1s", clock: "virtual", isolation: nil)
        let run = try session.run([], environment: installed)
        #expect(run.standardError.contains("start-anyway: true"), "\(run)")
    }
}
