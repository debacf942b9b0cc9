import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension SampleReadmeTests {
    @Test(arguments: try samples())
    func `the commands of a sample's README work`(sample: String) throws {
        let page = try Chapter(path: "\(SampleTests.folder)/\(sample)/README.md")
        for script in Self.scripts(of: sample, page) {
            let folder = try Self.folder(with: sample)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let run = try ChildProcess.run(
                "sh", ["-euc", "cd '\(folder("Samples/" + sample))'\n\(script)"],
                environment: [
                    // The system's Python first, whose headers are installed.
                    "PATH": "/usr/bin:/bin:\(path):\(Checkout.products)",
                    "PKG_CONFIG_PATH": folder.path, "SWIFTPM_HOOKS_DIR": nil,
                    "XDG_CACHE_HOME": Checkout.products + "/test-cache",
                ])
            #expect(run.exit == .code(0), "\(script)\n\(run)\n\(run.text)")
            for promise in page.text.matches(of: #/recording is (?:in )?`([^`]+)`/#) {
                #expect(folder.has("Samples/\(sample)/\(promise.1)"), "\(promise.0)")
            }
        }
    }

    /// The scripts that a reader types.
    private static func scripts(of sample: String, _ page: Chapter) -> [String] {
        let blocks = blocks(of: page)
        guard sample == "ThirdPartyBroadcast", let session = blocks.first else {
            return [blocks.joined(separator: "\n")]
        }
        // The session runs beside one program or the other, in any order: the program may take
        // long to build. Swift's builds a part of Greenroom.
        return blocks.dropFirst().filter { Nightly.isOn || !$0.hasPrefix("swift ") }.map { block in
            let lines = block.split(separator: "\n")
            let build =
                block.hasPrefix("swift ")
                ? "swift build -c release --product Bouncer"
                : lines.dropLast().joined(separator: "\n")
            return """
                \(build)
                \(lines.last ?? "") & program=$!
                \(session) || { kill $program; exit 1; }
                wait $program
                """
        }
    }
}
