import Foundation
import GreenroomMedia
import TestSupport
import Testing

/// Keeps the README, the manual and the authors' book true. `BookTests` compares the generated
/// parts.
@Suite(.ownThreads) struct DocumentationTests {
    @Test func `every Swift snippet of the book compiles`() throws {
        var sources: [(name: String, text: String)] = []
        for chapter in Chapter.book {
            for block in chapter.blocks where block.language == "swift" {
                // A manifest, or a part of one.
                guard !block.text.hasPrefix("// swift-tools-version"), !block.text.hasPrefix(".")
                else { continue }
                let isWhole = block.text.contains("import GreenroomPlugin\n")
                sources.append(
                    (
                        "\(chapter.name)-\(block.line).swift",
                        (isWhole ? "" : "import GreenroomPlugin\n") + block.text
                    ))
            }
        }
        #expect(sources.count >= 14)
        let complaints = try Compiler.complaints(about: sources)
        #expect(complaints.isEmpty, "\(complaints)")
    }

    /// Writes the book's snippets of a language, each to a file.
    private func writeSnippets(_ language: String, to folder: TemporaryFolder) throws -> [String] {
        try Chapter.book.flatMap { chapter in
            try chapter.blocks.filter { $0.language == language }.map {
                try folder.write("\(chapter.name)-\($0.line).\(language)", $0.text)
            }
        }
    }

    @Test(arguments: ["gcc", "clang"])
    func `every C snippet of the book compiles`(compiler: String) throws {
        let folder = try TemporaryFolder()
        let files = try writeSnippets("c", to: folder)
        #expect(files.count >= 3)
        // A snippet need not use its declarations.
        let run = try ChildProcess.run(
            compiler,
            [
                "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                "-Wno-unused-function", "-Wno-unused-const-variable", "-I", Checkout.include,
                "-include", "greenroom/base.h",
            ] + files)
        #expect(run.exit == .code(0), "\(run)")
    }

    /// By day one compiler: `CompilationTests` compiles the templates, with the same helpers, with
    /// both.
    @Test(
        arguments: Nightly.isOn
            ? Nightly.pairs(["g++", "clang++"], ["c++17", "c++20"]) : [("g++", "c++17")])
    func `every C++ snippet of the book compiles`(compiler: String, standard: String) throws {
        let folder = try TemporaryFolder()
        let files = try writeSnippets("cpp", to: folder)
        #expect(files.count >= 5)
        let run = try ChildProcess.run(
            compiler,
            [
                "-std=\(standard)", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                "-I", Checkout.include,
            ] + files)
        #expect(run.exit == .code(0), "\(run)")
    }

