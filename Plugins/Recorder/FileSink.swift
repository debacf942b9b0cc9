import Glibc
import SystemPackage

/// The file of FFmpeg's muxer. It stores the cause of a failed write, and can be truncated to its
/// last complete state.
final class FileSink {
    private let path: String
    private let descriptor: Int32
    private var position: Int64 = 0
    /// The bytes in the file.
    private(set) var size: Int64 = 0
    /// The error of the first write that failed.
    private(set) var failure: Errno?

    /// Creates a file, and locks it against other recordings for as long as it is open. A link is not
    /// followed, and what is no file is refused.
    ///
    /// - Parameter replaces: Whether the file may exist.
    init(path: String, replaces: Bool) throws(RecordingError) {
        self.path = path
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        descriptor = open(path, replaces ? flags : flags | O_EXCL, 0o600)
        guard descriptor >= 0 else {
            throw RecordingError(path: path, underlyingError: Errno(rawValue: errno))
        }
        var about = stat()
        var number: Int32 = 0
        if fstat(descriptor, &about) != 0 {
            number = errno
        } else if about.st_mode & S_IFMT != S_IFREG {
            number = EINVAL
        } else if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            // Check the lock before the file is truncated. Some file systems have no locks.
            number = EWOULDBLOCK
        } else if about.st_size > 0, ftruncate(descriptor, 0) != 0 {
            number = errno
        }
        guard number == 0 else {
            Glibc.close(descriptor)
            throw RecordingError(path: path, underlyingError: Errno(rawValue: number))
        }
    }

    deinit { Glibc.close(descriptor) }

    /// Writes all bytes.
    ///
    /// - Returns: Whether it succeeded. After a failure nothing is written any more.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard failure == nil else { return false }
        var rest = bytes
        while !rest.isEmpty {
            do {
                let count = try FileDescriptor(rawValue: descriptor).write(
                    toAbsoluteOffset: position, rest)
                guard count > 0 else { throw Errno.ioError }
                position += Int64(count)
                size = max(size, position)
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } catch {
                failure = error as? Errno ?? .ioError
                return false
            }
        }
        return true
    }

    /// Moves to a position.
    ///
    /// - Returns: The position; -1 if there is none.
    func seek(_ offset: Int64, from whence: Int32) -> Int64 {
        let base: Int64
        switch whence {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END: base = size
        default: return -1
        }
        let (target, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return -1 }
        position = target
        return target
    }

    /// Removes the file.
    func remove() { unlink(path) }

    /// Drops what is behind a position.
    func cut(to length: Int64) {
        // If this fails, the file ends in a piece that players skip.
        if ftruncate(descriptor, off_t(length)) == 0 { size = length }
    }
}

/// A file that can't be made or written.
struct RecordingError: Error, CustomStringConvertible {
    var path: String
    var underlyingError: Errno
    /// Whether nothing is in the file, which is removed.
    var isEmpty = false

    /// Whether there is no room for more, which is an ordinary end of a recording.
    var isFull: Bool { [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(underlyingError) }

    var description: String {
        return switch underlyingError {
        case .fileExists:
            "\(path): already exists. Name another file, remove it, or set overwrite: true."
        case .wouldBlock:
            "\(path): another recording writes to this file. Name another file, or stop that "
                + "recording."
        case .tooManySymbolicLinkLevels:
            "\(path): is a link, and links are not followed. Name the file itself."
        case .invalidArgument, .noSuchAddressOrDevice, .isDirectory:
            "\(path): not a regular file. Name another file, or remove it."
        case _ where isFull && isEmpty:
            "\(path): no room for it: \(underlyingError). No file was made. Free space, or record to "
                + "another disk."
        case _ where isFull:
            "\(path): no room for more: \(underlyingError). The file ends here, and is playable. Free "
                + "space, or record to another disk."
        default:
            "\(path): cannot be written: \(underlyingError). Record to a folder that is writable."
        }
    }
}
