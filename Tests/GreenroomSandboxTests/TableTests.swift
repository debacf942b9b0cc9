import CSeccomp
import Glibc
import GreenroomSystem
import Testing

@testable import GreenroomSandbox

/// The tables and the arithmetic of the sandbox.
@Suite struct TableTests {
    private let allowed =
        SystemCallGroup.allowed(process: 4711, allowsNetwork: true)
        + SystemCallGroup.asked(allowsNetwork: true, landlock: false)

    @Test func `every call in the tables exists in Linux`() {
        let calls =
            allowed.flatMap(\.calls) + SystemCallGroup.missing(allowsNetwork: true).map(\.call)
            + SystemCallGroup.refused.flatMap(\.calls)
        for name in calls.map(\.name) + PathCall.byName.keys {
            #expect(seccomp_syscall_resolve_name(name) != -1, "\(name)")
        }
    }

    @Test func `calls that affect other processes are never allowed unconditionally`() {
        let outright = Set(
            allowed.flatMap(\.calls).filter(\.conditions.isEmpty).map(\.name))
        let dangerous: Set = [
            "fork", "vfork", "clone", "clone3", "execve", "execveat", "ptrace", "kill", "tkill",
            "tgkill", "pidfd_send_signal", "pidfd_getfd", "process_vm_readv",
            "process_vm_writev", "prctl", "prlimit64", "setrlimit", "socket", "socketpair",
            "open", "openat", "openat2", "creat", "truncate", "chmod", "fchmod", "fchmodat",
            "chown", "fchown", "fchownat", "rename", "renameat2", "unlink", "unlinkat", "link",
            "linkat", "symlink", "symlinkat", "mknod", "mknodat", "mount", "umount2", "chroot",
            "pivot_root", "unshare", "setns", "io_uring_setup", "bpf", "userfaultfd", "keyctl",
            "add_key", "perf_event_open", "memfd_create", "shmget", "open_by_handle_at",
            "name_to_handle_at", "setuid", "capset", "seccomp", "init_module", "kexec_load",
            "reboot", "syslog", "quotactl", "acct", "swapon", "setxattr", "utimensat",
        ]
        #expect(outright.isDisjoint(with: dangerous))
        for name in dangerous { #expect(seccomp_syscall_resolve_name(name) != -1, "\(name)") }
    }

    @Test func `memory files need the grant of PipeWire`() {
        func names(_ makesMemory: Bool) -> [String] {
            SystemCallGroup.allowed(
                process: 4711, allowsNetwork: true, makesMemory: makesMemory
            ).flatMap(\.calls).map(\.name)
        }
        #expect(!names(false).contains("memfd_create"))
        #expect(names(true).contains("memfd_create"))
    }

    @Test func `network calls need the network grant`() {
        let names = SystemCallGroup.allowed(process: 4711, allowsNetwork: false)
            .flatMap(\.calls).map(\.name)
        #expect(Set(names).isDisjoint(with: ["socket", "connect", "listen", "accept4"]))
        for landlock in [true, false] {
            let groups = SystemCallGroup.asked(allowsNetwork: false, landlock: landlock)
            #expect(!groups.flatMap(\.calls).map(\.name).contains("bind"))
            #expect(SystemCallGroup.unasked(allowsNetwork: false, landlock: landlock).isEmpty)
        }
    }

    @Test(arguments: [
        (1, 0x1fff), (2, 0x3fff), (3, 0x7fff), (4, 0x7fff), (5, 0xffff), (6, 0xffff),
        (7, 0xffff), (99, 0xffff),
    ])
    func `only rights known to the version of Landlock are used`(version: Int, rights: UInt64) {
        #expect(LandlockRights.known(version: version).rawValue == rights)
    }

    @Test(arguments: [
        (3, false, 0, 0), (4, false, 3, 0), (4, true, 0, 0), (5, false, 3, 0), (6, false, 3, 3),
        (6, true, 0, 3),
    ])
    func `only scopes known to the version of Landlock are used`(
        version: Int, network: Bool, ports: UInt64, scopes: UInt64
    ) {
        let restricted = LandlockScopes(version: version, allowsNetwork: network)
        #expect(restricted.ports == ports)
        #expect(restricted.scopes == scopes)
    }

    @Test func `no grant allows executing programs or making links and devices`() {
        for access in [PathGrant.Access.read, .write, .device] {
            #expect(
                LandlockRights(access).isDisjoint(with: [
                    .execute, .makeLink, .makeSocket, .makePipe, .makeCharacterDevice,
                    .makeBlockDevice,
                ]))
        }
        #expect(
            LandlockRights(.read).isDisjoint(with: [.writeFile, .truncate, .controlDevice]))
    }

    @Test func `the memory backstop is computed without overflow for any limit`() {
        let few = ResourceLimits.dataBytes(memoryLimit: 50_000_000, mapped: 7)
        #expect(few == 100_000_007 + (1 << 30))
        #expect(ResourceLimits.dataBytes(memoryLimit: .max, mapped: 0) == .max)
        #expect(ResourceLimits.dataBytes(memoryLimit: .max / 2, mapped: .max) == .max)
    }

    @Test func `a grant covers paths below it, not paths with the same prefix`() {
        let policy = SandboxPolicy(readPaths: ["/etc/ssl"], writePaths: ["/tmp"])
        let granted = GrantedPaths(policy, process: 4711)
        #expect(granted.cover("/etc/ssl", for: .read))
        #expect(granted.cover("/etc/ssl/certs/x", for: .read))
        #expect(!granted.cover("/etc/ssl/certs/x", for: .write))
        #expect(!granted.cover("/etc/ssl2", for: .read))
        #expect(!granted.cover("/etc", for: .read))
        #expect(granted.cover("/tmp/x", for: .read))
        #expect(granted.cover("/tmp/x", for: .write))
        #expect(!granted.cover("/dev/video0", for: .device))
        #expect(granted.cover("/dev/null", for: .write))
    }

    @Test func `a path is resolved through its real folder`() {
        #expect(resolvingFolder("/proc/self/../new")?.path == "/proc/new")
        #expect(resolvingFolder("/tmp//new//")?.path == "/tmp/new")
        #expect(resolvingFolder("/new")?.folder == "/")
        #expect(resolvingFolder("/none/new") == nil)
        #expect(resolvingFolder("/tmp/..") == nil)
        #expect(resolvingFolder("/") == nil)
        #expect(resolvingFolder("") == nil)
    }

    @Test(arguments: [
        "/home/ana/.ssh/id_ed25519", "/home/ana/.ssh", "/etc/shadow", "/proc/1/mem",
        "/home/ana/.local/share/keyrings/login.keyring", "/dev/mem", "/root/.netrc",
        "/home/ana/.config/gh/hosts.yml", "/home/ana/.config/google-chrome/Default/Cookies",
        "/root/.cargo/credentials.toml", "/home/ana/project/.env", "/run/user/1000/bus",
    ])
    func `no grant is advised for private files`(path: String) {
        for access in [PathGrant.Access.read, .write, .device] {
            let text = SandboxRefusal.file("read", path, grant: access, for: path).text
            #expect(text.hasPrefix("denied: read \(path); "), "\(text)")
            #expect(!text.contains("allow"), "\(text)")
            #expect(text.contains("a trustworthy plugin does not"), "\(text)")
        }
    }

    @Test(arguments: ["/", "/etc", "/usr/lib", "/sys/kernel"])
    func `no grant is advised for writing to the system`(folder: String) {
        let text = SandboxRefusal.file("make", folder + "/x", grant: .write, for: folder).text
        #expect(!text.contains("[\(folder)]"), "\(text)")
    }

    @Test(arguments: [
        ".bashrc", ".config/autostart/x.desktop", ".config/systemd/user/x.service", ".local/bin/x",
        ".local/lib/greenroom/plugins/x.so", ".local/share/applications/x.desktop",
    ])
    func `no grant is advised for files that a user's programs obey`(place: String) {
        for home in ["/home/ana", "/root"] {
            let path = "\(home)/\(place)"
            let text = SandboxRefusal.file("make", path, grant: .write, for: path).text
            #expect(!text.contains("allow"), "\(text)")
            #expect(PathGrant(path: path, access: .write).concern != nil, "\(path)")
            #expect(PathGrant(path: "\(home)/.config", access: .read).concern != nil)
        }
    }

    @Test func `a grant of a plugin's own folder causes no warning`() {
        for place in [".cache/x", ".local/share/x", ".local/state/x/log", "media"] {
            let grant = PathGrant(path: "/home/ana/\(place)", access: .write)
            #expect(grant.concern == nil, "\(grant)")
        }
        #expect(PathGrant(path: "/home/ana/.config/x/settings", access: .read).concern == nil)
    }

    @Test func `devices are granted for media`() {
        for device in ["/dev/video0", "/dev/snd/pcmC0D0c", "/dev/dri/renderD128", "/dev/media0"] {
            #expect(PathGrant(path: device, access: .device).concern == nil, "\(device)")
        }
        for device in ["/dev/tty", "/dev/kvm", "/dev/fuse", "/dev/loop0", "/dev/input/event0"] {
            #expect(PathGrant(path: device, access: .device).concern != nil, "\(device)")
            let text = SandboxRefusal.file("write", device, grant: .device, for: device).text
            #expect(!text.contains("allow"), "\(text)")
        }
    }

    @Test(arguments: [
        "/home/ana/media/film.y4m", "/srv/ssh/film.y4m", "/proc/cpuinfo", "/home/ana/.asoundrc",
        "/home/ana/.local/share/fonts/x.ttf",
    ])
    func `a grant is advised for ordinary files`(path: String) {
        let text = SandboxRefusal.file("read", path, grant: .read, for: path).text
        #expect(text.hasSuffix("add it to allow: {read: [\(path)]}"), "\(text)")
    }

    @Test func `every system path has a reason`() {
        let paths = SystemPath.always + SystemPath.network
        #expect(paths.allSatisfy { $0.path.hasPrefix("/") && !$0.reason.isEmpty })
        #expect(Set(paths.map(\.path)).count == paths.count)
    }
}
