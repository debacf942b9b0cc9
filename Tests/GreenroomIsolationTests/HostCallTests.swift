import Glibc
import GreenroomABI
import GreenroomConversion
import GreenroomIPC
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import Synchronization
import TestSupport
import Testing

@testable import GreenroomIsolation
@testable import GreenroomLifecycle
@testable import GreenroomRunner
@testable import GreenroomVideo

/// Every function of the host gives the same results to a plugin in the host's process and to a plugin
/// in another.
@Suite(.ownThreads, .serialized) struct HostCallTests {
    @Test func `a call has the same result in the host's process and isolated`() throws {
        let local = try Twin(isIsolated: false)
        let isolated = try Twin(isIsolated: true)
        defer { isolated.end() }
        let here = record(local)
        let there = record(isolated)
        #expect(here.count == there.count)
        for (here, there) in zip(here, there) { #expect(here == there) }

        let called = Set(here.map(\.function))
        #expect(Set(HostFunction.allCases).subtracting(called) == [.refusalText])
        // The texts without numbers and names, which differ between the examples.
        let refusals = Set(here.map { Self.words(of: $0.refusal) })
        for rule in Self.rules {
            let text = Refusal(rule, in: .log).text
            let isSeen = refusals.contains(Self.words(of: text))
            #expect(isSeen, "no call was refused with \(text)")
        }
    }

    /// Every rule, with an example.
    private static let rules: [Refusal.Rule] = [
        .notStarted, .stopped, .gone, .null, .structTooSmall(size: 0, needed: 0), .misaligned,
        .unknownFormat(0), .compressedLease, .size(width: 0, height: 0), .planeCount(0, needed: 0),
        .planeWithoutData(plane: 0), .stride(plane: 0, stride: 0, needed: 0),
        .length(plane: 0, length: 0, needed: 0), .compressedLength(0, longest: 0),
        .blockLength(0, needed: 0), .rotation(0), .range(0), .matrix(0), .revision(0, newest: 0),
        .timestamp(0), .lease(0), .rate(0), .channels(0), .emptyBlock,
        .longBlock(frames: 0, longest: 0), .queueFull, .noBuffer(limit: 0), .poolEmpty(limit: 0),
        .data("not a JPEG image: it does not begin with FF D8"), .keptLimit(0),
        .notLent(0), .notKept(0), .reportName, .reportNumber, .reportLimit(0), .participantName,
        .participantLimit(0), .unknownParticipant(0), .trackKind(0), .secondTrack(.camera),
        .closedTrack, .frameRate(0, 0), .changeLimit(0), .additionLimit(0), .unknownTrack(0),
        .audioTrack(0), .ceiling(width: 0, height: 0, numerator: 0, denominator: 0),
        .outputState(0), .unknownFile("relative"), .captionText(0), .captionTimes(start: 0, end: 0),
        .commandText, .command("wrong is no command. Send another one."),
        .connection(.badArgument, "the size is 0. Pass the bytes needed."), .controlRate(0),
        .noSessionYet, .textLength(0, capacity: 0),
    ]

    /// The rule and the fix of a refusal, without numbers.
    private static func words(of text: String) -> String {
        let rule = text.split(separator: ": ", maxSplits: 2).last ?? ""
        return String(rule.filter { !$0.isNumber && $0 != "-" })
    }

    /// Makes calls on a new thread: a thread belongs to one plugin.
    private func record(_ twin: Twin) -> [CallScript.Result] {
        let results = Monitor<[CallScript.Result]?>(nil)
        _ = HostThread(name: "plugin") {
            var script = CallScript(twin)
            let made = script.run()
            results.change { $0 = made }
        }
        let deadline = MonotonicClock.deadline(after: 60_000_000_000)
        return results.wait(until: deadline) { $0 } ?? []
    }
}

/// Two instances that have every extension: one with a video sender, one with an audio sender.
final class Twin: Sendable {
    let share: Instance
    let microphone: Instance

    init(isIsolated: Bool) throws {
        share = try Instance(.shareSource, isIsolated: isIsolated)
        microphone = try Instance(.virtualMic, isIsolated: isIsolated)
    }

    func end() {
        share.border?.end()
        microphone.border?.end()
    }

    struct Instance: Sendable {
        let rig: RiggedInstance
        let border: Border?
        /// The plugin's handles.
        let handle: UInt64
        let sender: UInt64

