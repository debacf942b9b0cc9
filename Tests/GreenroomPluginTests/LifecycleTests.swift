import GreenroomABI
import GreenroomPlugin
import Synchronization
import Testing

@Suite struct LifecycleTests {
    private let rows = [
        VideoCapability(width: 64, height: 36, fps: 30),
        VideoCapability(width: 32, height: 18, fps: 15),
    ]

    private func log(_ session: FakeSession) -> [String] { session.host.state.withLock { $0.log } }

    @Test func `a video source gets the callbacks in the order of the lifecycle`() throws {
        let session = try FakeSession("source", of: testEntry)
        #expect(session.initializeVideo(rows) == .ok)
        for _ in 0..<2 {
            #expect(session.startSend() == .ok)
            session.stopSend()
        }
        session.uninitialize()
        session.destroy()
        #expect(
            log(session) == [
                "1 onInitialize [64x36@30, 32x18@15] 64x36@30", "2 onStartSend",
                "3 onStopSend", "2 onStartSend", "3 onStopSend", "4 onUninitialized", "1 deinit",
            ])
    }

    @Test func `a share source gets its sender when the share starts`() throws {
        let session = try FakeSession("share", of: testEntry)
        #expect(session.initializeVideo(rows) == .ok)
        #expect(session.startSend() == .ok)
        #expect(try session.propertyChange([rows[1]], revision: 2) == .ok)
        session.stopSend()
        session.uninitialize()
        #expect(
            log(session) == [
                "1 onShareInitialize 64x36@30", "1 onShareSendStarted",
                "1 onSharePropertyChange 32x18@15", "1 onShareSendStopped",
                "1 onShareUninitialized",
            ])
    }

    @Test(arguments: [
        ("mic", ["onMicInitialize", "onMicStartSend", "onMicStopSend", "onMicUninitialized"]),
        (
            "share-audio",
            [
                "onShareAudioInitialize", "onStartSendAudio", "onStopSendAudio",
                "onShareAudioUninitialized",
            ]
        ),
    ])
    func `audio sources get their callbacks`(name: String, callbacks: [String]) throws {
        let session = try FakeSession(name, of: testEntry)
        #expect(session.initializeAudio() == .ok)
        #expect(session.startSend() == .ok)
        session.stopSend()
        session.uninitialize()
        #expect(log(session) == callbacks.map { "1 \($0)" })
    }

    @Test
    func `a pre-processor edits frames in place, and settings change between frames`() throws {
        let session = try FakeSession(
            "filter", of: testEntry, settings: [("level", .integer(2))])
        #expect(session.initializePreProcessor(rows[1]) == .ok)
        #expect(session.startSend() == .ok)
        let frame = FakeFrame(.i420, FrameSize(width: 5, height: 3), padding: 3)
        defer { frame.free() }
        for plane in frame.planes { plane.initializeMemory(as: UInt8.self, repeating: 10) }
        var cFrame = frame.cFrame
        #expect(try session.process(&cFrame) == .ok)
        #expect(try session.set("level", .integer(5)) == .ok)
        #expect(try session.process(&cFrame) == .ok)
        let padded: [UInt8] = [17, 17, 17, 17, 17, 10, 10, 10]
        #expect(Array(frame.planes[0]) == padded + padded + padded)
        #expect(frame.planes[1].allSatisfy { $0 == 10 })

        frame.planes[0][0] = 255
        #expect(try session.process(&cFrame) == .unsupported)
        cFrame.planes.0.stride_bytes = 4
        #expect(try session.process(&cFrame) == .badArgument)
        session.stopSend()
        session.uninitialize()
        #expect(
            log(session) == [
                "1 onPreProcessInitialize 32x18@15", "1 onPreProcessStart", "3 too bright",
                "1 onPreProcessStop",
                "1 onPreProcessUninitialized",
            ])
    }

    @Test(arguments: [
        ("accept", 1 as UInt32, VideoCapability(width: 64, height: 36, fps: 30)),
        ("counter", 2, VideoCapability(width: 32, height: 18, fps: 15)),
        ("fixed", 3, VideoCapability(width: 33, height: 19, fps: 24)),
    ])
    func `the answer to an offer crosses the C interface`(
        answer: String, kind: UInt32, capability: VideoCapability
    ) throws {
        let session = try FakeSession(
            "source", of: testEntry, settings: [("answer", .choice(answer))])
        #expect(session.initializeVideo(rows) == .ok)
        #expect(session.answer.kind == kind)
        #expect(session.answer.capability.width == capability.size.width)
        #expect(session.answer.capability.height == capability.size.height)
        #expect(session.answer.capability.fps_numerator == capability.rate.numerator)
        #expect(session.answer.capability.fps_denominator == 1)
    }

    @Test func `a source that ignores a new offer continues unchanged`() throws {
        let session = try FakeSession("source", of: testEntry)
        #expect(session.initializeVideo(rows) == .ok)
        #expect(try session.propertyChange([rows[1]], revision: 2) == .ok)
        #expect(session.answer.kind == UInt32(GR_ANSWER_FIXED))
        #expect(session.answer.capability.width == 64)
    }

    @Test func `nil accepts a new offer, and an error keeps the present format`() throws {
        for (fails, status, kind) in [
            (false, Status.ok, UInt32(GR_ANSWER_ACCEPT)), (true, .failed, 1),
        ] {
            let session = try FakeSession(
                "share", of: testEntry,
                settings: [("answer", .choice("fixed")), ("fails-to-start", .boolean(fails))])
            #expect(session.initializeVideo(rows) == .ok)
            #expect(session.answer.kind == UInt32(GR_ANSWER_FIXED))
            #expect(try session.propertyChange([rows[1]], revision: 2) == status)
            #expect(session.answer.kind == kind, "an error leaves the answer alone")
            #expect(session.answer.capability.width == 32)
            #expect(
                session.host.state.withLock { $0.errors } == (fails ? ["the lens cap is on"] : []))
        }
    }

    @Test(arguments: [
        ("fail", Status.unavailable, "no camera: plug one in"),
        ("fail-oddly", .failed, "unforeseen"),
    ])
    func `a thrown error becomes a status and a text`(
        answer: String, status: Status, text: String
    ) throws {
        let session = try FakeSession(
            "source", of: testEntry, settings: [("answer", .choice(answer))])
        #expect(session.initializeVideo(rows) == status)
        #expect(session.host.state.withLock { $0.errors } == [text])
    }

    @Test func `a failed start has a reason and can be retried`() throws {
        let session = try FakeSession(
            "source", of: testEntry, settings: [("fails-to-start", .boolean(true))])
        #expect(session.initializeVideo(rows) == .ok)
        #expect(session.startSend() == .failed)
        #expect(session.startSend() == .failed)
        #expect(
            session.host.state.withLock { $0.errors }
                == ["the lens cap is on", "the lens cap is on"])
    }

    @Test func `structs of the host that are too short are refused`() throws {
        #expect(throws: FakeHost.Refusal.self) {
            try FakeSession("source", of: testEntry, structSize: 24)
        }
        let session = try FakeSession("source", of: testEntry)
        #expect(session.initializeVideo(rows, structSize: 40) == .badArgument)
        #expect(log(session).isEmpty)
    }

    @Test func `a missing list of settings with a count is refused`() throws {
        var input = gr_create(
            struct_size: 32, setting_count: 3, instance: 1, host: FakeHost.functions.pointer,
            settings: nil)
        var made: UnsafePointer<gr_plugin>?
        #expect(testEntry.pointee.create(0, &input, &made) == Status.badArgument.rawValue)
        #expect(testEntry.pointee.create(.max, &input, &made) == Status.badArgument.rawValue)
        #expect(made == nil)
    }

    @Test func `extensions exist only for plugins that implement them`() throws {
        let source = try FakeSession("source", of: testEntry)
        let filter = try FakeSession("filter", of: testEntry)
        #expect(source.extensionTable(GR_EXT_PRE_PROCESSOR) == nil)
        #expect(source.extensionTable(GR_EXT_OUTPUT) == nil)
        #expect(source.extensionTable(GR_EXT_LIVE_PARAMETERS) == nil)
        #expect(filter.extensionTable(GR_EXT_PRE_PROCESSOR) != nil)
        #expect(source.extensionTable(GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE) == nil)
        #expect(filter.extensionTable(GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE) != nil)
        #expect(filter.extensionTable(GR_EXT_LIVE_PARAMETERS) != nil)
        #expect(filter.extensionTable("greenroom.pre-processor/2") == nil)
        #expect(
            filter.extensionTable(GR_EXT_PRE_PROCESSOR)
                == filter.extensionTable(GR_EXT_PRE_PROCESSOR))
    }

    @Test func `a filter without a property change keeps the size of its frames`() throws {
        let filter = try FakeSession("filter", of: testEntry)
        #expect(filter.initializePreProcessor(rows[0]) == .ok)
        #expect(filter.startSend() == .ok)
        #expect(try filter.changeFrames(rows[1]) == .unsupported)
        #expect(
            filter.host.state.withLock { $0.errors } == ["this plugin accepts frames of one size"])
    }

    @Test func `the entry is constant and has no plugin beyond its count`() throws {
        let first = UnsafeRawPointer(testEntry)
        let again = try #require(exportPlugins(RecordingSource.self))
        #expect(again == first)
        let count = testEntry.pointee.plugin_count
        #expect(count == 16)
        #expect(testEntry.pointee.descriptor(count) == nil)
        #expect(testEntry.pointee.descriptor(.max) == nil)
        #expect(testEntry.pointee.abi_major == 1)
        let kinds = (0..<count).compactMap { testEntry.pointee.descriptor($0)?.pointee.kind }
        #expect(kinds == [1, 3, 2, 4, 5, 2, 1, 3, 2, 4, 1, 1, 6, 6, 6, 7])
    }

    @Test func `added plugins have a separate entry`() throws {
        let added = exportPlugins(adding: [RecordingSource.export])
        #expect(added.entry != UnsafeRawPointer(testEntry))
        #expect(testEntry.pointee.plugin_count == 16)
        let entry = added.entry.assumingMemoryBound(to: gr_entry.self)
        #expect(entry.pointee.descriptor(added.index)?.pointee.kind == 1)
    }

    @Test func `frames without a revision have that of the last answered offer`() throws {
        let session = try FakeSession("handy", of: testEntry)
        #expect(session.initializeVideo([rows[0]], revision: 4) == .ok)
        #expect(session.startSend() == .ok)
        #expect(try session.propertyChange([rows[1]], revision: 5) == .ok)
        #expect(try session.propertyChange([rows[0]], revision: 6) == .ok)
        session.stopSend()
        #expect(session.answerKind == 1)
        let sent = session.host.state.withLock { $0.video.committed }
        #expect(sent.map(\.info.offerRevision) == [4, 5, 4, 5, 6, 5])
        #expect(
            sent.map(\.size) == [
                rows[0].size, rows[1].size, rows[0].size, rows[1].size, rows[0].size, rows[1].size,
            ])
    }

    @Test(arguments: [
        ("handy", ["8x6@10"]), ("screen", ["16x8@30", "640x360@15"]), ("camera", []),
        ("source", []), ("share", []), ("mic", []), ("filter", []),
    ])
    func `a source's capabilities reach the host`(
        name: String, capabilities: [String]
    ) throws {
        let session = try FakeSession(name, of: testEntry)
        let table = session.extensionTable(GR_EXT_VIDEO_CAPABILITIES)?
            .assumingMemoryBound(to: gr_video_capabilities.self)
        #expect((table == nil) == capabilities.isEmpty)
        guard let told = table?.pointee else { return }
        #expect(told.struct_size == 16)
        let rows = UnsafeBufferPointer(start: told.rows, count: Int(told.count)).map {
            "\($0.width)x\($0.height)@\($0.fps_numerator / $0.fps_denominator)"
        }
        #expect(rows == capabilities)
    }
}
