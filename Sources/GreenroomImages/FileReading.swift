import Glibc

/// The largest file that is read, in bytes: more than the largest picture has uncompressed.
private let longestFile = 300 << 20

/// The whole content of a regular file.
func readFile(_ path: String) throws(ImageError) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe would wait for its writer for ever.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw failure(errno, path: path) }
    defer { _ = close(file) }

    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(errno, path: path) }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
        break
    case S_IFDIR:
        throw ImageError(
            .notAPicture, path: path, rule: "this is a folder",
            cure: "name a PNG or JPEG picture in it")
    default:
        throw ImageError(
            .notAPicture, path: path, rule: "this is not a regular file",
            cure: "save the picture to a file on disk first")
    }
    guard status.st_size <= longestFile else {
        throw ImageError(
            .tooLarge, path: path,
            rule: "the file has \(status.st_size) bytes; at most \(longestFile) are read",
            cure: "save the picture smaller")
    }

    var error: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { memory, count in
        // A file that grows meanwhile is read up to the length it had.
        while count < memory.count {
            let got = read(file, memory.baseAddress.map { $0 + count }, memory.count - count)
            if got > 0 {
                count += got
            } else if got == 0 {
                break
            } else if errno != EINTR {
                error = errno
                break
            }
        }
    }
    guard error == 0 else { throw failure(error, path: path) }
    return bytes
}

private func failure(_ error: Int32, path: String) -> ImageError {
    let (rule, cure) =
        switch error {
        case ENOENT, ENOTDIR: ("there is no such file", "check the path")
        case EACCES, EPERM: ("reading it is not permitted", "check the file's permissions")
        case EMFILE, ENFILE: ("too many files are open", "raise the limit (ulimit -n)")
        default: ("reading failed with errno \(error)", "check the disk and the path")
        }
    return ImageError(.cannotRead, path: path, rule: rule, cure: cure)
}