        init(_ kind: PluginKind, isIsolated: Bool) throws {
            rig = try RiggedInstance(kind)
            border = isIsolated ? try Border(rig) : nil
            handle = border?.handle ?? rig.context.handle
            sender = border?.sender ?? rig.source.sender
        }
    }
}

/// A border between processes, with both sides in this process.
final class Border: Sendable {
    let connection: RunnerConnection
    private let runner: Runner
    let handle = Runner.nextHandle()
    let sender = Runner.nextHandle()

    init(_ rig: RiggedInstance) throws {
        let (context, source) = (rig.context, rig.source)
        let pair = try ControlSocket.pair()
        connection = RunnerConnection(
            ControlSocket(adopting: pair.host), try Channels(), frames: source.frames,
            context: context, terminate: { $0.disconnect() })
        connection.sender = source.sender
        runner = try Runner(
            socket: ControlSocket(adopting: pair.runner),
            environment: Runner.Environment(
                confine: { _, _ in [] },
                load: { path throws(LoadError) in
                    try PluginLibrary(entry: RecordingPlugin.entry, path: path)
                }, end: {}))
        runner.state.withLock {
            $0.instance = (context.handle, handle)
            $0.sender = (source.sender, sender)
            $0.extensions = context.extensions
        }
        _ = HostThread(name: "runner") { [runner] in runner.run() }
        _ = HostThread(name: "watch") { [connection] in
            while true {
                var ready = pollfd(
                    fd: connection.socketDescriptor, events: Int16(POLLIN), revents: 0)
                poll(&ready, 1, -1)
                if case .disconnected = connection.receive() { return }
            }
        }
        _ = try connection.handshake(with: "test")
    }

    func end() {
        connection.kill()
        Runner.remove(runner)
    }
}

/// The calls of a plugin, in order.
private struct CallScript {
    struct Result: Equatable, Sendable {
        var function: HostFunction
        var status: Status
        /// The values that the host has written.
        var values: String
        /// The text of the refusal; empty if the call was accepted.
        var refusal: String
    }

    private let twin: Twin
    private var results: [Result] = []
    private let host = HostInterface.host.pointee
    private let video = HostInterface.video.pointee
    private let audio = HostInterface.audio.pointee
    private let output = HostInterface.output.pointee
    private let call = HostInterface.call.pointee
    private let control = HostInterface.control.pointee

    init(_ twin: Twin) { self.twin = twin }

    private var instance: UInt64 { twin.share.handle }
    private var sender: UInt64 { twin.share.sender }
    /// A handle that no instance and no sender has.
    private var unknown: UInt64 { instance & HostInterface.runnerMark | 4711 }

    /// A pointer that the header declares as not NULL.
    private func null<Type>(_: Type.Type = Type.self) -> UnsafeMutablePointer<Type> {
        let null: UnsafeMutablePointer<Type>? = nil
        return unsafeBitCast(null, to: UnsafeMutablePointer<Type>.self)
    }

    private var noText: UnsafePointer<CChar> { UnsafePointer(null()) }

    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Records a call.
    private mutating func expect(
        _ function: HostFunction, _ status: gr_status, _ values: Any...
    ) {
        var text = [CChar](repeating: 0, count: 1000)
        if status != Status.ok.rawValue { _ = host.refusal_text(&text, 1000) }
        results.append(
            Result(
                function: function, status: Status(rawValue: status),
                values: status == Status.ok.rawValue
                    ? values.map { "\($0)" }.joined(separator: " ") : "",
                refusal: Self.text(text)))
    }

    mutating func run() -> [Result] {
        do {
            sendFrame { _ in }
            var participant: UInt32 = 0
            expect(.joined, call.joined(instance, "Ana", &participant))
            try twin.share.rig.start()
            try twin.microphone.rig.start()
            callInstance()
            callOutput()
            callCall()
            callControl()
            callConnections()
            sendFrames()
            leaseFrames()
            sendBlocks()
            try twin.share.rig.stop()
            sendFrame { _ in }
            expect(.waitUntil, host.wait_until_ns(instance, 0))
            expect(.finished, HostInterface.broadcast.pointee.finished(instance, "the end"))
            try twin.share.rig.uninitialize()
            sendFrame { _ in }
            expect(.keep, output.keep(instance, 1))
        } catch {
            Issue.record(error)
        }
        return results
    }

