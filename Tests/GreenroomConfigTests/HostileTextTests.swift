import GreenroomConfig
@testable import GreenroomSchema
import TestSupport
import Testing

/// Hostile texts: each is refused quickly, with a location, and without a crash.
@Suite struct HostileTextTests {
    @Test(
        arguments: [
            ([0x63, 0x3A, 0x20, 0xFF, 0x0A], "1:4: not UTF-8. Save the file as UTF-8."),
            ([0x0A, 0x61, 0xC3, 0x28], "2:2: not UTF-8. Save the file as UTF-8."),
            ([0xED, 0xA0, 0x80], "1:1: not UTF-8. Save the file as UTF-8."),
            ([0xFF, 0xFE, 0x61, 0x00], "1:1: the file is UTF-16. Save it as UTF-8."),
            ([0x61, 0x3A, 0x00], "1:3: the character U+0000 is not allowed in YAML. Remove it."),
            ([0x61, 0x1B], "1:2: the character U+001B is not allowed in YAML. Remove it."),
        ] as [([UInt8], String)])
    func `invalid text is refused with its location`(bytes: [UInt8], fault: String) {
        #expect(faults(bytes) == [fault])
    }

    @Test func `a byte order mark and CR LF are accepted, and columns count as in an editor`() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(faults(mark + "camera: { plugin: A }\r\n".utf8) == [])
        #expect(
            faults(mark + "camera: { plugn: A, plugin: B }\r\n".utf8) == [
                #"1:11: camera.plugn: unknown key. Did you mean "plugin"?"#
            ])
    }

    @Test func `a large file is refused`() {
        let yaml = "camera: { plugin: A }\n" + String(repeating: "#", count: 256 * 1024)
        #expect(
            faults(yaml) == ["1:1: the file is too large. A session file has at most 262144 bytes."]
        )
    }

    @Test func `thousands of outputs or filters are refused`() {
        let outputs = (0..<5000).map { "  - record: r\($0)\n" }.joined()
        #expect(
            faults("camera: { plugin: A }\noutputs:\n\(outputs)") == [
                "3:3: outputs: needs at most 256 entries, found 5000. Remove some."
            ])
        let filters = String(repeating: "    - plugin: B\n", count: 65)
        #expect(
            faults("camera:\n  plugin: A\n  pre-processors:\n\(filters)") == [
                "4:5: camera.pre-processors: needs at most 64 entries, found 65. Remove some."
            ])
    }

    @Test(arguments: [40, 900, 5000])
    func `deep nesting is refused`(depth: Int) {
        let open = String(repeating: "[", count: depth)
        let close = String(repeating: "]", count: depth)
        let told = faults("camera: { plugin: A, settings: { a: \(open)\(close) } }")
        #expect(told.contains { $0.contains("nested too deeply; the limit is 32 levels.") })
    }

    @Test func `deep blocks are refused`() {
        let yaml = (0..<600).map { String(repeating: " ", count: $0) + "a:" }
        let told = faults(yaml.joined(separator: "\n"))
        #expect(told.contains { $0.contains("nested too deeply") })
    }

    @Test func `exponentially growing aliases are refused before they grow`() {
        var yaml = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            let aliases = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ", ")
            yaml += "l\(level): &l\(level) [\(aliases)]\n"
        }
        let told = faults(yaml + "? *l12\n: x\n")
        #expect(
            told == [
                "4:20: the file has more than 20 YAML aliases (*name). Session files have none: "
                    + "write the values out."
            ])
    }

    @Test func `a few aliases are reported one by one, without reading repeated content`() {
        let told = faults(
            "camera: &c { plugin: A, wrong: 1 }\nmicrophone: *c\nshare: { plugin: &n B, x: *n }\n")
        #expect(told.filter { $0.contains("anchors (&") }.map { $0.prefix(4) } == ["1:9:", "3:18"])
        #expect(!told.contains { $0.contains("wrong") })
    }

    @Test func `a star in a comment or a text is not an alias`() {
        let comments = String(repeating: "# this *word* is * marked, *like *these\n", count: 20)
        let texts =
            "camera: { plugin: A, settings: { a: \"*.png\", b: ['*a', \"*b\", c *d *e] } }\n"
            + "share:\n  plugin: B\n  settings:\n    text: |\n"
            + String(repeating: "      *bold *words\n", count: 30)
        #expect(faults(comments + texts) == [])
    }

    @Test func `aliases of an argument are counted too`() {
        let list = "[&a [x], \(Array(repeating: "*a", count: 21).joined(separator: ", "))]"
        let told = faults(
            "camera: { plugin: A }", overrides: [.set("camera.settings.a=\(list)")])
        #expect(told.count == 1 && told[0].contains("more than 20 YAML aliases"), "\(told)")
    }

    @Test(arguments: ["{ at: 6s, set: camera.pre-processors[0].settings.opacity=0.5 }", "[a{b}]"])
    func `a bracket in an unquoted text inside brackets is reported with the fix`(flow: String) {
        let told = faults("camera: { plugin: A }\ntimeline:\n  - \(flow)\n")
        #expect(told.count == 1 && told[0].hasSuffix("Put the text in quotes."), "\(told)")
        #expect(told[0].contains("ends a text here"), "\(told)")
    }

    @Test func `an escaped NUL is refused`() {
        #expect(
            faults(#"camera: { plugin: "a\0b" }"#) == [
                "1:19: camera.plugin: a text may not contain a NUL character. Remove it."
            ])
    }

    @Test func `20 duplicate keys are reported one by one, and 200 in one message`() {
        func yaml(_ count: Int) -> String {
            let keys = (0..<count).map { "    k\($0): 1\n    k\($0): 2\n" }.joined()
            return "camera:\n  plugin: A\n  settings:\n\(keys)"
        }
        #expect(faults(yaml(20)).count == 20)
        #expect(faults(yaml(20)).allSatisfy { $0.contains("duplicate key") })
        #expect(faults(yaml(200)).first?.contains("more than one value for \"k") == true)
    }

    @Test func `a quoted line can't control the terminal`() throws {
        let error = #expect(throws: SessionFileError.self) {
            _ = try read("camera: { plugin: A, \"\u{202E}x\\e[31m\": 1 }")
        }
        let text = try #require(error).description
        #expect(!text.unicodeScalars.contains("\u{202E}"))
        #expect(!text.unicodeScalars.contains("\u{1B}"))
    }

    @Test func `a long line is quoted around the fault`() throws {
        let filler = String(repeating: "x", count: 200)
        let error = #expect(throws: SessionFileError.self) {
            _ = try read("camera: { plugin: \(filler), plugn: 1, settings: { a: \(filler) } }")
        }
        let lines = try #require(error).description.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].count < 140)
        let caret = try #require(lines[2].firstIndex(of: "^"))
        let column = lines[2].distance(from: lines[2].startIndex, to: caret)
        #expect(lines[1].dropFirst(column).hasPrefix("plugn: 1"))
    }

    @Test(arguments: [
        ("camera.memory-limit", "9", "x"), ("camera.memory-limit", "9", " MB"),
        ("camera.memory-limit", "9.", "GB"), ("camera.memory-limit", "9 ", "MB"),
        ("camera.allow.devices[0]", "/dev", "/.."), ("camera.allow.devices[0]", "d", ""),
        ("camera.isolation", "process", ""), ("camera.sandbox", "on", ""),
        ("camera.on-failure", "continue", ""), ("camera.allow.network", "true", ""),
        ("share.connect", "/s", ""),
    ])
    func `an invalid value of any length is refused in a short message`(
        path: String, piece: String, end: String
    ) {
        let value = String(repeating: piece, count: 200_000 / piece.count) + end
        let told = faults("camera: { plugin: A }", overrides: [.set("\(path)='\(value)'")])
        #expect(told.count == 1)
        // The argument precedes it in full, because it is the user's own line.
        let message = told.first?.dropFirst("--set \(path)='\(value)': ".count)
        #expect(message?.hasPrefix("\(path): ") == true)
        #expect((message?.count ?? .max) < 250)
    }

    @Test func `a list of paths has a limit`() {
        func yaml(_ count: Int) -> String {
            let paths = (0..<count).map { "p\($0)" }.joined(separator: ", ")
            return "camera: { plugin: A, allow: { read: [\(paths)] } }"
        }
        #expect(faults(yaml(64)) == [])
        #expect(
            faults(yaml(65)) == [
                "1:37: camera.allow.read: needs 1 to 64 entries, found 65. Remove the key to use "
                    + "the default."
            ])
    }

    @Test func `no mutation of a file crashes the reader or leaves an error without a place`() {
        var random = SeededGenerator(seed: 20_240_607)
        let seeds = Samples.good.map { Array($0.utf8) } + Samples.bad.map { Array($0.yaml.utf8) }
        let pieces = [
            "\t", "\n", ": ", "- ", "&a ", "*a", "{", "}", "[", "]", "\"", "'", "|\n", "!x ",
        ]
        .map { Array($0.utf8) }
        for _ in 0..<3000 {
            guard var bytes = seeds.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
                case 1: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: at)
                case 2: bytes.removeSubrange(at..<min(bytes.count, at + 3))
                default: bytes.insert(contentsOf: bytes[..<at].suffix(12), at: at)
                }
            }
            do {
                _ = try read(bytes)
            } catch {
                #expect(!error.diagnostics.isEmpty)
                for diagnostic in error.diagnostics {
                    #expect(!diagnostic.message.isEmpty)
                    guard case .file(let line, let column) = diagnostic.place.origin else {
                        Issue.record("a place outside the file")
                        continue
                    }
                    #expect((1...error.source.lineCount).contains(line))
                    #expect(column >= 1)
                }
            }
        }
    }
}
