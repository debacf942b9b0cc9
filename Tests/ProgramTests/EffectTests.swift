import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that a session file can name the installed effects of frei0r.
@Suite(.ownThreads) struct EffectTests {
    let installed: [String: String?] = ["FREI0R_PATH": "/usr/lib/frei0r-1"]

    func json(_ text: String) throws -> [String: Any] {
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
}