    // MARK: Instances

    private mutating func callInstance() {
        // These functions return nothing.
        host.log(instance, 2, "text")
        host.log(instance, 2, noText)
        expect(.log, 0)
        host.set_error(instance, "text")
        expect(.setError, 0)
        expect(.now, 0, host.now_ns(instance) > 0, host.now_ns(unknown))
        expect(.waitUntil, host.wait_until_ns(instance, 0))
        expect(.waitUntil, host.wait_until_ns(unknown, 0))
        for id in [GR_EXT_OUTPUT_HOST, GR_EXT_AUDIO_QUEUE, GR_EXT_CONTROL_HOST, "greenroom.none/1"]
        {
            expect(.getExtension, 0, host.get_extension(instance, id) == nil)
        }
        expect(.getExtension, 0, host.get_extension(instance, noText) == nil)
        expect(.getExtension, 0, host.get_extension(unknown, GR_EXT_OUTPUT_HOST) == nil)
        expect(.held, HostInterface.hold.pointee.held(instance, 1))
        expect(.held, HostInterface.hold.pointee.held(unknown, 0))
        expect(.damaged, HostInterface.hold.pointee.damaged(instance, 2))
        expect(.damaged, HostInterface.hold.pointee.damaged(unknown, 1))
        let share = HostInterface.broadcast.pointee
        expect(.paused, share.paused(instance))
        expect(.resumed, share.resumed(instance))
        expect(.resumed, share.resumed(unknown))
        caption { _ in }
        caption { $0.speaker = nil }
        caption { $0.struct_size = 8 }
        caption { $0.end_ns = -1 }
        caption(text: "") { _ in }
        caption(text: String(repeating: "a", count: 1001)) { _ in }
        expect(.caption, HostInterface.captions.pointee.add(instance, null()))
    }

    private mutating func caption(text: String = "text", _ change: (inout gr_caption) -> Void) {
        let status = "Ana".withCString { speaker in
            text.withCString { text in
                var caption = gr_caption(
                    struct_size: UInt32(MemoryLayout<gr_caption>.size), reserved: 0,
                    speaker: speaker, text: text, start_ns: 0, end_ns: 1)
                change(&caption)
                return HostInterface.captions.pointee.add(instance, &caption)
            }
        }
        expect(.caption, status)
    }

    private mutating func callOutput() {
        expect(.keep, output.keep(instance, 5))
        expect(.release, output.release(instance, 5))
        for _ in 0...GR_MAX_KEPT {
            guard
                let frame = twin.share.rig.source.pool?.take(
                    .i420, FrameSize(width: 64, height: 48))
            else { break }
            let id = twin.share.rig.feed.lend(frame)
            expect(.keep, output.keep(instance, id))
        }
        for id in 1...UInt64(GR_MAX_KEPT) { expect(.release, output.release(instance, id)) }
        twin.share.rig.feed.endLending()
        expect(.report, output.report(instance, "value", 1))
        expect(.report, output.report(instance, noText, 1))
        expect(.report, output.report(instance, "Wrong name", 1))
        expect(.report, output.report(instance, "value", .infinity))
        for number in 0..<32 { expect(.report, output.report(instance, "value-\(number)", 1)) }
        var ceiling = gr_capability(width: 32, height: 24, fps_numerator: 15, fps_denominator: 1)
        expect(.setCeiling, output.set_ceiling(instance, 1, &ceiling, "why"))
        expect(.setCeiling, output.set_ceiling(instance, 1, &ceiling, nil))
        expect(.setCeiling, output.set_ceiling(instance, 1, nil, nil))
        expect(.setCeiling, output.set_ceiling(instance, 2, &ceiling, "why"))
        expect(.setCeiling, output.set_ceiling(instance, 99, &ceiling, "why"))
        ceiling.width = 0
        expect(.setCeiling, output.set_ceiling(instance, 1, &ceiling, "why"))
        expect(.wantsChanged, output.wants_changed(instance))
        expect(.outputState, output.state(instance, 2, String(repeating: "a", count: 300)))
        expect(.outputState, output.state(instance, 2, nil))
        expect(.outputState, output.state(instance, 99, nil))
        let files = HostInterface.files.pointee
        expect(.fileFinished, files.finished(instance, noText))
        expect(.fileFinished, files.finished(instance, "relative"))
        expect(.fileFinished, files.finished(instance, String(repeating: "a", count: 5000)))
    }

