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
    func `a lease is used once`(lines: String) throws {
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
    func `an ended lease can't be used`(lines: String, complaint: String) throws {
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
    func `a frame that is not kept ends with the callback`(
        lines: String, complaint: String?
    ) throws {
        let complaints = try Compiler.complaints(about: Self.output(lines))
        guard let complaint else {
            #expect(complaints.isEmpty, "\(complaints)")
            return
        }
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

    @Test func `data shared by a pump's thread and callbacks is checked`() throws {
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
