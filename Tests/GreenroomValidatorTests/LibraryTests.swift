import Foundation
import TestSupport
import Testing

@testable import GreenroomValidator

/// Results for libraries that can't be loaded.
@Suite(.ownThreads) struct LibraryTests {
    @discardableResult
    private func withFile<Result>(
        _ name: String, _ make: (String) throws -> Void, _ body: (String) throws -> Result
    ) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.path + "/library-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try make("\(folder)/\(name)")
        return try body("\(folder)/\(name)")
    }

    private func validateC(_ source: String) throws -> [ConformanceReport] {
        try withFile("libIt.so") { library in
            try Data(source.utf8).write(to: URL(filePath: "\(library).c"))
            let run = try ChildProcess.run(
                "cc", ["-shared", "-fPIC", "\(library).c", "-o", library])
            try #require(run.exit == .code(0), "\(run)")
        } _: { library in
            var options = Validator.Options()
            options.only = ["load", "lifecycle.whole-life"]
            return try Validator().validate(library, options)
        }
    }

    @Test(arguments: [
        (
            "__attribute__((constructor)) static void begin(void) { __builtin_trap(); }",
            "load.loads"
        ),
        ("int x;", "load.loads"),
        ("const void *greenroom_plugin_entry(void) { return 0; }", "load.entry"),
        ("extern int no(void); int greenroom_plugin_entry(void) { return no(); }", "load.symbols"),
    ])
    func `one check reports a library's fault, and checks that need a plugin are skipped`(
        source: String, check: String
    ) throws {
        let report = try #require(try validateC(source).first)
        #expect(report.name == "libIt.so")
        let outcomes = Dictionary(
            uniqueKeysWithValues: report.results.map { ($0.check, $0.outcome) })
        #expect(outcomes[check]?.isFault == true)
        #expect(outcomes["lifecycle.whole-life"] == .skipped)
        #expect(
            report.results.allSatisfy {
                !$0.outcome.isFault || $0.check == check || $0.check == "load.exports"
            },
            "\(report.results)")
        let hindered = try #require(report.results.first { $0.check == "lifecycle.whole-life" })
        #expect(hindered.text.contains(check))
    }

    /// Templates of the standard library are unique in the process with g++, and nothing that an author
    /// compiles with keeps them inside.
    @Test(arguments: [
        (["-fvisibility=hidden"], Outcome.warning), ([String](), Outcome.failed),
    ])
    func `symbols that C++ exports by itself are not a fault`(words: [String], outcome: Outcome)
        throws
    {
        let source = """
            #include <memory>
            #include <regex>
            struct camera { virtual ~camera() = default; virtual int see(); };
            int camera::see() { return std::regex_match("a", std::regex("a+")); }
            extern "C" __attribute__((visibility("default"))) const void *greenroom_plugin_entry() {
              static auto it = std::make_shared<camera>();
              return it->see() ? nullptr : it.get();
            }
            """
        try withFile("libIt.so") { library in
            try Data(source.utf8).write(to: URL(filePath: "\(library).cpp"))
            let run = try ChildProcess.run(
                "g++",
                ["-std=c++17", "-O1", "-shared", "-fPIC", "\(library).cpp", "-o", library] + words)
            try #require(run.exit == .code(0), "\(run)")
        } _: { library in
            let file = try ELFFile(try readFile(library))
            #expect(file.exports.contains { $0.name.hasPrefix("_ZGV") && $0.isWeak })
            var options = Validator.Options()
            options.only = ["load.exports"]
            let result = try #require(
                try Validator().validate(library, options).first?.results.first)
            #expect(result.outcome == outcome, "\(result)")
            #expect((outcome == .failed) == result.text.contains("camera3see"), "\(result)")
        }
    }

    @Test func `a file that is not a library is an error without a report`() throws {
        try withFile("libIt.so") {
            try Data("no library".utf8).write(to: URL(filePath: $0))
        } _: {
            path in
            #expect(throws: ValidatorError.self) { try Validator().validate(path) }
        }
    }
}
