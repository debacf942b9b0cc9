internal import Glibc

/// The process that has a device open.
package struct DeviceUser: Equatable, Sendable {
    package var process: Int32
    package var name: String

    package init(process: Int32, name: String) { (self.process, self.name) = (process, name) }

    /// Looks for processes that have a device open. Only root sees the processes of other users.
    ///
    /// - Parameter path: The device.
    package static func all(of path: String) -> [DeviceUser] {
        var device = stat()
        guard stat(path, &device) == 0, let processes = opendir("/proc") else { return [] }
        defer { closedir(processes) }
        var users: [DeviceUser] = []
        while let entry = readdir(processes) {
            guard let process = Int32(name(of: entry)) else { continue }
            if has(process, device) {
                users.append(DeviceUser(process: process, name: name(of: process)))
            }
        }
        return users
    }

    private static func has(_ process: Int32, _ device: stat) -> Bool {
        guard let files = opendir("/proc/\(process)/fd") else { return false }
        defer { closedir(files) }
        while let entry = readdir(files) {
            var file = stat()
            guard stat("/proc/\(process)/fd/\(name(of: entry))", &file) == 0 else { continue }
            let isSame =
                device.st_mode & S_IFMT == S_IFCHR
                ? file.st_mode & S_IFMT == S_IFCHR && file.st_rdev == device.st_rdev
                : file.st_dev == device.st_dev && file.st_ino == device.st_ino
            if isSame { return true }
        }
        return false
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafeBytes(of: entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func name(of process: Int32) -> String {
        guard let file = fopen("/proc/\(process)/comm", "r") else { return "a program" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, Int32(line.count), file) != nil else { return "a program" }
        return String(
            decoding: line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self)
    }

    /// The reason why a device is busy, and the fix.
    ///
    /// - Parameters:
    ///   - users: The processes that have it open.
    ///   - own: This process.
    package static func text(_ users: [DeviceUser], own: Int32) -> String {
        let others = users.filter { $0.process != own }
        if let other = others.first {
            return
                "in use by \(other.name) (process \(other.process)); end it, or name another camera"
        }
        return users.isEmpty
            ? "in use by a program of another user; end it, or name another camera"
            : "in use by another plugin of this session; only one can capture from it: use its track for all outputs"
    }

    static func text(of path: String) -> String { text(all(of: path), own: getpid()) }
}
