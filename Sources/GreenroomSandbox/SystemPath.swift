import Glibc
import GreenroomSystem
import SystemPackage

/// A part of the system that plugins have without asking.
package struct SystemPath: Sendable {
    /// A file, or a folder with all that is below it.
    package var path: String
    /// What may be done.
    package var access: PathGrant.Access = .read
    /// Why a plugin needs it.
    package var reason: String

    /// What every plugin has.
    package static let always = [
        SystemPath(path: "/usr/lib", reason: "libraries and what belongs to them"),
        SystemPath(path: "/lib", reason: "libraries"),
        SystemPath(path: "/lib64", reason: "libraries, and the loader of programs"),
        SystemPath(path: "/usr/lib64", reason: "libraries, where they are not in /usr/lib"),
        SystemPath(path: "/usr/local/lib", reason: "libraries that were built on this machine"),
        SystemPath(path: "/etc/ld.so.cache", reason: "where the loader finds libraries"),
        SystemPath(path: "/etc/ld.so.preload", reason: "which libraries the loader adds to all"),
        SystemPath(path: "/usr/share", reason: "fonts, ALSA's configuration, time zones, locales"),
        SystemPath(path: "/usr/local/share", reason: "fonts that were installed by hand"),
        SystemPath(path: "/etc/alsa", reason: "ALSA's configuration"),
        SystemPath(path: "/etc/asound.conf", reason: "ALSA's configuration of this machine"),
        SystemPath(path: "/etc/fonts", reason: "fontconfig's configuration"),
        SystemPath(path: "/var/cache/fontconfig", reason: "fontconfig's list of the fonts"),
        SystemPath(path: "/etc/localtime", reason: "the time zone"),
        SystemPath(path: "/proc/self", reason: "a process looks at its own memory and threads"),
        SystemPath(path: "/proc/cpuinfo", reason: "libraries choose their fastest code by it"),
        SystemPath(path: "/proc/meminfo", reason: "libraries size their caches by it"),
        SystemPath(
            path: "/proc/sys/vm/overcommit_memory",
            reason: "the C library asks how to give memory back"),
        SystemPath(path: "/sys/devices/system/cpu", reason: "the number of processors"),
        SystemPath(path: "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", reason: quota),
        SystemPath(path: "/sys/fs/cgroup/cpu/cpu.cfs_period_us", reason: quota),
        SystemPath(path: "/sys/fs/cgroup/cpuset/cpuset.cpus", reason: quota),
        SystemPath(path: "/dev/full", access: .device, reason: "ALSA's null device records it"),
        SystemPath(path: "/dev/null", access: .device, reason: "a place for what nobody reads"),
        SystemPath(path: "/dev/zero", reason: "zeroed memory"),
        SystemPath(path: "/dev/urandom", reason: "random numbers"),
        SystemPath(path: "/dev/random", reason: "random numbers"),
    ]

    private static let quota = "how much of the processors Foundation may count on"

    /// What a plugin has that may use the network.
    package static let network = [
        SystemPath(path: "/etc/resolv.conf", reason: "which servers know names"),
        SystemPath(path: "/run/systemd/resolve", reason: "where resolv.conf may link to"),
        SystemPath(path: "/etc/nsswitch.conf", reason: "how names are looked up"),
        SystemPath(path: "/etc/hosts", reason: "names of this machine's neighbours"),
        SystemPath(path: "/etc/host.conf", reason: "how names are looked up"),
        SystemPath(path: "/etc/gai.conf", reason: "which address of a name is taken first"),
        SystemPath(path: "/etc/services", reason: "names of ports"),
        SystemPath(path: "/etc/protocols", reason: "names of protocols"),
        SystemPath(path: "/etc/ssl", reason: "whom to trust"),
    ]

    /// The folder of Swift's runtime as this process has loaded it, for the libraries of it that
    /// a plugin needs and the runner does not; nil where the runtime is linked in.
    static let swiftRuntimeFolder: String? = {
        let library = "/libswiftCore.so"
        // address, rights, offset, device, file number, path
        let memory = String(
            decoding: (try? FileDescriptor.contents(of: "/proc/self/maps")) ?? [], as: UTF8.self)
        for mapping in memory.split(separator: "\n") where mapping.hasSuffix(library) {
            guard let start = mapping.firstIndex(of: "/") else { continue }
            return String(mapping[start...].dropLast(library.count))
        }
        return nil
    }()
}
