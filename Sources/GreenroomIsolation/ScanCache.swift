import Glibc
import GreenroomIPC
package import GreenroomPluginInterface
import GreenroomSystem

/// A cache of scan results in files, each named after the identity of the library's file.
///
/// Files may disappear at any time; the host then scans the library again. The cache ignores a
/// folder that another user can write to, and files without a valid checksum. Any number of
/// processes may use the cache: files appear atomically.
package struct ScanCache: Sendable {
    package typealias ScanResult = Result<LibraryDescription, LoadError>

    let folder: String

    /// - Parameter folder: The absolute path of the cache's folder. Storing the first file creates
    ///   the folder.
    package init(folder: String) { self.folder = folder }

    /// Creates a cache in the folder that the environment names; nil if none.
    ///
    /// - Parameters:
    ///   - cacheHome: The value of `XDG_CACHE_HOME`.
    ///   - home: The value of `HOME`.
    package init?(cacheHome: String?, home: String?) {
        let isAbsolute = { (path: String?) in path?.hasPrefix("/") == true }
        if let cacheHome, isAbsolute(cacheHome) {
            self.init(folder: "\(cacheHome)/greenroom/plugins")
        } else if let home, isAbsolute(home) {
            self.init(folder: "\(home)/.cache/greenroom/plugins")
        } else {
            return nil
        }
    }

    // MARK: Results

    /// The result for a library; nil if none is stored.
    ///
    /// - Parameters:
    ///   - file: The identity of the library.
    ///   - path: The path of the library, for the result.
    func result(for file: LibraryFile.Identity, at path: String) -> ScanResult? {
        guard var reader = read(Self.name(of: file)) else { return nil }
        do throws(WireError) {
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

    /// Stores the result for a library.
    func store(_ result: ScanResult, for file: LibraryFile.Identity) {
        var writer = WireWriter()
        switch result {
        case .success(let library):
            writer.write(true)
            writer.write(library)
        case .failure(let error):
            writer.write(false)
            writer.write(error)
        }
        write(Self.name(of: file), writer)
    }

    /// The name of a result's file. The name contains the host's version, because another version
    /// may read the same library differently.
    private static func name(of file: LibraryFile.Identity) -> String {
        let numbers = [
            "\(file.device)", "\(file.inode)", "\(file.byteCount)", "\(file.modifiedNanoseconds)",
            "\(file.changedNanoseconds)",
        ]
        return numbers.joined(separator: "-")
            + "-\(GreenroomVersion.current)-\(GreenroomProtocol.version)"
    }

    // MARK: Files

    // A file contains its own name, the payload, and the hash of both.

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
