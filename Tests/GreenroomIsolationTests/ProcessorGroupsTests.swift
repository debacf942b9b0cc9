import Testing

@testable import GreenroomIsolation

@Suite struct ProcessorGroupsTests {
    @Test(
        arguments: [
            ("0::/system.slice/x.service\n", "/system.slice/x.service"), ("0::/\n", "/"),
            ("9:name=systemd:/a\n1:cpu:/b\n0::/c d\n", "/c d"), ("1:cpu:/b\n", nil), ("", nil),
            ("10::/x\n", nil),
        ] as [(String, String?)])
    func `the group of a process is that of version 2`(text: String, place: String?) {
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
    func `groups are where version 2 is mounted`(text: String, mount: String?) {
        #expect(OwnGroup.mount(in: text) == mount)
    }
}
