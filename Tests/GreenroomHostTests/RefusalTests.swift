import SessionTestSupport
import TestSupport
import Testing

/// Tests that every refusal has its own status and a text with the call, the rule or the state,
/// and the cure.
@Suite(.ownThreads) struct RefusalTests {
    /// A finished session of hostile plugins.
    struct Ended: Sendable {
        var run: Finished
        var report: Report

        init(_ sources: String, duration: String = "2s") throws {
            let session = try FileSession(sources, duration: duration, clock: "virtual")
            run = try session.run()
            report = try session.expectTrueReport(run)
        }
    }

    // Each session runs once for several tests.

    static let lies = Result {
        try Ended(
            """
            camera: \(try FileSession.hostile("BadFrames"))
            microphone: \(try FileSession.hostile("BadBlocks"))
            """)
    }

    static let leases = Result {
        try Ended(
            """
            camera: \(try FileSession.hostile("BadLeases"))
            microphone: \(try FileSession.hostile("ImpatientMic"))
            """)
    }

    static let early = Result {
        try Ended(
            """
            camera: \(try FileSession.hostile("SendBeforeStart"))
            microphone: \(try FileSession.hostile("SendAudioBeforeStart"))
            """)
    }

    static let late = Result {
        try Ended(
            """
            camera: \(try FileSession.hostile("SendAfterStop"))
            microphone: \(try FileSession.hostile("SendAudioAfterStop"))
            """)
    }

    static let dead = Result {
        try Ended(
            """
            camera: \(try FileSession.hostile("SendWhenGone", "", "on-failure: off"))
            share: \(try FileSession.hostile("Share"))
            """, duration: "3s")
    }

    /// A call, the expected status, and words of its text.
    struct Expected: CustomTestStringConvertible {
        var call: String
        var status: String
        var words: [String]
        var testDescription: String { call }

        init(_ call: String, _ status: String, _ words: String...) {
            self.call = call
            self.status = status
            self.words = words
        }
    }

