internal import CLinux
import Glibc

/// A part of the system that every plugin may access.
package struct SystemPath: Sendable {
    /// A file, or a folder with everything below it.
    package var path: String
    package var access: PathGrant.Access = .read
    /// The reason that a plugin needs the access.
    package var reason: String

    /// The paths that every plugin may access.
    package static let always = [
        SystemPath(path: "/usr/lib", reason: "libraries and their data"),
        SystemPath(path: "/lib", reason: "libraries"),
        SystemPath(path: "/lib64", reason: "libraries and the dynamic loader"),
        SystemPath(path: "/usr/lib64", reason: "libraries on other distributions"),
        SystemPath(path: "/usr/local/lib", reason: "libraries that were built on this machine"),
        SystemPath(path: "/etc/ld.so.cache", reason: "where the loader finds libraries"),
        SystemPath(
            path: "/etc/ld.so.preload", reason: "libraries that the loader adds to every program"),
        SystemPath(path: "/usr/share", reason: "fonts, ALSA's configuration, time zones, locales"),
        SystemPath(path: "/usr/local/share", reason: "fonts that were installed by hand"),
        SystemPath(path: "/etc/alsa", reason: "ALSA's configuration"),
        SystemPath(path: "/etc/asound.conf", reason: "ALSA's configuration of this machine"),
        SystemPath(path: "/etc/fonts", reason: "fontconfig's configuration"),
        SystemPath(path: "/var/cache/fontconfig", reason: "fontconfig's cache"),
        SystemPath(path: "/etc/localtime", reason: "the time zone"),
        SystemPath(path: "/proc/self", reason: "its own memory and threads"),
        SystemPath(path: "/proc/cpuinfo", reason: "libraries select their fastest code"),
        SystemPath(path: "/proc/meminfo", reason: "libraries choose the size of their caches"),
        SystemPath(
            path: "/proc/sys/vm/overcommit_memory",
            reason: "the C library decides how to return memory"),
        SystemPath(
            path: "/proc/filesystems", reason: "libselinux, which FFmpeg's libraries load, reads it"
        ),
        SystemPath(path: "/sys/devices/system/cpu", reason: "the number of processors"),
        SystemPath(
            path: "/sys/devices/system/node",
            reason: "libnuma, which FFmpeg's libraries load, reads it"),
        SystemPath(path: "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", reason: quota),
        SystemPath(path: "/sys/fs/cgroup/cpu/cpu.cfs_period_us", reason: quota),
        SystemPath(path: "/sys/fs/cgroup/cpuset/cpuset.cpus", reason: quota),
        SystemPath(
            path: "/dev/full", access: .device, reason: "ALSA's null device records from it"),
        SystemPath(path: "/dev/null", access: .device, reason: "output to discard"),
        SystemPath(path: "/dev/zero", reason: "zeroed memory"),
        SystemPath(path: "/dev/urandom", reason: "random numbers"),
        SystemPath(path: "/dev/random", reason: "random numbers"),
    ]

    /// Files that libraries read at start but do not require: the user's name and home, and the
    /// folder for temporary files. The host does not log their refusal.
    static let looks: Set<String> = ["/etc/nsswitch.conf", "/etc/passwd", "/tmp", "/var/tmp"]

    private static let quota = "the processor time that Foundation may use"

    /// The paths that plugins with network access may access.
    package static let network = [
        SystemPath(path: "/etc/resolv.conf", reason: "name servers"),
        SystemPath(
            path: "/run/systemd/resolve", reason: "the target of resolv.conf where it is a link"),
        SystemPath(path: "/etc/nsswitch.conf", reason: "how names are looked up"),
        SystemPath(path: "/etc/hosts", reason: "local host names"),
        SystemPath(path: "/etc/host.conf", reason: "how names are looked up"),
        SystemPath(path: "/etc/gai.conf", reason: "the order of addresses of a name"),
        SystemPath(path: "/etc/services", reason: "names of ports"),
        SystemPath(path: "/etc/protocols", reason: "names of protocols"),
        SystemPath(path: "/etc/ssl", reason: "trusted certificates"),
    ]

    /// The folder of this process's Swift runtime; nil if the runtime is linked statically. Plugins
    /// may need more of its libraries than the runner.
    static let swiftRuntimeFolder: String? = {
        guard let name = greenroom_loaded_library("libswiftCore.so"),
            let path = realpath(name, nil)
        else { return nil }
        defer { free(path) }
        let file = String(cString: path)
        return file.lastIndex(of: "/").map { String(file[..<$0]) }
    }()
}
