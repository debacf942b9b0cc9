import Glibc
import TestSupport
import Testing

func byteCount(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : -1
}

/// ffmpeg, the independent reader and writer.
enum Oracle {
    static let isPresent = access("/usr/bin/ffmpeg", X_OK) == 0

    /// Runs ffmpeg and returns its standard output.
    static func ffmpeg(_ arguments: String...) throws -> [UInt8] { try ffmpeg(arguments) }

    static func ffmpeg(_ arguments: [String]) throws -> [UInt8] {
        try run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
    }

    /// Asks ffprobe for entries of the first stream: one line, with spaces between them.
    static func ffprobe(_ path: String, _ entries: String) throws -> String {
        let output = try run(
            "ffprobe", ["-v", "error", "-show_entries", entries, "-of", "csv=p=0:s=\\ ", path])
        let line = output.prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> [UInt8] {
        let finished = try ChildProcess.run(program, arguments)
        try #require(finished.exit == .code(0), "\(finished)")
        return finished.standardOutput
    }
}