    @Test func `every fenced block has a language and an end`() throws {
        for chapter in Chapter.book + Chapter.manual + [try Chapter.readme] {
            let fences = chapter.text.split(separator: "\n").count { $0.hasPrefix("```") }
            #expect(fences == chapter.blocks.count * 2, "\(chapter)")
            for paragraph in chapter.prose.components(separatedBy: "\n\n") {
                #expect(paragraph.count { $0 == "`" } % 2 == 0, "\(chapter): \(paragraph)")
            }
            for block in chapter.blocks {
                #expect(
                    [
                        "", "c", "cpp", "dockerfile", "html", "console", "json", "log", "python",
                        "rust", "sh",
                        "swift",
                        "yaml",
                    ].contains(
                        block.language),
                    "\(chapter) line \(block.line)")
            }
        }
    }

    @Test func `the audio contract names the host's limits`() throws {
        let text = try Chapter.book("pace-audio").text
        let format = AudioFormat.self
        for limit in [
            "up to \(format.longestBlockMilliseconds) ms", "\(format.queueMilliseconds) ms",
            "\(format.legalRates.lowerBound) to \(format.legalRates.upperBound) Hz",
        ] {
            #expect(text.contains(limit), "\(limit)")
        }
    }

    @Test func `the README has at most 120 lines, and its camera at most 20`() throws {
        let readme = try Chapter.readme
        #expect(readme.text.count { $0 == "\n" } <= 120)
        let camera = try #require(readme.blocks.first { $0.language == "swift" })
        #expect(camera.text.contains("greenroom_plugin_entry"))
        #expect(camera.text.count { $0 == "\n" } <= 20)
        let complaints = try Compiler.complaints(about: camera.text)
        #expect(complaints.isEmpty, "\(complaints)")
    }

    // MARK: The ten-minute camera

    @Test func `the guide's first camera has at most 32 lines`() throws {
        let camera = try #require(
            try Chapter.book("write-a-camera").blocks.first {
                $0.language == "swift" && $0.text.contains("greenroom_plugin_entry")
            })
        #expect(camera.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 32)
    }

    private static let sample = Checkout.root + "/Samples/ThirdPartyCamera"

    @Test func `the guide's package equals the sample's package except for path and tests`()
        throws
    {
        let manifest = try #require(
            try Chapter.book("write-a-camera").blocks.first { $0.text.contains("PackageDesc") })
        var sample = String(
            decoding: try readFile(Self.sample + "/Package.swift"), as: UTF8.self)
        if let tests = sample.range(of: ",\n        .testTarget("),
            let end = sample.range(of: "]),\n    ]\n", range: tests.upperBound..<sample.endIndex)
        {
            sample.replaceSubrange(tests.lowerBound..<end.upperBound, with: "\n    ]\n")
        }
        #expect(
            manifest.text.replacing(
                "name: \"Plasma\",\n    products", with: "name: \"ThirdPartyCamera\",\n    products"
            )
            .replacing("\"../greenroom\", traits: []", with: "\"../..\", traits: [\"Host\"]")
            .replacing("/../greenroom/Plugins", with: "/../../Plugins") == sample)
    }

    @Test func `the page about tests shows the tests of the sample`() throws {
        let blocks = try Chapter.book("test-a-plugin").blocks.map(\.text)
            .filter { $0.contains("GreenroomValidator") }
        let test = String(
            decoding: try readFile(Self.sample + "/Tests/PlasmaTests/PlasmaTests.swift"),
            as: UTF8.self)
        let manifest = String(
            decoding: try readFile(Self.sample + "/Package.swift"), as: UTF8.self)
        try #require(blocks.count == 2)
        let indented = blocks[0].split(separator: "\n").map { "        \($0)\n" }.joined()
        #expect(manifest.contains(indented))
        #expect(blocks[1] == test)
    }

    @Test func `the page about bots shows the sample's bot`() throws {
        let bot = String(
            decoding: try readFile(
                Checkout.root + "/Samples/ThirdPartyBot/Sources/Parrot/Parrot.swift"),
            as: UTF8.self)
        #expect(
            try Chapter.book("a-bot").blocks.contains {
                $0.language == "swift" && bot.hasPrefix($0.text)
            })
    }

    // MARK: Names

    @Test func `every name in the book and in the manual exists in the code`() throws {
        let words = SourceWords(of: ["Packaging", "Plugins", "Python", "Samples", "Sources"])
        #expect(words.contains("onStartSend") && !words.contains("onStartSends"))
        for chapter in Chapter.book + Chapter.manual
        where !chapter.name.hasPrefix("coming-from") {
            // Names only: code with a blank is an example, with a slash a path.
            for code in chapter.codeVoice where code.allSatisfy(\.isPartOfName) {
                let unknown = words.unknown(in: code)
                #expect(unknown.isEmpty, "\(chapter): \(code)")
            }
        }
    }

    @Test func `the architecture page has a row for every module`() throws {
        let page = try Chapter(path: Chapter.folder + "/contributing/architecture.md")
        let rows = page.text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let names = rows.flatMap { row in
            row.matches(of: #/`(Greenroom[A-Za-z0-9]*)`/#).map { String($0.1) }
        }
        let modules = try FileManager.default.contentsOfDirectory(
            atPath: Checkout.root + "/Sources"
        ).filter { $0.hasPrefix("Greenroom") }
        #expect(Set(names) == Set(modules))
    }

    @Test func `every counterpart in the pages about other systems exists in the code`() throws {
        let words = SourceWords(of: [
            "Sources/GreenroomABI", "Sources/GreenroomBroadcast", "Sources/GreenroomConfig",
            "Sources/GreenroomSession/Report", "Sources/GreenroomMedia", "Sources/GreenroomPlugin",
            "Samples/VendorStyle",
        ])
        var count = 0
        for chapter in Chapter.book where chapter.name.hasPrefix("coming-from") {
            for row in chapter.text.split(separator: "\n") where row.hasPrefix("| ") {
                let cells = row.split(separator: " | ", omittingEmptySubsequences: false)
                guard cells.count > 1 else { continue }
                let codes = cells[1].split(separator: "`", omittingEmptySubsequences: false)
                for code in codes.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
                    count += 1
                    let unknown = words.unknown(in: String(code))
                    #expect(unknown.isEmpty, "\(chapter): \(code)")
                }
            }
        }
        #expect(count > 80)
    }

    // MARK: DocC

    @Test(arguments: [
        "GreenroomPlugin", "GreenroomHost", "GreenroomBroadcast", "GreenroomTesting",
        "GreenroomValidator",
    ])
    func `the catalogue converts without a warning`(module: String) throws {
        let folder = try TemporaryFolder()
        let graphs = folder("graphs")
        let made = try ChildProcess.run("mkdir", [graphs])
        #expect(made.exit == .code(0), "\(made)")
        let extraction = try ChildProcess.run(
            "swift-symbolgraph-extract",
            [
                "-module-name", module, "-target", Modules.target,
                "-minimum-access-level", "public", "-output-dir", graphs,
            ] + Modules.arguments)
        #expect(extraction.exit == .code(0), "\(extraction)")
        let conversion = try ChildProcess.run(
            "docc",
            [
                "convert", "\(Checkout.root)/Sources/\(module)/\(module).docc",
                "--additional-symbol-graph-dir", graphs,
                "--output-path", folder("site"), "--warnings-as-errors",
            ])
        #expect(conversion.exit == .code(0), "\(conversion)\n\(conversion.text)")
        #expect(conversion.standardError.isEmpty, "\(conversion)\n\(conversion.text)")
    }
}

