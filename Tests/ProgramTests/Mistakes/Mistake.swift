import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// A mistake, and the line that the terminal shows for it: place, rule and cure.
struct Mistake: CustomTestStringConvertible, Sendable {
    /// The session file `s.yaml`; empty for a command without one.
    var session = ""
    /// The command line, without `greenroom`.
    var arguments: [String]
    /// The exit code.
    var exit: Int32
    /// The first line on standard error, with the folders as ``read(_:in:)`` writes them.
    var line: String

    var testDescription: String {
        (session.isEmpty ? "" : session.replacing("\n", with: "; ") + ": ")
            + arguments.joined(separator: " ")
    }

    /// A mistake that `greenroom check` finds in a session file.
    init(_ session: String, _ line: String) {
        self.init(session, ["check", "s.yaml"], 65, line)
    }

    /// A mistake of a command line, in a folder with a good session file.
    init(_ arguments: [String], _ exit: Int32, _ line: String) {
        self.init("camera: { plugin: ColorBars }", arguments, exit, line)
    }

    init(_ session: String, _ arguments: [String], _ exit: Int32, _ line: String) {
        self.session = session
        self.arguments = arguments
        self.exit = exit
        self.line = line
    }

    /// Makes the mistake, and expects its line and its exit code.
    func expectItsLine(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let folder = try TemporaryFolder()
        if !session.isEmpty { try folder.write("s.yaml", session + "\n") }
        try Self.fill(folder)
        let run = try ChildProcess.run(
            "env", ["-C", folder.path, Checkout.greenroom] + arguments,
            // Without plugins that a user of this machine has installed.
            environment: Greenroom.environment.merging(["HOME": folder.path]) { $1 })
        #expect(run.exit == .code(exit), "\(run)\n\(run.text)", sourceLocation: sourceLocation)
        let lines = Self.read(run.standardError, in: folder.path)
        // What a plugin or a device is asked before it fails is no mistake.
        let first = lines.first { !$0.hasSuffix(", as suggested") } ?? ""
        #expect(first == line, sourceLocation: sourceLocation)
    }

    /// What mistakes are made with: a folder, a text file, and files that are no media.
    private static func fill(_ folder: TemporaryFolder) throws {
        try FileManager.default.createDirectory(
            atPath: folder("empty"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: folder("recorded"), withIntermediateDirectories: true)
        try folder.write("recorded/camera.y4m", "")
        for name in ["text", "text.so", "text.png", "text.wav"] {
            try folder.write(name, "Dear host,\n")
        }
        try folder.write("narrow.y4m", "YUV4MPEG2 W0 H2 F30:1\n")
    }

    /// The lines of an output, without the test's folder. `PRODUCTS` replaces the program's folder.
    static func read(_ output: String, in folder: String) -> [String] {
        let build = Checkout.products.prefix { _ in true }.split(separator: "/").dropLast()
        return output.replacing(Checkout.products, with: "PRODUCTS")
            .replacing("/" + build.joined(separator: "/") + "/lib/greenroom", with: "LIBRARIES")
            // Other tests build plugins into the folder of the products.
            .replacing(#/Installed: [^.]*\./#, with: "Installed: LIST.")
            .replacing(folder + "/", with: "")
            .split(separator: "\n").map(String.init)
    }
}
