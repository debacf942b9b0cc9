import Foundation
import Glibc
import SystemPackage

/// A folder that is removed with its owner, including its content.
public final class TemporaryFolder {
    /// The folder.
    public let path: String

    /// Makes an empty folder. Its name has a space, which every path must support.
    public init() throws {
        var name = Array("/tmp/greenroom test-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else {
            throw Failure("can't make a folder in /tmp: \(Errno(rawValue: errno))")
        }
        path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file or folder in it.
    public func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Writes a text file in it.
    ///
    /// - Returns: Its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        try write(name, Array(text.utf8))
    }

    /// Writes a file in it.
    ///
    /// - Returns: Its path.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = self(name)
        guard let stream = fopen(file, "w") else { throw Failure("can't write \(file)") }
        let written = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, written == bytes.count else {
            throw Failure("can't write \(file)")
        }
        return file
    }

    /// Writes a program in it, by another process: if this one wrote it, a process that another thread
    /// starts meanwhile would hold it open for writing, and then it could not be run.
    public func writeProgram(_ name: String, _ text: String) throws {
        let source = try write(name + ".source", text)
        let made = try ChildProcess.run("install", ["-m", "755", source, self(name)])
        guard made.exit == .code(0) else { throw Failure("\(made)") }
    }

    /// Whether it contains a file or folder.
    public func has(_ name: String) -> Bool { access(self(name), F_OK) == 0 }
}

/// The content of a file, including files in `/proc` with unknown size.
public func readFile(_ path: String) throws -> [UInt8] {
    let descriptor: FileDescriptor
    do {
        descriptor = try .open(path, .readOnly, options: .closeOnExec)
    } catch {
        throw Failure("can't open \(path): \(error)")
    }
    defer { try? descriptor.close() }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
        let count = try chunk.withUnsafeMutableBytes { try descriptor.read(into: $0) }
        if count == 0 { return content }
        content += chunk[..<count]
    }
}
