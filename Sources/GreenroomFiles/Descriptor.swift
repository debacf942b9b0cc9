import Glibc
import GreenroomSystem
import SystemPackage

/// The owner of an open file: closes it, and names it in errors.
struct Descriptor: ~Copyable, Sendable {
    /// What the file is called in errors.
    let name: String
    /// nil once it is closed.
    private var file: FileDescriptor?

    private init(_ file: FileDescriptor, name: String) {
        self.file = file
        self.name = name
    }

    deinit { try? file?.close() }

    /// Opens a regular file for reading.
    static func reading(_ path: String) throws(MediaFileError) -> Descriptor {
        let file = try open(name: path) { () throws(Errno) in
            try .reading(path, options: .nonBlocking)
        }
        guard file.isRegular else {
            throw MediaFileError(
                .cannotOpen, file: path, rule: "this is not a regular file",
                cure: "save the data to a file on disk first")
        }
        return file
    }

    /// Makes a file for writing, or empties the one that is there.
    ///
    /// - Parameter name: What errors call it; nil for its path.
    static func creating(
        _ path: String, name: String? = nil
    ) throws(MediaFileError) -> Descriptor {
        try open(name: name ?? path) { () throws(Errno) in try .creating(path) }
    }

    /// A second handle of an open file, so that the caller keeps its own.
    static func duplicating(_ number: Int32, name: String) throws(MediaFileError) -> Descriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw MediaFileError(.cannotOpen, file: name, call: "fcntl(F_DUPFD_CLOEXEC)", .last)
        }
        return Descriptor(FileDescriptor(rawValue: copy), name: name)
    }

    private static func open(
        name: String, _ body: () throws(Errno) -> FileDescriptor
    ) throws(MediaFileError) -> Descriptor {
        do throws(Errno) {
            return Descriptor(try body(), name: name)
        } catch {
            throw MediaFileError(.cannotOpen, file: name, call: "open", error)
        }
    }

    /// Gives a file another name, in place of a file that may have it.
    static func rename(_ path: String, to other: String) throws(MediaFileError) {
        guard Glibc.rename(path, other) != 0 else { return }
        throw MediaFileError(.cannotWrite, file: other, call: "rename", .last)
    }

    /// The open file; a closed one fails every call.
    private var open: FileDescriptor { file ?? FileDescriptor(rawValue: -1) }

    /// Whether it is a file on disk: it has offsets, and can be cut.
    var isRegular: Bool { (try? open.stat())?.type == .regular }

    /// The length in bytes.
    func byteCount() throws(MediaFileError) -> Int64 {
        try attempt(.cannotRead, "fstat") { try open.stat().size }
    }

    /// Closes and reports what the system had kept back until now.
    consuming func close() throws(MediaFileError) {
        let file = open
        // Linux lets go of the descriptor even where close fails, EINTR included.
        self.file = nil
        do throws(Errno) {
            try withErrno { try file.close() }
        } catch  where error == .interrupted {
        } catch {
            throw MediaFileError(.cannotWrite, file: name, call: "close", error)
        }
    }

    /// Runs a call, and says of its error which call it was and where.
    private func attempt<Value>(
        _ code: MediaFileError.Code, _ call: String, at offset: Int64? = nil,
        _ body: () throws -> Value
    ) throws(MediaFileError) -> Value {
        do throws(Errno) {
            return try withErrno(body)
        } catch {
            throw MediaFileError(code, file: name, offset: offset, call: call, error)
        }
    }
}

// MARK: Reading

extension Descriptor {
    /// Reads at an offset until the memory is full or the file ends.
    ///
    /// - Returns: The bytes read; fewer than asked for only at the end of the file.
    func read(
        into memory: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(MediaFileError) -> Int {
        var done = 0
        while done < memory.count {
            let place = offset + Int64(done)
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[done...])
            let count = try attempt(.cannotRead, "pread", at: place) {
                try open.read(fromAbsoluteOffset: place, into: rest)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }
}

// MARK: Writing

extension Descriptor {
    /// Appends buffers, one after the other, whole: at best in one system call.
    ///
    /// Goes on after short writes and signals, and waits where a non-blocking pipe is full.
    ///
    /// - Parameter parts: The buffers; used up.
    func append(_ parts: UnsafeMutableBufferPointer<iovec>) throws(MediaFileError) {
        var first = 0
        while first < parts.count {
            if parts[first].iov_len == 0 {
                first += 1
                continue
            }
            let rest = UnsafeMutableBufferPointer(rebasing: parts[first...])
            var written = try written("writev") { () throws(Errno) in
                let count = writev(open.rawValue, rest.baseAddress, Int32(rest.count))
                guard count >= 0 else { throw .last }
                return count
            }
            while written > 0 {
                let step = min(written, parts[first].iov_len)
                parts[first].iov_base = parts[first].iov_base?.advanced(by: step)
                parts[first].iov_len -= step
                written -= step
                if parts[first].iov_len == 0 { first += 1 }
            }
        }
    }

    /// Writes all the bytes at an offset.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64
    ) throws(MediaFileError) {
        var done = 0
        while done < bytes.count {
            let place = offset + Int64(done)
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try written("pwrite", at: place) { () throws(Errno) in
                try withErrno { try open.write(toAbsoluteOffset: place, rest) }
            }
        }
    }

    /// Cuts the file, or lengthens it with a hole that reads as zeros.
    func setByteCount(_ count: Int64) throws(MediaFileError) {
        try attempt(.cannotWrite, "ftruncate", at: count) { try open.resize(to: count) }
    }

    /// Moves the place where ``append(_:)`` goes on.
    func seek(to offset: Int64) throws(MediaFileError) {
        _ = try attempt(.cannotWrite, "lseek", at: offset) {
            try open.seek(offset: offset, from: .start)
        }
    }

    /// The bytes that a call wrote; 0 where it is worth another try.
    private func written(
        _ call: String, at offset: Int64? = nil, _ body: () throws(Errno) -> Int
    ) throws(MediaFileError) -> Int {
        do throws(Errno) {
            return try body()
        } catch  where error == .interrupted {
        } catch  where error == .wouldBlock {
            var request = pollfd(fd: open.rawValue, events: Int16(POLLOUT), revents: 0)
            _ = poll(&request, 1, -1)
        } catch {
            throw MediaFileError(.cannotWrite, file: name, offset: offset, call: call, error)
        }
        return 0
    }
}

// MARK: Errors

extension MediaFileError {
    /// An error of the system.
    fileprivate init(
        _ code: Code, file: String, offset: Int64? = nil, call: String, _ error: Errno
    ) {
        let (code, cure): (Code, String) =
            switch error {
            case .brokenPipe: (.readerGone, "keep the program that reads it running")
            case .noSpace, .diskQuotaExceeded:
                (.full, "free some space, or write to another disk")
            case .fileTooLarge: (.full, "raise the file-size limit, or use another file system")
            case .noSuchFileOrDirectory: (code, "check the path; its folder must exist")
            case .permissionDenied, .notPermitted, .readOnlyFileSystem:
                (code, "check the permissions of the file and its folder")
            case .isDirectory: (code, "name a file, not a folder")
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                (code, "raise the limit of open files (ulimit -n)")
            default: (code, "check the disk and the path")
            }
        self.init(
            code, file: file, offset: offset, rule: "\(call) failed: \(error)", cure: cure,
            systemError: error.rawValue)
    }
}
