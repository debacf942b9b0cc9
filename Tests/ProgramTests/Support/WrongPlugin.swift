import Foundation
import SessionTestSupport
import TestSupport

/// A plugin in C that breaks one rule: `Tests/WrongPlugins/<group>/<name>.c`.
///
/// Its first line names the check that must find the fault, and the fault:
/// `/* lifecycle.restart: spins from the second start on */`. More lines may have arguments for the
/// compiler and for `greenroom validate`: `/* cc: -Wl,-z,execstack */`,
/// `/* validate: --set look=dark */`, or words that the check must say: `/* says: no lens */`. A
/// plugin that only gets a warning has the line `/* outcome: warning */`.
struct WrongPlugin: CustomStringConvertible, Sendable {
    static let folder = Checkout.root + "/Tests/WrongPlugins"

    /// Relative to the folder, without `.c`, e.g. `lifecycle/spins-at-second-start`.
    var name: String
    /// The check that finds the fault.
    var check: String
    /// The fault.
    var fault: String
    /// Whether it only gets a warning.
    var isOnlyWarned = false
    /// Words that the check says; nil if any will do.
    var says: String?
    var compilerWords: [String] = []
    var validatorWords: [String] = []

    var description: String { name }

    /// The group of the check.
    var group: String { String(check.prefix { $0 != "." }) }

    /// All plugins in the folder.
    static func all() throws -> [WrongPlugin] {
        guard let files = FileManager.default.enumerator(atPath: folder) else {
            throw Failure("can't list \(folder)")
        }
        return try files.compactMap { $0 as? String }
            .filter { $0.hasSuffix(".c") && $0.contains("/") }.sorted().map(WrongPlugin.init)
    }

    /// Reads the first lines of a file.
    init(file: String) throws {
        name = String(file.dropLast(2))
        let text = String(decoding: try readFile("\(Self.folder)/\(file)"), as: UTF8.self)
        let lines = text.split(separator: "\n").prefix(3)
        guard let first = lines.first?.wholeMatch(of: #/\/\* ([a-z.-]+): (.+) \*\//#) else {
            throw Failure("\(file): its first line has to be /* CHECK: WHAT IT DOES WRONG */")
        }
        check = String(first.1)
        fault = String(first.2)
        for line in lines.dropFirst() {
            if let words = line.wholeMatch(of: #/\/\* cc: (.+) \*\//#) {
                compilerWords += words.1.split(separator: " ").map(String.init)
            } else if line == "/* outcome: warning */" {
                isOnlyWarned = true
            } else if let words = line.wholeMatch(of: #/\/\* validate: (.+) \*\//#) {
                validatorWords += words.1.split(separator: " ").map(String.init)
            } else if let words = line.wholeMatch(of: #/\/\* says: (.+) \*\//#) {
                says = String(words.1)
            }
        }
    }

    /// Builds it.
    func build() throws -> String { try Self.build("\(name).c", compilerWords) }

    /// Builds the correct plugin of a kind, e.g. `"VIDEO_SOURCE"`.
    static func buildGood(_ kind: String) throws -> String {
        try build("good.c", ["-DKIND=GR_KIND_\(kind)"], as: "good-\(kind.lowercased())")
    }

    static func build(
        _ file: String, _ words: [String] = [], as name: String? = nil
    ) throws -> String {
        let folder = Checkout.products + "/wrong-plugins"
        let name = name ?? String(file.dropLast(2)).replacing("/", with: "-")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let library = "\(folder)/\(name).so"
        let source = "\(Self.folder)/\(file)"
        let sources =
            try [source, "\(Self.folder)/good.h"] + TestPlugins.headers(beside: [source])
        try TestPlugins.replace(library, madeOf: sources, words) { unfinished in
            let run = try ChildProcess.run(
                "cc",
                [
                    "-std=c99", "-D_GNU_SOURCE", "-O1", "-g", "-shared", "-fPIC", "-pthread", "-I",
                    Checkout.include,
                ] + TestPlugins.warnings + [source, "-o", unfinished] + words)
            guard run.exit == .code(0) else { throw Failure("\(run)") }
        }
        return library
    }
}
