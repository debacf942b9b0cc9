import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// A memory file, identified by the kernel's numbers.
struct MemoryFile: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// - Returns: The file; nil if the descriptor is not open.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    private init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }

    /// The given memory files that a process still has mapped or open, according to the kernel.
    ///
    /// - Returns: The held files; all files if `/proc` is unreadable, because a process can hide
    ///   its files.
    static func held(_ files: Set<MemoryFile>, by process: pid_t) -> Set<MemoryFile> {
        let maps: [UInt8]
        do throws(Errno) {
            maps = try FileDescriptor.contents(of: "/proc/\(process)/maps")
        } catch {
            return error == .noSuchFileOrDirectory || error == .noSuchProcess ? [] : files
        }
        // `/proc` shows nothing for a process whose main thread has exited.
        guard !maps.isEmpty else { return files }
        var mapped: Set<ino_t> = []
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            // The columns are range, rights, offset, device, inode and name.
            let words = line.split(separator: " ", maxSplits: 5)
            guard words.count == 6, words[5].drop(while: { $0 == " " }).hasPrefix("/memfd:"),
                let inode = ino_t(words[4])
            else { continue }
            mapped.insert(inode)
        }
        let folder = "/proc/\(process)/fd"
        let names: [String]
        do throws(Errno) {
            names = try FileDescriptor.names(in: folder)
        } catch {
            return error == .noSuchFileOrDirectory ? [] : files
        }
        let open = Set(names.compactMap { MemoryFile(at: "\(folder)/\($0)") })
        return files.filter { open.contains($0) || mapped.contains($0.inode) }
    }
}
