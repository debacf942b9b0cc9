import Foundation
import Glibc
import SessionTestSupport
import TestSupport

/// The plugins of `Samples/VendorStyle`, built from the package's modules; SwiftPM would compile the
/// SDK again.
enum VendorStyle {
    static let folder = Checkout.root + "/Samples/VendorStyle"

    /// The library of a vendor's listings, built once.
    static func library(_ name: String) throws -> String {
        switch name {
        case "ZoomListings": try zoom.get()
        case "AzureListings": try azure.get()
        default: try broadcast.get()
        }
    }

    private static let zoom = Result { try build("ZoomListings", with: "ZoomStyle") }
    private static let azure = Result { try build("AzureListings", with: "AzureStyle") }
    private static let broadcast = Result { try build("BroadcastListings", with: "AgoraStyle") }

    private static func build(_ name: String, with style: String) throws -> String {
        let modules = ["AppleMediaStyle", style, name]
        let library = "\(Checkout.products)/\(name).so"
        let sdk = "\(Checkout.products)/Modules/GreenroomPlugin.swiftmodule"
        let sources = try modules.flatMap { try Self.sources(of: $0) }
        try TestPlugins.replace(library, madeOf: sources + [sdk], modules) { file in
            try build(name, Self.sources(of: name), with: style, into: file)
        }
        return library
    }

    /// Builds a plugin over the layer.
    static func build(
        _ name: String, _ files: [String], with style: String, into library: String
    ) throws {
        let folder = try TemporaryFolder()
        let modules = ["AppleMediaStyle", style]
        for module in modules {
            try compile(
                module, try sources(of: module) + ["-c", "-o", folder("\(module).o")],
                [
                    "-warnings-as-errors", "-emit-module", "-emit-module-path",
                    folder("\(module).swiftmodule"),
                ], in: folder)
        }
        // The listings have variables that nothing reads.
        try compile(
            name, files + ["-emit-library", "-o", library],
            try modules.map { folder("\($0).o") } + TestPlugins.sdkObjects() + [
                "-suppress-warnings", "-Xlinker",
                "--version-script=\(Checkout.root)/Plugins/exports.map",
            ], in: folder)
    }

    /// The sources in C++, built once.
    static func senders() throws -> String { try cpp.get() }

    private static let cpp = Result {
        let library = "\(Checkout.products)/zoom-senders.so"
        let source = folder + "/cpp/senders.cpp"
        let headers = ["zoom_style.hpp", "zoom_receive.hpp", "zoom_meeting.hpp", "plugin.hpp"]
            .map { "\(Checkout.include)/greenroom/\($0)" }
        try TestPlugins.replace(library, madeOf: [source] + headers, []) { file in
            let run = try ChildProcess.run(
                "g++",
                ["-std=c++17", "-O1", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden"]
                    + TestPlugins.warnings + ["-I", Checkout.include, source, "-o", file]
                    + ["-Wl,--version-script=\(Checkout.root)/Plugins/exports.map"])
            guard run.exit == .code(0) else { throw Failure("\(run)") }
        }
        return library
    }

    private static func sources(of module: String) throws -> [String] {
        let folder = "\(folder)/Sources/\(module)"
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    }

    private static func compile(
        _ module: String, _ arguments: [String], _ flags: [String], in folder: TemporaryFolder
    ) throws {
        let run = try ChildProcess.run(
            "swiftc",
            [
                "-swift-version", "5", "-parse-as-library", "-wmo", "-O",
                "-package-name", "vendorstyle", "-module-name", module, "-I", folder.path,
                "-I", Checkout.products + "/Modules", "-I", Checkout.root + "/Sources/GreenroomABI",
            ] + arguments + flags)
        guard run.exit == .code(0) else { throw Failure("\(run)\n\(run.text)") }
    }

    /// The listings as printed, and the lines that a sample changed or added.
    static func changes() throws -> String {
        let samples = try ["ZoomListings", "AzureListings", "BroadcastListings"]
            .flatMap { try sources(of: $0) }.flatMap { try Self.samples(in: $0) }
        return try samples.sorted { $0.listing < $1.listing }.map { sample in
            var printed = try lines(of: "\(folder)/Listings/\(sample.listing).txt")[...]
            var text = sample.listing + "\n"
            for line in sample.lines {
                if line.contains("  // added: ") {
                    text += "+\(line)\n"
                } else if let old = printed.popFirst(), line != old {
                    text += "-\(old)\n+\(line)\n"
                    guard line.contains("// changed: ") else {
                        throw Failure(
                            "\(sample.listing): a line changed without a reason:\n\(text)")
                    }
                }
            }
            guard printed.isEmpty else {
                throw Failure("\(sample.listing): lines are missing:\n\(printed)")
            }
            return text
        }.joined()
    }

    /// How many listings of a document there are, their lines of code, and the lines that changed.
    static func counts(of document: String) throws -> [Int] {
        let names = try listings().filter { $0.hasPrefix(document) }
        let printed = try names.flatMap { try lines(of: "\(folder)/Listings/\($0).txt") }
        let code = printed.count { line in
            let text = line.drop { $0 == " " || $0 == "\t" }
            return !text.isEmpty && !text.hasPrefix("//")
        }
        var isInside = false
        let changed = try changes().split(separator: "\n").count { line in
            if !line.hasPrefix("+") && !line.hasPrefix("-") { isInside = line.hasPrefix(document) }
            return isInside && line.hasPrefix("+") && line.contains("// changed: ")
        }
        return [names.count, code, changed]
    }

    /// The parts of a file between the lines `// listing: NAME` and `// end`.
    private static func samples(in file: String) throws -> [(listing: String, lines: [Substring])] {
        var samples: [(listing: String, lines: [Substring])] = []
        var isInside = false
        for line in try lines(of: file) {
            if line.hasPrefix("// listing: ") {
                samples.append((String(line.dropFirst(12)), []))
                isInside = true
            } else if line == "// end" {
                isInside = false
            } else if isInside {
                samples[samples.count - 1].lines.append(line)
            }
        }
        return samples
    }

    private static func lines(of file: String) throws -> [Substring] {
        var text = String(decoding: try readFile(file), as: UTF8.self)[...]
        while text.last == "\n" { text = text.dropLast() }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The listings that are printed.
    static func listings() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/Listings")
            .filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
    }
}
