import GreenroomSystem
import SystemPackage

/// Limit of file lengths, in bytes: more than the uncompressed size of the largest image.
let longestFile = 300 << 20

/// Returns the content of a regular file.
///
/// - Parameter limit: Limit of bytes to read.
func readFile(_ path: String, limit: Int = longestFile) throws(FileError) -> [UInt8] {
    let file: FileDescriptor
    do throws(Errno) {
        // Without O_NONBLOCK, opening a pipe would wait for the pipe's writer without limit.
        file = try .reading(path, options: .nonBlocking)
    } catch {
        throw failure(error, path: path)
    }
    defer { try? file.close() }
    let result: Result<Stat, Errno> = Result { () throws(Errno) in try file.stat() }
    let status = try result.mapError { failure($0, path: path) }.get()
    try check(status, path: path)
    do throws(Errno) {
        return try file.readToEnd(limit: limit, expected: Int(status.size))
    } catch {
        throw failure(error, path: path)
    }
}

/// Throws an error if a file cannot hold an image.
private func check(_ status: Stat, path: String) throws(FileError) {
    switch status.type {
    case .regular:
        break
    case .directory:
        throw FileError(
            .wrongFormat, file: path, rule: "the path is a folder",
            cure: "name a PNG or JPEG image in it")
    default:
        throw FileError(
            .wrongFormat, file: path, rule: "not a regular file",
            cure: "save the image to a file on disk first")
    }
    guard status.size <= longestFile else {
        throw FileError(
            .tooLarge, file: path,
            rule: "the file has \(status.size) bytes; at most \(longestFile) are read",
            cure: "save the image smaller")
    }
}

private func failure(_ error: Errno, path: String) -> FileError {
    let (rule, cure) =
        switch error {
        case .noSuchFileOrDirectory, .notDirectory: ("no such file", "check the path")
        case .permissionDenied, .notPermitted:
            ("reading it is not permitted", "check the file's permissions")
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            ("too many files are open", "raise the limit (ulimit -n)")
        default: ("reading failed: \(error)", "check the disk and the path")
        }
    return FileError(.cannotRead, file: path, rule: rule, cure: cure, underlyingError: error)
}