    // MARK: Calls

    private mutating func callCall() {
        var participant: UInt32 = 0
        expect(.joined, call.joined(instance, noText, &participant))
        expect(.joined, call.joined(instance, "Ana", null()))
        expect(.joined, call.joined(instance, "", &participant))
        expect(.joined, call.joined(instance, String(repeating: "a", count: 101), &participant))
        expect(.joined, call.joined(instance, String(repeating: "a", count: 100), &participant))
        expect(.joined, call.joined(instance, "Ana", &participant), participant)
        let camera = open(GR_TRACK_CAMERA, of: participant)
        _ = open(GR_TRACK_CAMERA, of: participant)
        _ = open(GR_TRACK_CAMERA, of: 99)
        _ = open(GR_TRACK_MIX, of: participant)
        _ = open(GR_TRACK_SHARE, of: participant) { $0.struct_size = 8 }
        _ = open(GR_TRACK_SHARE, of: participant) { $0.capability.fps_denominator = 0 }
        _ = open(GR_TRACK_MICROPHONE, of: participant)
        expect(.openTrack, call.open_track(instance, null()))
        var frame = Self.frame
        Self.pixels { planes in
            Self.place(planes, in: &frame)
            expect(.videoSend, video.send(camera, &frame))
        }
        expect(.setMuted, call.set_muted(instance, camera, 1))
        expect(.setMuted, call.set_muted(instance, unknown, 1))
        expect(.closeTrack, call.close_track(instance, sender))
        expect(.closeTrack, call.close_track(instance, camera))
        expect(.closeTrack, call.close_track(instance, camera))
        let recording = HostInterface.recording.pointee
        expect(.setRecorded, recording.set_recorded(instance, participant, 0))
        expect(.setRecorded, recording.set_recorded(instance, 99, 0))
        expect(.left, call.left(instance, 99))
        expect(.left, call.left(instance, participant))
        for _ in 0...GR_MAX_PARTICIPANTS {
            expect(.joined, call.joined(instance, "Ana", &participant), participant)
        }
        // The first call above each limit.
        repeatUntilRefused(.joined, "within a second") {
            $0.call.joined($0.instance, "Ana", &participant)
        }
        let kept = participant
        repeatUntilRefused(.setRecorded, "changes") {
            HostInterface.recording.pointee.set_recorded($0.instance, kept, 1)
        }
    }

    /// Repeats a call until the refusal contains a word, and records that call.
    private mutating func repeatUntilRefused(
        _ function: HostFunction, _ word: String, _ body: (CallScript) -> gr_status
    ) {
        for _ in 0..<10_000 {
            let status = body(self)
            var text = [CChar](repeating: 0, count: 1000)
            if status != 0 { _ = host.refusal_text(&text, 1000) }
            guard Self.text(text).contains(word) else { continue }
            return expect(function, status)
        }
        Issue.record("\(function.facts.name) is never refused")
    }

    private mutating func open(
        _ kind: Int, of participant: UInt32, _ change: (inout gr_open_track) -> Void = { _ in }
    ) -> UInt64 {
        var track = gr_open_track()
        track.struct_size = UInt32(MemoryLayout<gr_open_track>.size)
        track.participant = participant
        track.kind = UInt32(kind)
        track.capability = gr_capability(
            width: 64, height: 48, fps_numerator: 30, fps_denominator: 1)
        change(&track)
        let status = call.open_track(instance, &track)
        expect(
            .openTrack, status, track.track, track.sender != 0,
            track.video == UnsafePointer(HostInterface.video),
            track.audio == UnsafePointer(HostInterface.audio))
        return track.sender
    }

    // MARK: Grants

