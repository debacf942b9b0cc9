import Glibc

/// The owner of an open file; it closes it.
struct Descriptor: ~Copyable, Sendable {
    /// What the file is called in errors.
    let name: String
    /// −1 once it is closed.
    private var number: Int32

    private init(number: Int32, name: String) {
        self.number = number
        self.name = name
    }

    deinit {
        if number >= 0 { _ = Glibc.close(number) }
    }

    /// Opens a regular file for reading.
    static func reading(_ path: String) throws(MediaFileError) -> Descriptor {
        let file = try open(path, flags: O_RDONLY | O_NONBLOCK)
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
        try open(path, name: name, flags: O_WRONLY | O_CREAT | O_TRUNC)
    }

    /// A second handle of an open file, so that the caller keeps its own.
    static func duplicating(_ number: Int32, name: String) throws(MediaFileError) -> Descriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw systemFailure(
                .cannotOpen, file: name, call: "fcntl(F_DUPFD_CLOEXEC)", error: errno)
        }
        return Descriptor(number: copy, name: name)
    }

    private static func open(
        _ path: String, name: String? = nil, flags: Int32
    ) throws(MediaFileError) -> Descriptor {
        while true {
            let number = Glibc.open(path, flags | O_CLOEXEC, 0o666)
            if number >= 0 { return Descriptor(number: number, name: name ?? path) }
            let error = errno
            if error == EINTR { continue }
            throw systemFailure(.cannotOpen, file: name ?? path, call: "open", error: error)
        }
    }

    /// Gives a file another name, in place of a file that may have it.
    static func rename(_ path: String, to other: String) throws(MediaFileError) {
        guard Glibc.rename(path, other) != 0 else { return }
        throw systemFailure(.cannotWrite, file: other, call: "rename", error: errno)
    }

    /// Whether it is a file on disk: it has offsets, and can be cut.
    var isRegular: Bool {
        var status = stat()
        return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The length in bytes.
    func byteCount() throws(MediaFileError) -> Int64 {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw failure(.cannotRead, call: "fstat") }
        return Int64(status.st_size)
    }

    /// Closes and reports what the system had kept back until now.
    consuming func close() throws(MediaFileError) {
        // Linux lets go of the descriptor even where close fails, EINTR included.
        let result = Glibc.close(number)
        number = -1
        if result != 0, errno != EINTR { throw failure(.cannotWrite, call: "close") }
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
            let count = pread(
                number, memory.baseAddress?.advanced(by: done), memory.count - done,
                off_t(offset + Int64(done)))
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw failure(.cannotRead, call: "pread", offset: offset + Int64(done))
            }
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
            var written = writev(number, rest.baseAddress, Int32(rest.count))
            if written < 0 {
                try recover(call: "writev", offset: nil)
                continue
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
            let count = pwrite(
                number, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(place))
            if count < 0 {
                try recover(call: "pwrite", offset: place)
            } else {
                done += count
            }
        }
    }

    /// Cuts the file, or lengthens it with a hole that reads as zeros.
    func setByteCount(_ count: Int64) throws(MediaFileError) {
        guard ftruncate(number, off_t(count)) == 0 else {
            throw failure(.cannotWrite, call: "ftruncate", offset: count)
        }
    }

    /// Moves the place where ``append(_:)`` goes on.
    func seek(to offset: Int64) throws(MediaFileError) {
        guard lseek(number, off_t(offset), SEEK_SET) >= 0 else {
            throw failure(.cannotWrite, call: "lseek", offset: offset)
        }
    }

    /// After a failed write: returns where it is worth another try.
    private func recover(call: String, offset: Int64?) throws(MediaFileError) {
        switch errno {
        case EINTR:
            return
        case EAGAIN:
            var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
            _ = poll(&request, 1, -1)
        default:
            throw failure(.cannotWrite, call: call, offset: offset)
        }
    }
}

// MARK: Errors

extension Descriptor {
    /// The error for the present `errno`.
    private func failure(
        _ code: MediaFileError.Code, call: String, offset: Int64? = nil
    ) -> MediaFileError {
        Self.systemFailure(code, file: name, call: call, offset: offset, error: errno)
    }

    private static func systemFailure(
        _ code: MediaFileError.Code, file: String, call: String, offset: Int64? = nil,
        error: Int32
    ) -> MediaFileError {
        let (code, cure): (MediaFileError.Code, String) =
            switch error {
            case EPIPE: (.readerGone, "keep the program that reads it running")
            case ENOSPC, EDQUOT: (.full, "free some space, or write to another disk")
            case EFBIG: (.full, "raise the file-size limit, or use another file system")
            case ENOENT: (code, "check the path; its folder must exist")
            case EACCES, EPERM, EROFS: (code, "check the permissions of the file and its folder")
            case EISDIR: (code, "name a file, not a folder")
            case EMFILE, ENFILE: (code, "raise the limit of open files (ulimit -n)")
            default: (code, "check the disk and the path")
            }
        return MediaFileError(
            code, file: file, offset: offset, rule: "\(call) failed: \(message(of: error))",
            cure: cure, systemError: error)
    }

    /// The system's text for an error. Any thread may ask: glibc keeps the texts in constants,
    /// and makes up the others in memory of the thread.
    private static func message(of error: Int32) -> String {
        strerror(error).map { String(cString: $0) } ?? "error \(error)"
    }
}