    /// Expects a result for each call, with its status and a helpful text.
    ///
    /// - Parameter role: The role that made the calls; nil for all.
    private func expect(
        _ expected: [Expected], in ended: Ended, of role: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let numbers = try HeaderStatuses.all()
        let all = role.map { Answer.all(in: ended.run.lines(of: $0)) } ?? ended.run.answers
        for expected in expected {
            let answers = all.filter { $0.call == expected.call }
            let number = try #require(numbers[expected.status])
            #expect(
                answers.contains { $0.status == number },
                "\(expected.call): \(answers)\n\(ended.run)", sourceLocation: sourceLocation)
            for answer in answers where answer.status == number {
                for word in expected.words {
                    #expect(
                        answer.text.contains(word), "\(expected.call) says nothing of \(word)",
                        sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test func `an invalid frame is refused with the rule that it breaks`() throws {
        let ended = try Self.lies.get()
        try expect(
            [
                Expected("short-luma", "BAD_LENGTH", "planes[0].size_bytes is 3071", "3072"),
                Expected("short-chroma", "BAD_LENGTH", "planes[2].size_bytes is 767", "768"),
                Expected("no-length", "BAD_LENGTH", "planes[0].size_bytes is 0"),
                Expected("short-stride", "BAD_STRIDE", "planes[0].stride_bytes is 63", "64"),
                Expected("no-stride", "BAD_STRIDE", "planes[1].stride_bytes is 0"),
                Expected("huge-stride", "BAD_STRIDE", "4294967295", "64 to 2147483647"),
                Expected("long-stride", "BAD_LENGTH", "planes[0].size_bytes is 3072"),
                Expected("no-width", "BAD_SIZE", "0x48", "8192"),
                Expected("no-height", "BAD_SIZE", "64x0"),
                Expected("huge-width", "BAD_SIZE", "8193x48"),
                Expected("huge-height", "BAD_SIZE", "64x4294967295"),
                Expected("larger-width", "BAD_STRIDE", "stride_bytes is 64", "66"),
                Expected("larger-height", "BAD_LENGTH", "size_bytes is 3072", "3200"),
                Expected("null-luma", "BAD_PLANES", "planes[0].data is NULL"),
                Expected("null-chroma", "BAD_PLANES", "planes[1].data is NULL"),
                Expected("no-planes", "BAD_PLANES", "plane_count is 0", "3"),
                Expected("two-planes", "BAD_PLANES", "plane_count is 2"),
                Expected("many-planes", "BAD_PLANES", "plane_count is 4294967295"),
                Expected("no-format", "BAD_FORMAT", "pixel format 0"),
                Expected("unknown-format", "BAD_FORMAT", "pixel format 99"),
                Expected("rotation-45", "BAD_ROTATION", "rotation is 45"),
                Expected("rotation-360", "BAD_ROTATION", "rotation is 360"),
                Expected("no-range", "BAD_COLOR", "range 0"),
                Expected("unknown-range", "BAD_COLOR", "range 3"),
                Expected("unknown-matrix", "BAD_COLOR", "matrix 9"),
                Expected("no-revision", "BAD_REVISION", "revision 0"),
                Expected("future-revision", "BAD_REVISION", "revision 1001", "newest is 1"),
                Expected("negative-pts", "BAD_TIMESTAMP", "pts_ns is -5", "now_ns"),
                Expected("short-struct", "BAD_ARGUMENT", "struct_size is 64", "128"),
                Expected("no-struct-size", "BAD_ARGUMENT", "struct_size is 0"),
                Expected("short-info", "BAD_ARGUMENT", "struct_size is 16", "32"),
                Expected("three-halves", "BAD_LENGTH", "102360", "102480", "(width + 1) / 2"),
                Expected("null-frame", "BAD_ARGUMENT", "NULL"),
                Expected("jpeg-empty", "BAD_LENGTH", "size_bytes is 0"),
                Expected("jpeg-noise", "BAD_DATA", "JPEG"),
                Expected("jpeg-markers-only", "BAD_DATA", "JPEG"),
                Expected("jpeg-of-another-size", "BAD_DATA", "16x16", "640x480"),
                Expected("sender-zero", "GONE"),
            ], in: ended, of: "camera")
        #expect(try ended.report.picture("camera").outputs[0].delivered > 0, "\(ended.run)")
    }

    @Test func `an invalid audio block is refused with the rule that it breaks`() throws {
        let ended = try Self.lies.get()
        try expect(
            [
                Expected("slow-rate", "BAD_RATE", "7999", "8000"),
                Expected("fast-rate", "BAD_RATE", "192001", "192000"),
                Expected("no-rate", "BAD_RATE", "0 Hz"),
                Expected("no-channels", "BAD_CHANNELS", "0 channels"),
                Expected("three-channels", "BAD_CHANNELS", "3 channels"),
                Expected("no-frames", "BAD_BLOCK", "no samples"),
                Expected("short-length", "BAD_LENGTH", "1919", "1920"),
                Expected("no-samples", "BAD_ARGUMENT", "NULL"),
                Expected("negative-pts", "BAD_TIMESTAMP", "-5"),
                Expected("short-struct", "BAD_ARGUMENT", "struct_size is 16", "40"),
                Expected("odd-address", "BAD_ARGUMENT", "even address"),
                Expected("one-too-many", "BAD_BLOCK", "4801", "4800"),
                Expected("whole-file", "BAD_BLOCK", "480000"),
                Expected("countless-frames", "BAD_BLOCK", "4294967295"),
                Expected("null-block", "BAD_ARGUMENT", "NULL"),
            ], in: ended, of: "microphone")
        #expect(try ended.report.sound("microphone").played > 0, "\(ended.run)")
    }

    @Test func `the report counts each refusal under its status`() throws {
        let ended = try Self.lies.get()
        // Calls with the invalid sender are not counted.
        let names = Dictionary(
            uniqueKeysWithValues: try HeaderStatuses.all().map { ($0.value, $0.key) })
        for (role, counted) in [
            ("camera", try ended.report.picture("camera").refused),
            ("microphone", try ended.report.sound("microphone").refused),
        ] {
            let told = Answer.all(in: ended.run.lines(of: role))
                .reduce(into: [String: Int]()) { counts, answer in
                    counts[names[answer.status] ?? "\(answer.status)", default: 0] += 1
                }
            let ignored: Set = ["OK", "GONE", "STOPPED"]
            #expect(
                counted.filter { !ignored.contains($0.key) }
                    == told.filter { !ignored.contains($0.key) }, "\(role)\n\(ended.run)")
            #expect(counted["GONE"] == nil, "\(role)")
        }
    }

    @Test func `a lease can be returned once, and a sender has at most eight leases`() throws {
        let ended = try Self.leases.get()
        try expect(
            [
                Expected("commit-unknown", "BAD_LEASE", "video.commit", "123456789"),
                Expected("commit-zero", "BAD_LEASE", "video.commit"),
                Expected("abandon-unknown", "BAD_LEASE", "video.abandon"),
                Expected("commit-twice", "BAD_LEASE", "committed"),
                Expected("abandon-after-commit", "BAD_LEASE", "video.abandon"),
                Expected("commit-after-abandon", "BAD_LEASE", "video.commit"),
                Expected("commit-rotation-45", "BAD_ROTATION", "video.commit", "45"),
                Expected("commit-after-refusal", "BAD_LEASE"),
                Expected("commit-null-info", "BAD_ARGUMENT", "video.commit", "NULL"),
                Expected("acquire-null", "BAD_ARGUMENT", "video.acquire", "NULL"),
                Expected("acquire-short", "BAD_ARGUMENT", "struct_size is 8", "144"),
                Expected("acquire-mjpeg", "BAD_FORMAT", "MJPEG", "send"),
                Expected("acquire-unknown", "BAD_FORMAT", "99"),
                Expected("acquire-no-width", "BAD_SIZE", "0x48"),
                Expected("acquire-huge", "BAD_SIZE", "4294967295x4294967295"),
                Expected("lease-flood", "NO_BUFFER", "video.acquire", "8 leases"),
                Expected("acquire-after-flood", "OK"),
                Expected("commit", "OK"),
                Expected("abandon", "OK"),
            ], in: ended)
        #expect(ended.run.standardError.contains("camera: leases 8\n"), "\(ended.run)")
        let picture = try ended.report.picture("camera")
        #expect(picture.abandoned == 10)
        #expect(
            picture.refusedCalls == [
                "BAD_ARGUMENT": 2, "BAD_FORMAT": 2, "BAD_SIZE": 2, "BAD_LEASE": 2, "NO_BUFFER": 1,
            ])
    }

    @Test func `audio sent at once fills the queue of 200 ms and is refused`() throws {
        let ended = try Self.leases.get()
        try expect(
            [Expected("ten-seconds-at-once", "QUEUE_FULL", "audio.send", "200 ms", "timeout")],
            in: ended)
        // Two blocks of 100 ms fit, and more if the session takes audio meanwhile.
        let blocks = try #require(
            ended.run.standardError.firstMatch(of: #/microphone: blocks ([0-9]+)/#))
        #expect((3...6).contains(Int(blocks.1) ?? 0), "\(ended.run)")
    }

    @Test func `nothing is accepted before start-send`() throws {
        let ended = try Self.early.get()
        let cure = "start_send is called"
        try expect(
            [
                Expected("send-in-initialize", "NOT_STARTED", "state is initialized", cure),
                Expected("acquire-in-initialize", "NOT_STARTED", "video.acquire", cure),
                Expected("wait-in-initialize", "NOT_STARTED", "wait_until_ns", cure),
            ], in: ended)
        #expect(ended.run.answers(to: "send-in-initialize").count == 2, "camera and microphone")
        #expect(try ended.report.picture("camera").refused["NOT_STARTED"] == 1)
        #expect(try ended.report.sound("microphone").refused["NOT_STARTED"] == 1)
    }

    @Test func `nothing is accepted after stop-send has begun`() throws {
        let ended = try Self.late.get()
        let cure = "before stop_send returns"
        try expect(
            [
                Expected("send-in-stop", "STOPPED", "state is stopped", cure),
                Expected("acquire-in-stop", "STOPPED", "video.acquire", cure),
                Expected("wait-in-stop", "STOPPED", "wait_until_ns", cure),
                // From a thread that continues after its end.
                Expected("send-all-the-time", "STOPPED", "video.send", cure),
            ], in: ended)
        #expect(ended.run.answers(to: "send-in-stop").count == 2, "camera and microphone")
        #expect(ended.run.answers(to: "send-all-the-time").prefix(2).map(\.status) == [0, 2])
    }

    @Test func `a video sender refuses every call from uninitialize on`() throws {
        let ended = try Self.dead.get()
        try expect(
            [
                Expected("send-in-uninitialize", "GONE", "video.send", "Forget the sender"),
                Expected("acquire-in-uninitialize", "GONE", "video.acquire"),
                Expected("wait-in-uninitialize", "GONE", "wait_until_ns"),
            ], in: ended)
        #expect(!ended.run.standardError.contains("from the dead"), "\(ended.run)")
        #expect(ended.run.exit == .code(0), "\(ended.run)")
        #expect(try ended.report.picture("share").outputs[0].delivered > 0)
    }

    @Test func `an audio sender refuses calls in uninitialize`() throws {
        let ended = try Self.late.get()
        try expect(
            [Expected("send-in-uninitialize", "GONE", "audio.send", "Forget the sender")],
            in: ended)
    }

    @Test func `a lease does not outlive stop-send`() throws {
        let ended = try Ended("camera: \(try FileSession.hostile("LeaseAcrossStop"))")
        try expect([Expected("commit-in-stop", "STOPPED", "video.commit")], in: ended)
    }

    @Test func `a plugin's requests for unknown extensions and instances are harmless`() throws {
        let ended = try Ended("camera: \(try FileSession.hostile("AsksForTheUnknown"))")
        try expect([Expected("wait-of-no-instance", "GONE", "wait_until_ns")], in: ended)
        for line in [
            "extension none", "no refusal yet: length 0, text \"\"",
            "cut refusal: longer, text \"BAD_LEA\"", "now of no instance: 0",
        ] {
            #expect(ended.run.standardError.contains("camera: \(line)\n"), "\(ended.run)")
        }
    }

    @Test
    func `the text of every refusal names the status, the call, the rule and the fix`() throws {
        let names = Dictionary(
            uniqueKeysWithValues: try HeaderStatuses.all().map { ($0.value, $0.key) })
        var texts = 0
        for ended in [Self.lies, Self.leases, Self.early, Self.late, Self.dead] {
            for answer in try ended.get().run.answers where (1...39).contains(answer.status) {
                texts += 1
                // NAME: call: the rule. The cure.
                let match = answer.text.wholeMatch(
                    of: #/([A-Z_]+): (video|audio|host)\.[a-z_]+: .{12,}\. [A-Z].{8,}\./#)
                #expect(match != nil, "\(answer.text)")
                #expect((match?.1).map(String.init) == names[answer.status], "\(answer.text)")
            }
        }
        #expect(texts > 80)
    }

    /// Statuses that no call returns: `BAD_ANSWER` is reported for `initialize`, and the others are
    /// results of plugins. FailureTests covers all of them.
    static let answeredElsewhere: Set = [
        "BAD_ANSWER", "BAD_SETTING", "FAILED", "UNAVAILABLE", "UNSUPPORTED",
    ]

    @Test func `every status of the header is returned by a tested call`() throws {
        var reached = Set<Int32>()
        for ended in [Self.lies, Self.leases, Self.early, Self.late, Self.dead] {
            reached.formUnion(try ended.get().run.answers.map(\.status))
        }
        let header = try HeaderStatuses.all()
        #expect(header.count == 26)
        for (name, number) in header where !Self.answeredElsewhere.contains(name) {
            #expect(reached.contains(number), "nothing reaches \(name)")
        }
    }
}
