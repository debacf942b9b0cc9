import Glibc
import TestSupport
import Testing

@testable import GreenroomIsolation

@Suite struct ProcessorGroupsTests {
    /// A folder with the files of a group and of those that are to be made in it; in the real file system the
    /// kernel makes them.
    private func makeGroup(processes: String = "") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("cgroup.procs", processes)
        try folder.write("cgroup.subtree_control", "")
        for name in ["greenroom-host", "greenroom-plugin-77"] {
            mkdir(folder(name), 0o755)
            for file in ["cgroup.procs", "cpu.weight"] { try folder.write("\(name)/\(file)", "") }
        }
        mkdir(folder("greenroom-plugin-5"), 0o755)
        return folder
    }

    private func text(_ name: String, in folder: TemporaryFolder) throws -> String {
        String(decoding: try readFile(folder(name)), as: UTF8.self)
    }

    @Test func `the host and each plugin get a control group with a weight`() throws {
        let folder = try makeGroup()
        let groups = try #require(
            ProcessorGroups(in: OwnGroup(folder: folder.path, isRoot: false)))
        #expect(!folder.has("greenroom-plugin-5"), "a killed host left it")
        #expect(try text("cgroup.subtree_control", in: folder) == "+cpu")
        #expect(try text("greenroom-host/cgroup.procs", in: folder) == "\(getpid())")
        #expect(try text("greenroom-host/cpu.weight", in: folder) == "400")
        groups.add(77)
        #expect(try text("greenroom-plugin-77/cpu.weight", in: folder) == "100")
        #expect(try text("greenroom-plugin-77/cgroup.procs", in: folder) == "77")
        for file in ["cgroup.procs", "cpu.weight"] { unlink(folder("greenroom-plugin-77/\(file)")) }
        groups.remove(77)
        #expect(!folder.has("greenroom-plugin-77"))
    }

    @Test func `a control group with other processes is not divided`() throws {
        let folder = try makeGroup(processes: "1\n")
        #expect(ProcessorGroups(in: OwnGroup(folder: folder.path, isRoot: false)) == nil)
        #expect(try text("cgroup.subtree_control", in: folder).isEmpty)
        // The root of all may have processes, and stays what the host is in.
        #expect(ProcessorGroups(in: OwnGroup(folder: folder.path, isRoot: true)) != nil)
        #expect(try text("cgroup.subtree_control", in: folder) == "+cpu")
        #expect(try text("greenroom-host/cpu.weight", in: folder).isEmpty)
    }

    @Test(
        arguments: [
            ("0::/system.slice/x.service\n", "/system.slice/x.service"), ("0::/\n", "/"),
            ("9:name=systemd:/a\n1:cpu:/b\n0::/c d\n", "/c d"), ("1:cpu:/b\n", nil), ("", nil),
            ("10::/x\n", nil),
        ] as [(String, String?)])
    func `a process's control group is read from the line of cgroup version 2`(
        text: String, place: String?
    ) {
        #expect(OwnGroup.place(in: text) == place)
    }

    @Test(
        arguments: [
            (
                "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
                "/sys/fs/cgroup"
            ),
            (
                "30 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                    + "31 23 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
                "/sys/fs/cgroup/unified"
            ),
            ("30 23 0:26 / / rw - ext4 /dev/vda rw\n", nil), ("cgroup2 - \n", nil), ("", nil),
        ] as [(String, String?)])
    func `the folder of control groups is the mount point of cgroup version 2`(
        text: String, mount: String?
    ) {
        #expect(OwnGroup.mount(in: text) == mount)
    }
}
