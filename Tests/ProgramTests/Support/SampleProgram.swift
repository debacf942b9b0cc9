import Foundation
import SessionTestSupport
import TestSupport

/// A sample that is a program in Swift, a package of its own.
///
/// At night the package is built as its README says. By day only its own sources are compiled, with
/// the modules and objects that were built beside the tests: its package would build them once more.
struct SampleProgram {
    /// The sample's folder and the program in it.
    let sample: String
    let name: String
    /// The product whose objects it is linked with, but for those of one module.
    let product: String
    let module: String

    func build() throws -> String {
        if Nightly.isOn { return try Self.buildPackage(sample) + "/\(name)" }
        let program = "\(Checkout.products)/sample-\(name)"
        let folder = "\(SampleTests.folder)/\(sample)/Sources/\(name)"
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        let run = try ChildProcess.run(
            "swiftc",
            [
                "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
                "-module-name", name, "-o", program,
            ] + Modules.arguments + (try objects()) + (try libraries())
                + sources.map { "\(folder)/\($0)" })
        try Self.expectFine(run)
        return program
    }

    /// Builds a sample's package as its README says, but beside the products.
    ///
    /// - Returns: The folder of what it makes.
    static func buildPackage(_ sample: String, _ arguments: [String] = []) throws -> String {
        let build = "\(Checkout.products)/\(sample)"
        let run = try ChildProcess.run(
            "swift",
            [
                "build", "--package-path", "\(SampleTests.folder)/\(sample)", "--scratch-path",
                build,
            ] + arguments, environment: ["SWIFTPM_HOOKS_DIR": nil])
        try expectFine(run)
        return build + "/debug"
    }

    private static func expectFine(_ run: Finished) throws {
        guard run.exit == .code(0), !run.text.contains("warning:") else {
            throw Failure("\(run)\n\(run.text)")
        }
    }

    private func objects() throws -> [String] {
        let list = try readFile("\(Checkout.products)/\(product).product/Objects.LinkFileList")
        return String(decoding: list, as: UTF8.self).split(separator: "\n")
            .map { $0.trimmingCharacters(in: ["'"]) }.filter { !$0.contains("/\(module).build/") }
    }

    /// The C libraries that Package.swift names, but for those of targets that only some
    /// environments add. The linker leaves out what is not used.
    private func libraries() throws -> [String] {
        let manifest = String(
            decoding: try readFile(Checkout.root + "/Package.swift"), as: UTF8.self)
        let always = manifest.components(separatedBy: "if Context.environment[")[0]
        return ["-Xlinker", "--as-needed"]
            + always.matches(of: #/linkedLibrary\("([^"]+)"\)/#).map { "-l\($0.1)" }
    }
}
