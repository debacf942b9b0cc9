import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests that the commands in the samples' READMEs work as written, and make the recordings that
/// they promise.
@Suite(.ownThreads) struct SampleReadmeTests {
    private static let all = Result {
        try FileManager.default.contentsOfDirectory(atPath: SampleTests.folder).filter {
            FileManager.default.fileExists(atPath: "\(SampleTests.folder)/\($0)/README.md")
        }.sorted()
    }

    /// By day those that build nothing of Greenroom, with the compilers that are there.
    static func samples() throws -> [String] {
        // `Tests/Python/run.sh` runs those in Python, in an environment with their packages.
        try Nightly.list(all.get().filter { $0 != "python" }) { sample in
            switch sample {
            case "EmbeddedSession", "ThirdPartyCamera", "VendorStyle": false
            case "rust-camera": try has("rustc")
            default: true
            }
        }
    }

    private static func has(_ program: String) throws -> Bool {
        try ChildProcess.run("sh", ["-c", "command -v \(program)"]).exit == .code(0)
    }

    /// The indented blocks of a page.
    private static func blocks(of page: Chapter) -> [String] {
        var blocks: [[Substring]] = []
        var isInside = false
        for line in page.prose.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("    ") {
                if !isInside { blocks.append([]) }
                blocks[blocks.count - 1].append(line.dropFirst(4))
            }
            isInside = line.hasPrefix("    ")
        }
        return blocks.map { $0.joined(separator: "\n") }.filter { !$0.hasPrefix("camera:") }
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

    @Test func `every sample with a separate folder has a README with commands`() throws {
        let samples = try Self.all.get()
        #expect(samples.count >= 6)
        for sample in samples {
            let page = try Chapter(path: "\(SampleTests.folder)/\(sample)/README.md")
            #expect(Self.blocks(of: page).contains { $0.contains("greenroom") }, "\(sample)")
        }
    }

    @Test(.nightly, arguments: try samples())
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

    /// A folder like a checkout with a release build, and with the sample. Its session is small
    /// and short.
    private static func folder(with sample: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        for name in [".build", "Samples", "Sources/GreenroomABI"] {
            try files.createDirectory(atPath: folder(name), withIntermediateDirectories: true)
        }
        // Greenroom is built for this one.
        if sample != "EmbeddedSession" {
            try files.createSymbolicLink(
                atPath: folder(".build/release"), withDestinationPath: Checkout.products)
        }
        if Nightly.isOn {
            try files.removeItem(atPath: folder("Sources"))
            for part in ["Package.swift", "Package.resolved", "Sources", "Plugins", "Tests"]
            where files.fileExists(atPath: "\(Checkout.root)/\(part)") {
                try files.copyItem(atPath: "\(Checkout.root)/\(part)", toPath: folder(part))
            }
        } else {
            try files.createSymbolicLink(
                atPath: folder("Sources/GreenroomABI/include"),
                withDestinationPath: Checkout.include)
        }
        // As an installation has it.
        let template = try readFile("\(Checkout.root)/Packaging/greenroom.pc.in")
        try folder.write(
            "greenroom.pc",
            String(decoding: template, as: UTF8.self)
                .replacing("${prefix}/include", with: Checkout.include)
                .replacing("@prefix@", with: folder.path).replacing("@version@", with: "1"))
        let copy = folder("Samples/" + sample)
        try files.copyItem(atPath: "\(SampleTests.folder)/\(sample)", toPath: copy)
        for made in [".build", "recording"] where files.fileExists(atPath: "\(copy)/\(made)") {
            try files.removeItem(atPath: "\(copy)/\(made)")
        }
        let session = "\(copy)/session.yaml"
        if files.fileExists(atPath: session) {
            // `swift run` of the broadcast takes some time although the program is built.
            let duration = Nightly.isOn && sample == "ThirdPartyBroadcast" ? "60s" : "5s"
            let text = String(decoding: try readFile(session), as: UTF8.self)
                .replacing(#/maximum: .*/#, with: "maximum: 320x180@30")
                .replacing(#/duration: .*/#, with: "duration: \(duration)")
            try folder.write("Samples/\(sample)/session.yaml", text)
        }
        return folder
    }
}