    private mutating func callControl() {
        var number: UInt32 = 0
        expect(.command, control.command(instance, noText, &number))
        expect(.command, control.command(instance, "stop camera", null()))
        expect(.command, control.command(instance, String(repeating: "a", count: 4097), &number))
        expect(.command, control.command(instance, "wrong", &number))
        expect(.command, control.command(instance, "stop camera", &number), number)
        var text = [CChar](repeating: 1, count: 100)
        var length: UInt64 = 0
        expect(.describe, control.describe(instance, null(), 100, &length))
        expect(.describe, control.describe(instance, &text, 100, null()))
        expect(.describe, control.describe(instance, &text, 2, &length))
        expect(.describe, control.describe(instance, &text, 100, &length), length, text)
        expect(.sessionReport, control.report(instance, &text, 100, &length))
        repeatUntilRefused(.sessionReport, "per second") {
            $0.control.report($0.instance, &text, 100, &length)
        }
    }

    private mutating func callConnections() {
        let connections = HostInterface.connections.pointee
        var connection = gr_connection()
        expect(.connect, connections.open(instance, "/nowhere", &connection))
        connection.struct_size = UInt32(MemoryLayout<gr_connection>.size)
        expect(.connect, connections.open(instance, noText, &connection))
        expect(.connect, connections.open(instance, "/nowhere", null()))
        expect(.connect, connections.open(instance, "nothing", &connection))
        expect(.connect, connections.open(instance, "/nowhere/at/all", &connection))
        expect(
            .connect,
            connections.open(instance, "/" + String(repeating: "a", count: 3000), &connection))
        var memory: Int32 = -1
        expect(.makeMemory, connections.make_memory(instance, 4096, null()))
        expect(.makeMemory, connections.make_memory(instance, 0, &memory))
        let status = connections.make_memory(instance, 4096, &memory)
        var about = stat()
        fstat(memory, &about)
        expect(.makeMemory, status, about.st_size)
        close(memory)
    }

    // MARK: Frames

    private static var frame: gr_video_frame {
        var frame = gr_video_frame()
        frame.struct_size = UInt32(MemoryLayout<gr_video_frame>.size)
        frame.format = PixelFormat.i420.rawValue
        (frame.width, frame.height, frame.plane_count) = (64, 48, 3)
        frame.planes.0 = gr_plane(
            data: nil, size_bytes: 64 * 48, stride_bytes: 64, reserved: 0)
        frame.planes.1 = gr_plane(
            data: nil, size_bytes: 32 * 24, stride_bytes: 32, reserved: 0)
        frame.planes.2 = frame.planes.1
        frame.info = info
        return frame
    }

    private static let info = gr_frame_info(
        struct_size: UInt32(MemoryLayout<gr_frame_info>.size), rotation: 0, range: 1, matrix: 1,
        offer_revision: 1, reserved: 0, pts_ns: .min)

    private static func place(_ pixels: UnsafePointer<UInt8>, in frame: inout gr_video_frame) {
        frame.planes.0.data = pixels
        frame.planes.1.data = pixels
        frame.planes.2.data = pixels
    }

    private static func pixels(_ body: (UnsafePointer<UInt8>) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64 * 64 * 4) { bytes in
            bytes.initialize(repeating: 0)
            if let base = bytes.baseAddress { body(base) }
        }
    }

    private mutating func sendFrame(_ change: (inout gr_video_frame) -> Void) {
        var frame = Self.frame
        var status: gr_status = 0
        Self.pixels { planes in
            Self.place(planes, in: &frame)
            change(&frame)
            status = video.send(sender, &frame)
        }
        expect(.videoSend, status)
    }

    private mutating func sendFrames() {
        // The later ones are written into lent memory.
        for pts in 0..<4 { sendFrame { $0.info.pts_ns = Int64(pts) } }
        sendFrame { $0.struct_size = 16 }
        sendFrame { $0.format = 99 }
        sendFrame { $0.width = 0 }
        sendFrame { $0.plane_count = 1 }
        sendFrame { $0.planes.1.data = nil }
        sendFrame { $0.planes.0.stride_bytes = 63 }
        sendFrame { $0.planes.1.size_bytes = 1 }
        sendFrame { $0.info.struct_size = 8 }
        sendFrame { $0.info.rotation = 45 }
        sendFrame { $0.info.range = 9 }
        sendFrame { $0.info.matrix = 9 }
        sendFrame { $0.info.offer_revision = 9 }
        sendFrame { $0.info.pts_ns = -1 }
        for size in [1, 1000] {
            sendFrame {
                $0.format = PixelFormat.mjpeg.rawValue
                $0.plane_count = 1
                $0.planes.0.size_bytes = UInt64(size)
            }
        }
        expect(.videoSend, video.send(sender, null()))
        expect(.videoSend, video.send(unknown, null()))
    }

