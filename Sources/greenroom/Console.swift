import Glibc
import GreenroomMedia
import GreenroomSystem
import Synchronization
import SystemPackage

/// Writes a command's text to standard output and standard error. No other code does, except
/// ``EventPrinter`` and ``PreviewScreen`` for the events of sessions and previews.
///
/// A text may contain words of files, plugins, peers and paths. The console removes control
/// characters before they reach a terminal.
enum Console {
    enum Stream {
        case output
        case errors
    }

    /// Writes a line.
    static func write(_ line: String, to stream: Stream = .output) {
        write(finished: line.printable, to: stream)
    }

    /// Writes lines.
    static func write(_ lines: [String], to stream: Stream = .output) {
        for line in lines { write(line, to: stream) }
    }

    /// Writes JSON.
    static func write(json: String) { write(finished: json.printableJSON, to: .output) }

    /// Writes all buffered text.
    ///
    /// - Returns: The first error of a write.
    @discardableResult
    static func flush() -> Errno? {
        let isWritten = fflush(nil) == 0
        let error = Errno.last
        return failure.withLock { $0 } ?? (isWritten ? nil : error)
    }

    /// The first error of a line.
    private static let failure = Mutex<Errno?>(nil)

    private static func write(finished line: String, to stream: Stream) {
        switch stream {
        case .output:
            // Do not use print(): plugins in this process print to descriptor 1.
            guard let standardOutput, fputs("\(line)\n", standardOutput) < 0 else { return }
            let error = Errno.last
            failure.withLock { $0 = $0 ?? error }
        case .errors:
            guard let standardError else { return }
            // Keep the order, even if both streams are the same pipe.
            fflush(nil)
            fputs("\(line)\n", standardError)
            fflush(standardError)
        }
    }
}

extension String {
    /// The lines of a text. The caller has made foreign parts ``printable``.
    var lines: [String] {
        var lines = split(separator: "\n" as Character, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map(String.init)
    }
}

/// The reserved standard output as a C stream. Safe: written once, after ``StandardOutput/reserve()`` and
/// before any other thread reads it, and C locks the stream.
nonisolated(unsafe) private let standardOutput = fdopen(StandardOutput.descriptor.rawValue, "w")

/// Standard error as a C stream; Swift does not import the variable. Safe: written once before any
/// thread reads it, and C locks the stream.
nonisolated(unsafe) private let standardError = fdopen(STDERR_FILENO, "w")
