import Foundation
import TestSupport
import Testing

@Suite struct TypeNameTests {
    /// The module of a source; nil for a template.
    private static func module(of path: Substring) -> String? {
        let parts = path.split(separator: "/")
        return switch (parts[0], parts[1]) {
        case (_, "CPluginTemplates"): nil
        case ("Plugins", "Shared"): "Plugin\(parts[2])"
        case ("Plugins", let plugin): parts[2] == "Decisions" ? "\(plugin)Decisions" : "\(plugin)"
        case (_, let module): "\(module)"
        }
    }

    @Test func `no two modules declare a top-level type of the same name`() throws {
        let declaration =
            /^(?:@\w+(?:\([^)\n]*\))?\s+)*(?:(?:public|package|internal|final|indirect|nonisolated|open)\s+)*(?:class|struct|enum|protocol|actor|typealias)\s+(\w+)/
            .anchorsMatchLineEndings()
        var modules: [Substring: Set<String>] = [:]
        for folder in ["Sources", "Plugins"] {
            let root = "\(Checkout.root)/\(folder)"
            let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String }
            for file in files ?? [] where file.hasSuffix(".swift") {
                guard let module = Self.module(of: "\(folder)/\(file)") else { continue }
                let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
                for match in text.matches(of: declaration) {
                    modules[match.1, default: []].insert(module)
                }
            }
        }
        #expect(modules.count > 1000)
        let shared = modules.filter { $0.value.count > 1 }.map { "\($0): \($1.sorted())" }
        #expect(shared.isEmpty, "\(shared.sorted())")
    }
}
