import Foundation
import Glibc
import SessionTestSupport
import Synchronization
import TestSupport

/// A plugin that `greenroom new` created in a folder of the test, and that was built there.
struct NewPlugin {
    static let kinds = [
        "camera", "microphone", "share", "share-audio", "pre-processor", "audio-pre-processor",
        "output", "speaker", "receiver", "call", "composer",
    ]
    static let languages = ["swift", "c", "c++"]

    /// The languages whose templates of a kind differ: outputs and calls in C++ are those in C.
    static func languages(of kind: String) -> [String] {
        isOutput(kind) ? ["swift", "c"] : languages
    }

    /// The same at night; by day Swift alone, since `a source in C or C++ builds with every compiler` has
    /// every kind, and a camera behaves as described in each language.
    static func languagesToday(of kind: String) -> [String] {
        Nightly.value(languages(of: kind), byDay: ["swift"])
    }

    /// Whether a kind takes the session's media.
    static func isOutput(_ kind: String) -> Bool {
        ["output", "speaker", "receiver", "call", "composer"].contains(kind)
    }

    let kind: String
    let language: String
    let name: String
    /// The folder that contains it.
    private let parent: TemporaryFolder

    /// Its own folder.
    var folder: String { parent(name) }
    /// The folder of its session's recording.
    var recording: String { folder + "/recording" }

    init(_ kind: String, _ language: String, name: String = "my-first") throws {
        self.kind = kind
        self.language = language
        self.name = name
        parent = try TemporaryFolder()
        let run = try Self.begin([kind, name, "--language", language], in: parent.path)
        guard run.exit == .code(0) else { throw Failure("\(run)") }
    }

    /// Runs `greenroom new` in a folder.
    static func begin(
        _ arguments: [String], in folder: String, program: String = Checkout.greenroom,
        environment: [String: String?] = [:]
    ) throws -> Finished {
        try ChildProcess.run(
            "env", ["-C", folder, program, "new"] + arguments, environment: environment)
    }

    /// A file of its folder.
    func text(_ file: String) throws -> String {
        String(decoding: try readFile("\(folder)/\(file)"), as: UTF8.self)
    }

    /// Its files, without folders.
    func files() throws -> [String] { try Self.files(in: folder) }

    static func files(in folder: String) throws -> [String] {
        guard let all = FileManager.default.enumerator(atPath: folder) else {
            throw Failure("can't list \(folder)")
        }
        var isFolder: ObjCBool = false
        return all.compactMap { $0 as? String }.filter {
            FileManager.default.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// The name of the Swift type.
    var type: String {
        get throws {
            let file = try files().first { $0.hasPrefix("Sources/") } ?? ""
            return String(file.dropFirst("Sources/".count).dropLast(".swift".count))
        }
    }

    /// The library that the build produces, relative to its folder.
    var library: String {
        get throws { language == "swift" ? ".build/release/lib\(try type).so" : "\(name).so" }
    }

    /// A library that tests share.
    private final class Built: Sendable {
        let bytes = Mutex<Result<[UInt8], any Error>?>(nil)
    }

    /// The libraries of the ordinary name, by kind and language.
    private static let built = Dictionary(
        uniqueKeysWithValues: kinds.flatMap { kind in
            languages.map { ("\(kind) \($0)", Built()) }
        })

    /// Has it built, once for all tests that leave the name as it is.
    func build() throws {
        guard name == "my-first", let built = Self.built["\(kind) \(language)"] else {
            return try compile()
        }
        let path = "\(folder)/\(try library)"
        let bytes = try built.bytes.withLock { bytes in
            let result =
                bytes
                ?? Result {
                    try compile()
                    return try readFile(path)
                }
            bytes = result
            return try result.get()
        }
        let file = URL(filePath: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// Builds it: one in C or C++ as its README says, with warnings as errors; one in Swift as the
    /// package's own plugins are, into the place where its package would have it.
    private func compile() throws {
        switch language {
        case "c", "c++":
            let run = try ChildProcess.run(
                "sh", ["\(folder)/build.sh", "-Werror", "-Wconversion", "-Wshadow"])
            guard run.exit == .code(0), run.standardError.isEmpty else { throw Failure("\(run)") }
        default:
            try FileManager.default.createDirectory(
                atPath: folder + "/.build/release", withIntermediateDirectories: true)
            try TestPlugins.compileSwift(
                "\(folder)/Sources/\(try type).swift", module: try type,
                into: "\(folder)/\(try library)")
        }
    }

    /// Runs its session on the virtual clock.
    func run(_ settings: String..., duration: String = "2s") throws -> Finished {
        // In the matrix of the templates, so that what they draw is recorded as it is.
        let isFirst = !["output", "speaker", "receiver"].contains(kind)
        let record = "outputs[\(isFirst ? 0 : 1)].record"
        let set = ["\(record).overwrite=true", "\(record).matrix=bt601"] + settings
        return try Greenroom.start(
            ["run", "\(folder)/session.yaml", "--virtual-clock", "--duration", duration]
                + set.flatMap { ["--set", $0] }
        ).wait()
    }

    func report() throws -> Report { try Report(recording + "/session.json") }

    func picture(_ track: String) throws -> Y4MRecording {
        try Y4MRecording("\(recording)/\(track).y4m")
    }

    func sound(_ track: String) throws -> WAVRecording {
        try WAVRecording("\(recording)/\(track).wav")
    }
}