extension Chapter {
    fileprivate static var readme: Chapter {
        get throws { try Chapter(path: Checkout.root + "/README.md") }
    }
}

/// Every word of the sources, to check whether a name exists.
private struct SourceWords {
    private var words: Set<String> = []

    /// - Parameter folders: Of the checkout.
    init(of folders: [String]) {
        for folder in folders {
            let root = "\(Checkout.root)/\(folder)"
            guard let files = FileManager.default.enumerator(atPath: root) else { continue }
            for case let file as String in files
            where [".swift", ".h", ".hpp", ".c", ".cpp", ".rs", ".py", ".sh", ".yaml"]
                .contains(where: file.hasSuffix)
                && !file.contains(".build/")
            {
                guard let bytes = try? readFile("\(root)/\(file)") else { continue }
                let text = String(decoding: bytes, as: UTF8.self)
                words.formUnion(Self.words(of: text, and: "-"))
                words.formUnion(Self.words(of: text, and: "_"))
            }
        }
    }

    func contains(_ word: String) -> Bool { words.contains(word) }

    /// The words of a code snippet that occur in no source.
    func unknown(in code: String) -> [String] {
        Self.words(of: code, and: "-").filter { word in
            word.contains { $0.isLetter } && !words.contains(word)
                && !Self.words(of: word, and: "_").allSatisfy(words.contains)
        }
    }

    private static func words(of text: String, and joint: Character) -> [String] {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == joint) }.map(String.init)
    }
}

extension Character {
    /// Whether it may be in a name in the book: `Type/method(label:)`, `a-key`.
    fileprivate var isPartOfName: Bool {
        isASCII && (isLetter || isNumber || "_-.:()".contains(self))
    }
}
