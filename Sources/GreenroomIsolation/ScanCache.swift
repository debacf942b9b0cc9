import Glibc
import GreenroomIPC
package import GreenroomPluginInterface

/// What libraries were found to be, in files that outlast the process: `<hash of the content>` of a
/// library has the finding, and `file-…`, named after what the kernel says of a file, has the hash, so
/// that a file that has not changed need not be read.
///
/// All of it may be lost at any time, and costs another look. A folder of the cache that somebody
/// else could have written to is not used, and a file in it that is not as it was written is not
/// believed. Any number of processes may use it at once: files appear whole, and with one name
/// always have the same content.
package struct ScanCache: Sendable {
    /// What a look into a library found.
    package typealias Finding = Result<LibraryDescription, LoadError>

    let folder: String

    /// - Parameter folder: Absolute. It is made when it is needed.
    package init(folder: String) { self.folder = folder }

    /// Where the environment wants caches to be; nil if it does not say.
    ///
    /// - Parameters:
    ///   - cacheHome: `XDG_CACHE_HOME`.
    ///   - home: `HOME`.
    package init?(cacheHome: String?, home: String?) {
        let isSaid = { (path: String?) in path?.hasPrefix("/") == true }
        if let cacheHome, isSaid(cacheHome) {
            self.init(folder: "\(cacheHome)/greenroom/plugins")
        } else if let home, isSaid(home) {
            self.init(folder: "\(home)/.cache/greenroom/plugins")
        } else {
            return nil
        }
    }

    // MARK: Findings

    /// What a library was found to be; nil if that is not known.
    ///
    /// - Parameters:
    ///   - hash: Of the library's content.
    ///   - path: Where it lies now.
    func finding(for hash: [UInt8], at path: String) -> Finding? {
        guard var reader = read(Self.name(of: hash)) else { return nil }
        do throws(WireReader.Problem) {
            guard try reader.readBool() else {
                var error = try reader.readLoadError()
                error.place = path
                return .failure(error)
            }
            return .success(try reader.readLibrary(at: path))
        } catch {
            return nil
        }
    }

    /// Keeps what a library was found to be.
    func keep(_ finding: Finding, for hash: [UInt8]) {
        var writer = WireWriter()
        switch finding {
        case .success(let library):
            writer.write(true)
            writer.write(library)
        case .failure(let error):
            writer.write(false)
            writer.write(error)
        }
        write(Self.name(of: hash), writer)
    }

    /// Another version of the host reads the same library differently.
    private static func name(of hash: [UInt8]) -> String {
        "\(hash.hexadecimal)-\(GreenroomVersion.current)-\(GreenroomProtocol.version)"
    }

    // MARK: Hashes

    /// The hash of a file that was read before, and has not changed.
    func hash(of file: LibraryFile.Identity) -> [UInt8]? {
        guard let hash = read(Self.name(of: file))?.remaining, hash.count == SHA256.byteCount
        else { return nil }
        return hash
    }

    /// Keeps the hash of a file's content.
    func keep(hash: [UInt8], of file: LibraryFile.Identity) {
        var writer = WireWriter()
        for byte in hash { writer.write(byte) }
        write(Self.name(of: file), writer)
    }

    private static func name(of file: LibraryFile.Identity) -> String {
        let numbers = [
            "\(file.device)", "\(file.inode)", "\(file.byteCount)", "\(file.modifiedNanoseconds)",
            "\(file.changedNanoseconds)",
        ]
        return "file-" + numbers.joined(separator: "-")
    }

    // MARK: Files

    // A file has its own name, what it is there for, and the hash of both.

    private func read(_ name: String) -> WireReader? {
        guard let folder = CacheFolder(folder), let bytes = folder.read(name),
            bytes.count > SHA256.byteCount
        else { return nil }
        let content = bytes.dropLast(SHA256.byteCount)
        guard SHA256.hash(of: content) == Array(bytes.suffix(SHA256.byteCount)) else { return nil }
        var reader = WireReader(Array(content))
        guard let own = try? reader.readString(), own == name else { return nil }
        return reader
    }

    private func write(_ name: String, _ payload: WireWriter) {
        guard CacheFolder.make(folder), let folder = CacheFolder(folder) else { return }
        var writer = WireWriter()
        writer.write(name)
        let content = writer.bytes + payload.bytes
        folder.write(name, content + SHA256.hash(of: content[...]))
    }
}
