import GreenroomMedia
import TestSupport
import Testing

/// The guide for authors, kept true.
@Suite struct DocumentationTests {
    private static let catalogue =
        Checkout.root + "/Sources/GreenroomPlugin/GreenroomPlugin.docc"

    /// The fenced blocks of a language, in order.
    private static func blocks(_ language: String, of page: String) throws -> [String] {
        let text = String(decoding: try readFile("\(catalogue)/\(page)"), as: UTF8.self)
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block {
                if line == "```" {
                    blocks.append(lines.joined(separator: "\n") + "\n")
                    block = nil
                } else {
                    block?.append(line)
                }
            } else if line == "```\(language)" {
                block = []
            }
        }
        #expect(block == nil, "a block of \(page) does not end")
        return blocks
    }

    @Test func `every Swift snippet of the guide compiles`() throws {
        let blocks = try Self.blocks("swift", of: "WriteACamera.md")
        let sources = blocks.filter { !$0.hasPrefix("// swift-tools-version") }
        #expect(blocks.count == sources.count + 1)
        #expect(sources.count == 5)
        try expectCompiles(sources)
    }

    @Test func `every Swift snippet about sound compiles`() throws {
        let sources = try Self.blocks("swift", of: "PaceSound.md")
        #expect(sources.count == 2)
        try expectCompiles(sources)
    }

    @Test func `the contract of sound names the limits that the host keeps`() throws {
        let text = String(
            decoding: try readFile("\(Self.catalogue)/PaceSound.md"), as: UTF8.self)
        let format = AudioFormat.self
        for limit in [
            "up to \(format.longestBlockMilliseconds) ms", "\(format.queueMilliseconds) ms",
            "\(format.legalRates.lowerBound) to \(format.legalRates.upperBound) Hz",
        ] {
            #expect(text.contains(limit), "\(limit)")
        }
    }

    private func expectCompiles(_ sources: [String]) throws {
        for source in sources {
            let module =
                source.contains("import GreenroomPlugin\n") ? "" : "import GreenroomPlugin\n"
            let complaints = try Compiler.complaints(about: module + source)
            #expect(complaints.isEmpty, "\(complaints)\n\(source)")
        }
    }

    @Test func `the guide's first camera is a plugin of about thirty lines`() throws {
        let blocks = try Self.blocks("swift", of: "WriteACamera.md")
        let camera = try #require(blocks.first { $0.contains("greenroom_plugin_entry") })
        #expect(camera.split(separator: "\n", omittingEmptySubsequences: false).count <= 32)
    }

    @Test func `the package of the guide is that of the sample, but for its place`() throws {
        let manifest = try #require(
            try Self.blocks("swift", of: "WriteACamera.md").first { $0.contains("PackageDesc") })
        let sample = String(
            decoding: try readFile(Checkout.root + "/Samples/ThirdPartyCamera/Package.swift"),
            as: UTF8.self)
        #expect(
            manifest.replacing(
                "name: \"Plasma\",\n    products", with: "name: \"ThirdPartyCamera\",\n    products"
            )
            .replacing("\"../greenroom\"", with: "\"../..\"") == sample)
    }

    @Test func `the catalogue converts without a warning`() throws {
        let folder = try TemporaryFolder()
        let graphs = folder("graphs")
        let made = try ChildProcess.run("mkdir", [graphs])
        #expect(made.exit == .code(0), "\(made)")
        let extraction = try ChildProcess.run(
            "swift-symbolgraph-extract",
            [
                "-module-name", "GreenroomPlugin", "-target", "x86_64-unknown-linux-gnu",
                "-I", Checkout.products + "/Modules",
                "-Xcc", "-fmodule-map-file=" + Compiler.moduleMap,
                "-minimum-access-level", "public", "-output-dir", graphs,
            ])
        #expect(extraction.exit == .code(0), "\(extraction)")
        let conversion = try ChildProcess.run(
            "docc",
            [
                "convert", Self.catalogue, "--additional-symbol-graph-dir", graphs,
                "--output-path", folder("site"), "--warnings-as-errors",
            ])
        #expect(conversion.exit == .code(0), "\(conversion)")
        #expect(conversion.standardError.isEmpty, "\(conversion)")
        for page in ["writeacamera", "pacesound"] {
            #expect(folder.has("site/data/documentation/greenroomplugin/\(page).json"))
        }
    }
}
