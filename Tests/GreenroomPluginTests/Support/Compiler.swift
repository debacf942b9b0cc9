import Foundation
import TestSupport
import Testing

/// The Swift compiler with the modules in the build folder.
enum Compiler {
    /// The compiler's messages about a source; empty if it compiles without a warning.
    ///
    /// Includes the checks of ownership, which follow those of types.
    static func complaints(about source: String) throws -> String {
        try complaints(about: [("Snippet.swift", source)])
    }

    /// The same for the files of one module.
    static func complaints(about files: [(name: String, text: String)]) throws -> String {
        let folder = try TemporaryFolder()
        let paths = try files.map { try folder.write($0.name, $0.text) }
        let finished = try ChildProcess.run(
            "swiftc",
            [
                "-emit-sil", "-wmo", "-o", "/dev/null", "-parse-as-library",
                "-swift-version", "6",
                "-warnings-as-errors", "-module-name", "Snippet",
            ] + modules + paths, atMost: .seconds(120))
        #expect(
            finished.standardError.isEmpty == (finished.exit == .code(0)), "\(finished)")
        return finished.standardError
    }

    /// The folders of the modules that authors import and the C modules that these need. SwiftPM
    /// writes the module maps of C targets beside the products.
    static let modules: [String] = {
        let files = FileManager.default
        func folders(in path: String) -> [String] {
            ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted()
        }
        let own = folders(in: Checkout.root + "/Sources").flatMap { name in
            [
                "\(Checkout.root)/Sources/\(name)/module.modulemap",
                "\(Checkout.products)/\(name).build/module.modulemap",
            ]
        }
        let checkouts = Checkout.products + "/../../checkouts"
        let others = folders(in: checkouts).flatMap { package in
            folders(in: "\(checkouts)/\(package)/Sources").map {
                "\(checkouts)/\(package)/Sources/\($0)/include/module.modulemap"
            }
        }
        return ["-I", Checkout.products + "/Modules"]
            + (own + others).filter { files.fileExists(atPath: $0) }
            .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }()
}
