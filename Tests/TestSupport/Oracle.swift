import Glibc

/// ffmpeg, as an independent reader and writer.
public enum Oracle {
    /// Whether ffmpeg is installed.
    public static let isPresent = access("/usr/bin/ffmpeg", X_OK) == 0

    /// Runs ffmpeg and returns its standard output.
    public static func ffmpeg(_ arguments: String...) throws -> [UInt8] { try ffmpeg(arguments) }

    /// Runs ffmpeg and returns its standard output.
    public static func ffmpeg(_ arguments: [String]) throws -> [UInt8] {
        try run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
    }

    /// Asks ffprobe for entries of the first stream. Returns one line, separated by spaces.
    public static func ffprobe(_ path: String, _ entries: String) throws -> String {
        let output = try run(
            "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "csv=p=0:s=\\ ", path])
        let line = output.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> [UInt8] {
        let finished = try ChildProcess.run(program, arguments)
        guard finished.exit == .code(0) else { throw Failure("\(finished)") }
        return finished.standardOutput
    }
}
