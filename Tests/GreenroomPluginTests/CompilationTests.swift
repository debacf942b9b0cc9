import TestSupport
import Testing

/// Invalid code does not compile, for the right reason.
@Suite(.ownThreads) struct CompilationTests {
    private static func lease(_ lines: String) -> String {
        """
        import GreenroomPlugin

        func draw(_ sender: VideoSender) throws {
            var lease = try sender.acquire(
                format: .i420, size: FrameSize(width: 64, height: 36))
            lease.fill(plane: 0, with: 16)
        \(lines)
        }
        """
    }

    @Test(arguments: [
        "    try lease.commit()",
        "    lease.abandon()",
        "    var row = lease.row(0)\n    row[0] = 1\n    var next = lease.row(1)\n    next[0] = 2",
    ])
    func `code that uses a lease once compiles`(lines: String) throws {
        #expect(try Compiler.complaints(about: Self.lease(lines)).isEmpty)
    }

    @Test(arguments: [
        ("    try lease.commit()\n    lease.fill(plane: 1, with: 128)", "used after consume"),
        ("    try lease.commit()\n    try lease.commit()", "consumed more than once"),
        ("    lease.abandon()\n    try lease.commit()", "consumed more than once"),
        (
            "    var row = lease.row(0)\n    try lease.commit()\n    row[0] = 1",
            "overlapping accesses"
        ),
        (
            "    var one = lease.row(0)\n    var two = lease.row(1)\n    one[0] = 1\n"
                + "    two[0] = 2", "overlapping accesses"
        ),
        ("    let other = lease\n    lease.abandon()\n    other.abandon()", "more than once"),
    ])
    func `code that uses an ended lease does not compile`(lines: String, complaint: String) throws {
        let complaints = try Compiler.complaints(about: Self.lease(lines))
        #expect(complaints.contains(complaint), "\(complaints)")
    }

    private static func output(_ lines: String) -> String {
        """
        import GreenroomPlugin

        final class Last: Output {
            static let plugin = PluginDescription(
                id: "com.example.last", name: "Last", version: "1.0.0", summary: "Keeps a frame")
            private var last: OutputFrame?
            private var block: OutputBlock?
            init(settings: NoSettings, host: PluginHost) {}
            func onTrack(_ track: Track) -> TrackWant? { .video() }
            func onVideo(_ frame: borrowing OutputFrame) throws {
        \(lines)
            }
            func onAudio(_ block: borrowing OutputBlock) throws {
                guard block.samples.count > 0 else { return }
            }
        }
        """
    }

    @Test(arguments: [
        ("        last = try frame.keep()", nil), ("        last = .some(frame)", "borrowed"),
        ("        let row = frame.row(0)\n        guard row[0] > 0 else { return }", nil),
        ("        var row = frame.row(0)\n        row[0] = 1", "get-only"),
        (
            "        let kept = try frame.keep()\n        last = .some(kept)\n"
                + "        last = .some(kept)", "consumed more than once"
        ),
    ])
    func `code that stores a frame without keeping it does not compile`(
        lines: String, complaint: String?
    ) throws {
        let complaints = try Compiler.complaints(about: Self.output(lines))
        guard let complaint else {
            #expect(complaints.isEmpty, "\(complaints)")
            return
        }
        #expect(complaints.contains(complaint), "\(complaints)")
    }

    @Test(arguments: [
        ("inout MutableFrame", "frame.row(y).forEach { sum += Int($0) }"),
        (
            "inout MutableFrame",
            "let row = frame.readOnlyRow(y)\n        for x in row.indices { sum += Int(row[x]) }"
        ),
        (
            "inout MutableFrame",
            "let (one, two) = (frame.readOnlyRow(y), frame.readOnlyRow(y + 1))\n"
                + "        for x in one.indices { sum += Int(one[x]) - Int(two[x]) }"
        ),
        (
            "inout MutableFrame",
            "let plane = frame.readOnlyPlane(0)\n"
                + "        sum += Int(plane.unsafeLoad(fromByteOffset: y, as: UInt8.self))"
        ),
        ("borrowing OutputFrame", "frame.row(y).forEach { sum += Int($0) }"),
        ("borrowing OutputBlock", "block.samples.forEach { sum += Int($0) + y }"),
    ])
    func `reading rows and samples allocates nothing`(media: String, lines: String) throws {
        let name = media.contains("Block") ? "block" : "frame"
        let assembly = try Compiler.assembly(
            of: """
                import GreenroomPlugin

                public func read(_ \(name): \(media)) -> Int {
                    var sum = 0
                    for y in 0..<90 {
                        \(lines)
                    }
                    return sum
                }
                """)
        #expect(assembly.contains("$s7Snippet4read"))
        #expect(!assembly.contains("swift_allocObject"), "\(assembly)")
    }

    @Test(arguments: [
        (
            "        var row = frame.row(0)\n        row[0] = frame.readOnlyRow(1)[0]",
            "overlapping accesses"
        ),
        (
            "        let above = frame.readOnlyRow(0)\n        frame.fill(plane: 0, with: 0)\n"
                + "        host.report(\"luma\", above[0])", "overlapping accesses"
        ),
        ("        for value in frame.row(0) { host.report(\"luma\", value) }", "Sequence"),
        ("        let row = frame.readOnlyRow(0)\n        row[0] = 1", "get-only"),
    ])
    func `code that reads a frame while it writes a row does not compile`(
        lines: String, complaint: String
    ) throws {
        let complaints = try Compiler.complaints(
            about: """
                import GreenroomPlugin

                func edit(_ frame: inout MutableFrame, for host: PluginHost) {
                \(lines)
                }
                """)
        #expect(complaints.contains(complaint), "\(complaints)")
    }

    private static func camera(_ members: String) -> String {
        """
        import GreenroomPlugin

        final class Counter { var value = 0 }

        struct Fog: VideoSource {
            static let plugin = PluginDescription(
                id: "com.example.fog", name: "Fog", version: "1.0.0", summary: "Grey")
            var counter = Counter()
            var sender: VideoSender?
            var pump: FramePump?
            init(settings: NoSettings, host: PluginHost) {}
            mutating func onInitialize(
                _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
            ) throws -> VideoAnswer {
                self.sender = sender
                return .accept
            }
            mutating func onStartSend() throws {
                guard let sender else { return }
        \(members)
            }
            mutating func onStopSend() { pump?.stop() }
        }
        """
    }

    private static let pump =
        "try FramePump(\n            sender: sender,\n"
        + "            capability: VideoCapability(width: 64, height: 36, fps: 30))"

    @Test func `a data race between a pump's thread and a callback does not compile`() throws {
        let own = """
                    let counter = Counter()
                    pump = \(Self.pump) { _, _ in counter.value += 1 }
            """
        #expect(try Compiler.complaints(about: Self.camera(own)).isEmpty)
        let shared = """
                    let counter = self.counter
                    pump = \(Self.pump) { _, _ in counter.value += 1 }
            """
        let complaints = try Compiler.complaints(about: Self.camera(shared))
        #expect(complaints.contains("data race"), "\(complaints)")
    }
}
