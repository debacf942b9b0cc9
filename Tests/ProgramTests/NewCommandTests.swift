import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that plugins from `greenroom new` build, run and work as described.
@Suite(.ownThreads) struct NewCommandTests {
    // MARK: Behaviour of the plugins

    /// The number of text lines in a frame: falling edges of luma in a column near the left.
    func lines(in frame: YUVImage) -> Int {
        let column = (0..<frame.height).map { Int(frame.y[$0 * frame.width + frame.width / 5]) }
        return zip(column, column.dropFirst()).filter { $0 - $1 > 100 }.count
    }

    // MARK: Contents of the folder

    @Test func `the example test in Swift expects the effect of each kind of plugin`() throws {
        for kind in NewPlugin.kinds {
            let test = try NewPlugin(kind, "swift").text("Tests/PluginTests.swift")
            #expect(test.matches(of: /#expect\(/).count == 2, "\(kind): \(test)")
        }
    }

    @Test func `a folder has a source, a build script, a session and a short README`()
        throws
    {
        for kind in NewPlugin.kinds {
            for language in NewPlugin.languages {
                let plugin = try NewPlugin(kind, language)
                let (source, build, headers): (String, [String], [String]) =
                    switch language {
                    case "swift":
                        (
                            "Sources/\(try plugin.type).swift",
                            ["Package.swift", "Tests/PluginTests.swift"], []
                        )
                    case "c":
                        (
                            "my-first.c", ["build.sh", "compile_flags.txt"],
                            ["base.h", "plugin.h", "send.h"]
                        )
                    default:
                        (
                            "my-first.cpp", ["build.sh", "compile_flags.txt", "exports.map"],
                            ["plugin.h", "plugin.hpp", "send.h", "output.h", "call.h"]
                        )
                    }
                let outputs = [
                    "output": ["output.h"], "speaker": ["output.h"], "receiver": ["output.h"],
                    "call": ["output.h", "call.h"], "composer": ["output.h"],
                ]
                let all: [String] = headers + (language == "c" ? outputs[kind] ?? [] : [])
                #expect(
                    try plugin.files()
                        == (["README.md", "session.yaml", source] + build
                        + all.map { "greenroom/\($0)" }).sorted())
                for header in all {
                    for line in try plugin.text("greenroom/\(header)").split(separator: "\n") {
                        guard let found = line.firstMatch(of: #/^#include <greenroom/(.*)>/#) else {
                            continue
                        }
                        #expect(all.contains(String(found.1)), "\(header) of \(kind), \(language)")
                    }
                    #expect(
                        try plugin.text("greenroom/\(header)")
                            == String(
                                decoding: readFile(Checkout.include + "/greenroom/\(header)"),
                                as: UTF8.self))
                }
                let lines = try plugin.text("README.md").split(separator: "\n")
                #expect(lines.count <= 30 && lines.allSatisfy { $0.count <= 100 })
                let text = try plugin.text(source)
                #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
            }
        }
    }

    // MARK: Names

    @Test func `new accepts the names that other commands use for kinds`() throws {
        let folder = try TemporaryFolder()
        let names = [
            ("video-source", "camera"), ("virtual-mic", "microphone"), ("share-source", "share"),
            ("share-audio-source", "share-audio"), ("video-pre-processor", "pre-processor"),
        ]
        for (name, kind) in names {
            for word in [name, kind] {
                let run = try NewPlugin.begin([word, "is-\(word)"], in: folder.path)
                #expect(run.exit == .code(0), "\(run)")
            }
            // The files are equal except for the names.
            let texts = try [name, kind].map { word in
                String(decoding: try readFile(folder("is-\(word)/session.yaml")), as: UTF8.self)
                    .split(separator: "\n").filter { !$0.contains("is-") && !$0.contains(".so") }
            }
            #expect(texts[0] == texts[1])
        }
        let run = try NewPlugin.begin(["loudspeaker", "a"], in: folder.path)
        #expect(run.exit == .code(64) && run.standardError.contains("pre-processor"), "\(run)")
    }
}
