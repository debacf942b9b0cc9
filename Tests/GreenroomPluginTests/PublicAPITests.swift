import Foundation
import TestSupport
import Testing

/// The public API of the library products, compared with the lists in `Tests/PublicAPI`.
///
/// A removed declaration breaks plugins. After a deliberate change
///
///     GREENROOM_WRITE_API=1 swift test --filter PublicAPITests
///
/// updates the lists: the commit shows the change, and CHANGELOG.md says what authors must do.
@Suite struct PublicAPITests {
    @Test(arguments: [
        "GreenroomMedia", "GreenroomPlugin", "GreenroomBroadcast", "GreenroomTesting",
        "GreenroomValidator",
        // What GreenroomHost exports.
        "GreenroomHost", "GreenroomConfig", "GreenroomModel",
        "GreenroomNegotiation", "GreenroomOutputs", "GreenroomSchema", "GreenroomSession",
        "GreenroomVideo",
    ])
    func `the public API is the listed one`(module: String) throws {
        let path = "\(Checkout.root)/Tests/PublicAPI/\(module).txt"
        let declarations = try Self.declarations(of: module)
        #expect(!declarations.isEmpty)
        if ProcessInfo.processInfo.environment["GREENROOM_WRITE_API"] != nil {
            try (declarations.joined(separator: "\n") + "\n")
                .write(toFile: path, atomically: true, encoding: .utf8)
        }
        let listed = String(decoding: try readFile(path), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        let removed = Set(listed).subtracting(declarations).sorted()
        #expect(removed.isEmpty, "gone, which breaks plugins: \(removed)")
        let added = Set(declarations).subtracting(listed).sorted()
        #expect(added.isEmpty, "not listed in Tests/PublicAPI/\(module).txt: \(added)")
    }

    /// A line for each public declaration and each conformance, sorted.
    private static func declarations(of module: String) throws -> [String] {
        let graphs = try SymbolGraph.extract(module)
        var lines: Set<String> = []
        for graph in graphs {
            for symbol in graph.symbols {
                let path = symbol.pathComponents.dropLast().joined(separator: ".")
                let text = symbol.declarationFragments.map(\.spelling).joined()
                lines.insert(path.isEmpty ? text : "\(path): \(text)")
            }
            let names = Dictionary(
                graph.symbols.map {
                    ($0.identifier.precise, $0.pathComponents.joined(separator: "."))
                },
                uniquingKeysWith: { first, _ in first })
            for relationship in graph.relationships where relationship.kind == "conformsTo" {
                guard let type = names[relationship.source],
                    let other = names[relationship.target] ?? relationship.targetFallback,
                    other != "Swift.SendableMetatype"
                else { continue }
                lines.insert("\(type) conforms to \(other)")
            }
        }
        return lines.sorted()
    }
}

/// The part of `swift-symbolgraph-extract`'s output that is used here.
private struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { var precise: String }
        struct Fragment: Decodable { var spelling: String }

        var identifier: Identifier
        var pathComponents: [String]
        var declarationFragments: [Fragment]
    }

    struct Relationship: Decodable {
        var kind: String
        var source: String
        var target: String
        var targetFallback: String?
    }

    var symbols: [Symbol]
    var relationships: [Relationship]

    /// The graph of a module in the build folder, and those of its extensions of other modules.
    static func extract(_ module: String) throws -> [SymbolGraph] {
        let folder = try TemporaryFolder()
        let run = try ChildProcess.run(
            "swift-symbolgraph-extract",
            [
                "-module-name", module, "-target", Modules.target,
                "-minimum-access-level", "public", "-skip-synthesized-members",
                "-output-dir", folder.path,
            ] + Modules.arguments)
        #expect(run.exit == .code(0), "\(run)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            try JSONDecoder().decode(SymbolGraph.self, from: Data(try readFile(folder($0))))
        }
    }
}
