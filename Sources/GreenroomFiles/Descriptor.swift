import Glibc
import GreenroomSystem
import SystemPackage

/// An open file with a unique owner. Closes it, and names it in errors.
struct Descriptor: ~Copyable, Sendable {
    /// The name in errors.
    let name: String
    /// Nil after it is closed.
    private var file: FileDescriptor?

    private init(_ file: FileDescriptor, name: String) {
        self.file = file
        self.name = name
    }

    deinit { try? file?.close() }

    /// Opens a regular file for reading.
    static func reading(_ path: String) throws(FileError) -> Descriptor {
        let file = try open(path) { () throws(Errno) in
            try .reading(path, options: .nonBlocking)
        }
        guard file.isRegular else {
            throw FileError(
                .cannotOpen, file: path, rule: "not a regular file",
                cure: "save the data to a file on disk first")
        }
        return file
    }

    /// Creates a file for writing, locked for as long as it is open. Links are not followed.
    ///
    /// - Parameter replaces: Whether the file may exist.
    static func creating(_ path: String, replaces: Bool) throws(FileError) -> Descriptor {
        do throws(FileError) {
            return Descriptor(try .output(path, replaces: replaces), name: path)
        } catch {
            guard let reason = error.underlyingError else { throw error }
            throw FileError(.cannotOpen, file: path, call: "open", reason)
        }
    }

    /// Duplicates a descriptor, so that the caller keeps its own.
    static func duplicating(_ number: Int32, name: String) throws(FileError) -> Descriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw FileError(.cannotOpen, file: name, call: "fcntl(F_DUPFD_CLOEXEC)", .last)
        }
        return Descriptor(FileDescriptor(rawValue: copy), name: name)
    }

    private static func open(
        _ path: String, _ body: () throws(Errno) -> FileDescriptor
    ) throws(FileError) -> Descriptor {
        do throws(Errno) {
            return Descriptor(try body(), name: path)
        } catch {
            throw FileError(.cannotOpen, file: path, call: "open", error)
        }
    }

    /// The open file; after it is closed, an invalid descriptor that fails every call.
    private var open: FileDescriptor { file ?? FileDescriptor(rawValue: -1) }

    /// Whether it is a file on disk, with offsets and a length that can be set.
    var isRegular: Bool { (try? open.stat())?.type == .regular }

    /// The length in bytes.
    func byteCount() throws(FileError) -> Int64 {
        try attempt(.cannotRead, "fstat") { try open.stat().size }
    }

    /// Closes the file and reports delayed write errors.
    consuming func close() throws(FileError) {
        let file = open
        // Linux releases the descriptor even if close fails, EINTR included.
        self.file = nil
        do throws(Errno) {
            try withErrno { try file.close() }
        } catch  where error == .interrupted {
        } catch {
            throw FileError(.cannotWrite, file: name, call: "close", error)
        }
    }

    /// Runs a call; its error names the call and the file.
    private func attempt<Value>(
        _ code: FileError.Code, _ call: String, at offset: Int64? = nil,
        _ body: () throws -> Value
    ) throws(FileError) -> Value {
        do throws(Errno) {
            return try withErrno(body)
        } catch {
            throw FileError(code, file: name, offset: offset, call: call, error)
        }
    }
}

// MARK: Reading

extension Descriptor {
    /// Reads at an offset until the memory is full or the file ends.
    ///
    /// - Returns: The number of bytes read; less than requested only at the end of the file.
    func read(
        into memory: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) -> Int {
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
    /// Appends all bytes of the buffers, normally in one system call.
    ///
    /// Continues after short writes and signals, and waits if a non-blocking pipe is full.
    ///
    /// - Parameter parts: The buffers; they are modified.
    func append(_ parts: UnsafeMutableBufferPointer<iovec>) throws(FileError) {
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
    ) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let place = offset + Int64(done)
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try written("pwrite", at: place) { () throws(Errno) in
                try withErrno { try open.write(toAbsoluteOffset: place, rest) }
            }
        }
    }

    /// Truncates the file, or extends it with a hole that reads as zeros.
    func setByteCount(_ count: Int64) throws(FileError) {
        try attempt(.cannotWrite, "ftruncate", at: count) { try open.resize(to: count) }
    }

    /// Sets the offset at which ``append(_:)`` continues.
    func seek(to offset: Int64) throws(FileError) {
        _ = try attempt(.cannotWrite, "lseek", at: offset) {
            try open.seek(offset: offset, from: .start)
        }
    }

    /// The number of bytes that a call wrote; 0 if it should be repeated.
    private func written(
        _ call: String, at offset: Int64? = nil, _ body: () throws(Errno) -> Int
    ) throws(FileError) -> Int {
        do throws(Errno) {
            return try body()
        } catch  where error == .interrupted {
        } catch  where error == .wouldBlock {
            var request = pollfd(fd: open.rawValue, events: Int16(POLLOUT), revents: 0)
            _ = poll(&request, 1, -1)
        } catch {
            throw FileError(.cannotWrite, file: name, offset: offset, call: call, error)
        }
        return 0
    }
}

// MARK: Errors

extension FileError {
    /// Makes an error from the system's error.
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
            underlyingError: error)
    }
}