    private mutating func leaseFrames() {
        let i420 = PixelFormat.i420.rawValue
        var lease = gr_lease()
        expect(.videoAcquire, video.acquire(sender, i420, 64, 48, &lease))
        lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
        expect(.videoAcquire, video.acquire(sender, i420, 64, 48, null()))
        expect(.videoAcquire, video.acquire(sender, 99, 64, 48, &lease))
        expect(.videoAcquire, video.acquire(sender, PixelFormat.mjpeg.rawValue, 64, 48, &lease))
        expect(.videoAcquire, video.acquire(sender, i420, 0, 48, &lease))
        var info = Self.info
        for pts in 10..<13 {
            expect(
                .videoAcquire, video.acquire(sender, i420, 64, 48, &lease), lease.struct_size,
                lease.frame.plane_count, lease.frame.info.offer_revision,
                lease.frame.planes.2.data == nil)
            info.pts_ns = Int64(pts)
            expect(.videoCommit, video.commit(sender, lease.id, &info))
        }
        expect(.videoAcquire, video.acquire(sender, i420, 64, 48, &lease))
        expect(.videoAbandon, video.abandon(sender, lease.id))
        expect(.videoAbandon, video.abandon(sender, 4711))
        expect(.videoCommit, video.commit(sender, 4711, &info))
        expect(.videoAcquire, video.acquire(sender, i420, 64, 48, &lease))
        expect(.videoCommit, video.commit(sender, lease.id, null()))
        var leases: [UInt64] = []
        for _ in 0...8 {
            let status = video.acquire(sender, i420, 64, 48, &lease)
            expect(.videoAcquire, status)
            if status == Status.ok.rawValue { leases.append(lease.id) }
        }
        for lease in leases { expect(.videoAbandon, video.abandon(sender, lease)) }
        var held: [OutputFeed.KeptFrame] = []
        while let frame = twin.share.rig.source.pool?.take(.i420, FrameSize(width: 64, height: 48))
        {
            held.append(OutputFeed.KeptFrame(frame))
        }
        expect(.videoAcquire, video.acquire(sender, i420, 64, 48, &lease))
        withExtendedLifetime(held) {}
    }

    // MARK: Audio

    private mutating func sendBlock(_ change: (inout gr_audio_block) -> Void) {
        let samples = [Int16](repeating: 0, count: 9600)
        let status = samples.withUnsafeBufferPointer { samples in
            var block = gr_audio_block(
                struct_size: UInt32(MemoryLayout<gr_audio_block>.size), sample_rate_hz: 48_000,
                channels: 2, frame_count: 4800, samples: samples.baseAddress, size_bytes: 19_200,
                pts_ns: .min)
            change(&block)
            return audio.send(twin.microphone.sender, &block, 0)
        }
        expect(.audioSend, status)
    }

    private mutating func sendBlocks() {
        var nanoseconds: Int64 = 0
        let (sender, queue) = (twin.microphone.sender, HostInterface.audioQueue.pointee)
        expect(.audioQueued, queue.queued(sender, &nanoseconds), nanoseconds)
        sendBlock { $0.struct_size = 8 }
        sendBlock { $0.sample_rate_hz = 1 }
        sendBlock { $0.channels = 3 }
        sendBlock { $0.frame_count = 0 }
        sendBlock { $0.frame_count = 4801 }
        sendBlock { $0.samples = nil }
        sendBlock { $0.samples = UnsafePointer(bitPattern: UInt(bitPattern: $0.samples) + 1) }
        sendBlock { $0.size_bytes = 10 }
        sendBlock { $0.pts_ns = -1 }
        sendBlock { $0.pts_ns = 0 }
        expect(.audioSend, audio.send(sender, null(), 0))
        expect(.audioSend, audio.send(unknown, null(), 0))
        for _ in 0..<4 { sendBlock { _ in } }
        expect(.audioClear, queue.clear(sender, null()))
        expect(.audioClear, queue.clear(sender, &nanoseconds))
        expect(.audioQueued, queue.queued(sender, null()))
        expect(.audioQueued, queue.queued(unknown, &nanoseconds))
        host.give_up(twin.microphone.handle, 0, "the end")
        expect(.giveUp, 0)
    }
}
