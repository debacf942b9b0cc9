import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia

/// Serves the calls of a runner with the host's own functions.
///
/// The service copies each value of the message once, and the function that receives the value
/// checks it. A runner can use only its plugin's instance and senders.
struct HostService {
    let connection: RunnerConnection
    let channel: Channel

    /// Serves a call.
    ///
    /// - Returns: The length of the answer in the message; nil if the call is unknown.
    func serve(_ call: RemoteCall, _ length: Int) -> Int? {
        guard let observer = connection.observer else { return make(call, length) }
        return observer.serve(call, on: channel, frames: connection.frames) { make(call, length) }
    }

    private func make(_ call: RemoteCall, _ length: Int) -> Int? {
        let answered = answer(call, length)
        switch call {
        case .videoSend, .videoAcquire, .videoCommit, .videoAbandon, .audioSend:
            if answered != nil, channel.read(Int32.self) == Status.gone.rawValue {
                connection.warnOfDeadSender()
            }
        default: break
        }
        return answered
    }

    private func answer(_ call: RemoteCall, _ length: Int) -> Int? {
        switch call {
        case .log, .setError, .giveUp: passText(call, length)
        case .now: answer(HostInterface.host.pointee.now_ns(instance))
        case .waitUntil:
            answer(
                HostInterface.host.pointee.wait_until_ns(
                    instance, channel.read(Int64.self, at: MessageLayout.subject)))
        case .refusalText: refusalText()
        case .paused, .resumed: answer(shareState(call))
        case .videoSend: send()
        case .videoAcquire: acquire()
        case .videoCommit: commit()
        case .videoAbandon: abandon()
        case .audioSend: sendAudio(length)
        case .audioClear, .audioQueued: audioQueue(call)
        case .keepFrame:
            answer(
                HostInterface.output.pointee.keep(instance, channel.read(at: MessageLayout.subject))
            )
        case .releaseFrame:
            answer(
                HostInterface.output.pointee.release(
                    instance, channel.read(at: MessageLayout.subject)))
        case .reportValue: report(length)
        case .joined, .left, .openTrack, .closeTrack, .setMuted, .setRecorded:
            serveCall(call, length)
        case .setCeiling, .outputState: passOutput(call, length)
        case .fileFinished: finishFile(length)
        case .caption: addCaption(length)
        case .wantsChanged: answer(HostInterface.output.pointee.wants_changed(instance))
        case .command: passCommand(length)
        case .describeSession: passSessionText(HostInterface.control.pointee.describe)
        case .openConnection: openConnection(length)
        case .makeMemory: makeMemory()
        case .reportSession: passSessionText(HostInterface.control.pointee.report)
        default: nil
        }
    }

    /// The call's instance; 0 if the instance is not this plugin's.
    private var instance: UInt64 {
        let named = channel.read(UInt64.self, at: MessageLayout.name)
        return named == connection.context.handle ? named : 0
    }

    /// The call's sender; 0 if the sender is not this plugin's.
    private var sender: UInt64 {
        let named = channel.read(UInt64.self, at: MessageLayout.name)
        return connection.mayUse(named) ? named : 0
    }

    private func answer<Value: BitwiseCopyable>(_ value: Value) -> Int {
        channel.write(value)
        return MemoryLayout<Value>.size
    }

    /// The longest text that the host accepts, in bytes.
    private static let textLimit = 2000

    /// Calls a body with a text of the plugin, or with NULL. The header forbids NULL, but a plugin
    /// may pass it.
    ///
    /// - Parameter flag: The offset in the message of the text's presence flag. The text follows at
    ///   the next multiple of 8.
    private func withText<Result>(
        after flag: Int, _ length: Int, limit: Int = textLimit,
        _ body: (UnsafePointer<CChar>) -> Result
    ) -> Result {
        let isText = channel.read(UInt8.self, at: flag) != 0
        let text = channel.text(from: flag / 8 * 8 + 8, length: length, limit: limit)
        return text.withUnsafeBufferPointer { buffer in
            let null: UnsafePointer<CChar>? = nil
            return body(
                unsafeBitCast(isText ? buffer.baseAddress : null, to: UnsafePointer<CChar>.self))
        }
    }

    /// Passes a text of the plugin to its function.
    private func passText(_ call: RemoteCall, _ length: Int) -> Int {
        let number = channel.read(Int32.self, at: MessageLayout.subject)
        if call == .log { connection.countLines(1) }
        let host = HostInterface.host.pointee
        withText(after: MessageLayout.subject + 4, length) { text in
            switch call {
            case .log: host.log(instance, UInt32(bitPattern: number), text)
            case .setError: host.set_error(instance, text)
            default: host.give_up(instance, number, text)
            }
        }
        return 0
    }

    /// Pauses or resumes a share. Each call writes a line to the log.
    private func shareState(_ call: RemoteCall) -> gr_status {
        connection.countLines(1)
        let share = HostInterface.broadcast.pointee
        return call == .paused ? share.paused(instance) : share.resumed(instance)
    }

    /// Passes a value for the report.
    private func report(_ length: Int) -> Int {
        let value = Double(bitPattern: channel.read(at: MessageLayout.subject))
        return withText(after: MessageLayout.subject + 8, length) { name in
            answer(HostInterface.output.pointee.report(instance, name, value))
        }
    }

    /// Passes a ceiling of an output, or its state.
    private func passOutput(_ call: RemoteCall, _ length: Int) -> Int {
        let place = MessageLayout.subject
        var message = channel.read(OutputMessage.self, at: place)
        let text = channel.text(
            from: place + MemoryLayout<OutputMessage>.stride, length: length,
            limit: Self.textLimit)
        let host = HostInterface.output.pointee
        return text.withUnsafeBufferPointer { buffer in
            let text = message.hasText != 0 ? buffer.baseAddress : nil
            guard call == .setCeiling else {
                // The host writes a line to the log.
                connection.countLines(1)
                return answer(host.state(instance, message.number, text))
            }
            let (track, isNull) = (message.number, message.hasCapability == 0)
            return withUnsafePointer(to: &message.capability) { capability in
                answer(host.set_ceiling(instance, track, isNull ? nil : capability, text))
            }
        }
    }

    /// Reports a complete file. Each one is an event.
    private func finishFile(_ length: Int) -> Int {
        connection.countLines(1)
        return withText(after: MessageLayout.subject, length, limit: Int(PATH_MAX)) { path in
            answer(HostInterface.files.pointee.finished(instance, path))
        }
    }

    /// Adds a caption. The host writes a line to the log.
    private func addCaption(_ length: Int) -> Int {
        connection.countLines(1)
        let place = MessageLayout.subject + MemoryLayout<CaptionMessage>.stride
        let message = channel.read(CaptionMessage.self, at: MessageLayout.subject)
        let speakerLength = min(
            max(Int(message.speakerLength), 0), CaptionMessage.speakerLimit)
        let speaker = channel.text(from: place, length: length, limit: speakerLength)
        let text = channel.text(
            from: place + speakerLength, length: length, limit: Int(GR_MAX_CAPTION) + 1)
        return speaker.withUnsafeBufferPointer { speaker in
            text.withUnsafeBufferPointer { text in
                guard let text = text.baseAddress else { return answer(Status.failed.rawValue) }
                var caption = gr_caption(
                    struct_size: message.structSize, reserved: 0,
                    speaker: message.speakerLength < 0 ? nil : speaker.baseAddress, text: text,
                    start_ns: message.start, end_ns: message.end)
                return answer(HostInterface.captions.pointee.add(instance, &caption))
            }
        }
    }

    /// Clears an audio queue, or measures it.
    private func audioQueue(_ call: RemoteCall) -> Int {
        let table = HostInterface.audioQueue.pointee
        var nanoseconds: Int64 = 0
        let status = (call == .audioClear ? table.clear : table.queued)(sender, &nanoseconds)
        channel.write(nanoseconds, at: MessageLayout.subject)
        _ = answer(status)
        return MessageLayout.samples
    }

    // MARK: Calls

    /// Serves a call plugin's requests. Each request writes a line to the log.
    private func serveCall(_ call: RemoteCall, _ length: Int) -> Int {
        connection.countLines(1)
        let host = HostInterface.call.pointee
        let place = MessageLayout.subject
        return switch call {
        case .joined: join(length)
        case .left: answer(host.left(instance, channel.read(at: place)))
        case .openTrack: openTrack()
        case .setRecorded:
            answer(
                HostInterface.recording.pointee.set_recorded(
                    instance, channel.read(at: place), channel.read(at: place + 8)))
        case .closeTrack: answer(host.close_track(instance, allowed(channel.read(at: place))))
        default:
            answer(
                host.set_muted(
                    instance, allowed(channel.read(at: place)), channel.read(at: place + 8)))
        }
    }

    /// The sender, or 0 if the plugin may not use it.
    private func allowed(_ sender: UInt64) -> UInt64 { connection.mayUse(sender) ? sender : 0 }

    /// Adds a participant.
    private func join(_ length: Int) -> Int {
        var participant: UInt32 = 0
        let status = withText(after: MessageLayout.subject, length) { name in
            HostInterface.call.pointee.joined(instance, name, &participant)
        }
        channel.write(participant, at: MessageLayout.subject)
        _ = answer(status)
        return MessageLayout.samples
    }

    /// Opens a track. The plugin may use the track's sender afterwards.
    private func openTrack() -> Int {
        var track = channel.read(gr_open_track.self, at: MessageLayout.subject)
        let isNull = channel.read(UInt8.self, at: MessageLayout.isNull) != 0
        let status = withMutablePointer(to: &track, isNull: isNull) {
            HostInterface.call.pointee.open_track(instance, $0)
        }
        if status == Status.ok.rawValue { connection.add(trackSender: track.sender) }
        // The host's addresses are useless in the plugin's process.
        track.video = nil
        track.audio = nil
        channel.write(track, at: MessageLayout.subject)
        _ = answer(status)
        return MessageLayout.samples
    }

    // MARK: Control

    /// Passes a command. Each command writes a line to the log.
    private func passCommand(_ length: Int) -> Int {
        connection.countLines(1)
        var number: UInt32 = 0
        let status = withText(
            after: MessageLayout.subject, length, limit: Int(GR_MAX_COMMAND) + 1
        ) { text in
            HostInterface.control.pointee.command(instance, text, &number)
        }
        channel.write(number, at: MessageLayout.subject)
        _ = answer(status)
        return MessageLayout.samples
    }

    /// Writes a text of the session, preceded by its length, to the message.
    private func passSessionText(
        _ copy: (
            gr_instance, UnsafeMutablePointer<CChar>, UInt64, UnsafeMutablePointer<UInt64>
        ) -> gr_status
    ) -> Int? {
        let instance = instance
        let capacity = min(
            channel.read(UInt64.self, at: MessageLayout.subject),
            UInt64(Channels.messageByteCount - MessageLayout.samples))
        guard let base = channel.message.baseAddress else { return nil }
        let place = (base + MessageLayout.samples).assumingMemoryBound(to: CChar.self)
        var length: UInt64 = 0
        let status = copy(instance, place, capacity, &length)
        channel.write(length, at: MessageLayout.subject)
        _ = answer(status)
        return MessageLayout.samples + Int(clamping: length) + 1
    }

    // MARK: Connections

    /// Connects the plugin to another program.
    private func openConnection(_ length: Int) -> Int {
        var connection = gr_connection()
        connection.struct_size = channel.read(at: MessageLayout.subject)
        let status = withText(after: MessageLayout.subject + 4, length) { name in
            HostInterface.connections.pointee.open(instance, name, &connection)
        }
        let descriptor = connection.descriptor
        connection.descriptor = -1
        channel.write(connection, at: MessageLayout.subject)
        return answer(status, handingOver: descriptor)
    }

    private func makeMemory() -> Int {
        var descriptor: Int32 = -1
        let status = HostInterface.connections.pointee.make_memory(
            instance, channel.read(at: MessageLayout.subject), &descriptor)
        return answer(status, handingOver: descriptor)
    }

    /// Answers a call. If the call succeeded, first sends the descriptor to the plugin's process.
    private func answer(_ status: gr_status, handingOver descriptor: Int32) -> Int {
        guard status == Status.ok.rawValue else {
            _ = answer(status)
            return MessageLayout.samples
        }
        let number = connection.handOver(descriptor)
        close(descriptor)
        channel.write(number ?? 0, at: MessageLayout.number)
        _ = answer(number == nil ? Status.failed.rawValue : status)
        return MessageLayout.samples
    }

    private func refusalText() -> Int {
        let most = 4096
        let length = withUnsafeTemporaryAllocation(of: CChar.self, capacity: most) { buffer in
            let length = HostInterface.host.pointee.refusal_text(
                buffer.baseAddress, UInt64(most))
            let count = min(Int(clamping: length), most - 1)
            return channel.write(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), at: 0)
        }
        return length
    }

    // MARK: Video

    private func send() -> Int? {
        connection.countFrame()
        let sender = sender
        var frame = channel.read(gr_video_frame.self, at: MessageLayout.subject)
        let isNull = channel.read(UInt8.self, at: MessageLayout.isNull) != 0
        let granted = channel.read(UInt64.self, at: MessageLayout.number)
        takeBackUnused(of: sender)
        let state = connection.channels.senderState
        var isLost = false
        let (status, form) = withPointer(to: &frame, isNull: isNull) { frame in
            HostInterface.send(sender, frame, in: granted) { copy, _ in
                guard let frames = connection.frames else { return false }
                channel.write(SharedPlanes(of: copy, in: frames))
                isLost =
                    channel.call(.copyPlanes, length: MemoryLayout<SharedPlanes>.size) == nil
                return !isLost
            }
        }
        guard !isLost else { return nil }
        return answer(status, lendingLike: form, converts: true, sender, since: state)
    }

    /// Answers a frame, and lends the next frame.
    ///
    /// - Parameters:
    ///   - form: The form of the frame; nil to lend none.
    ///   - converts: Whether the plugin's process may convert the next frame's pixels.
    ///   - state: The sender's state before the answer was decided. A later change invalidates the
    ///     lent frame.
    private func answer(
        _ status: gr_status, lendingLike form: FrameForm?, converts: Bool = false,
        _ sender: UInt64, since state: SenderState
    ) -> Int {
        var message = GrantMessage(
            lease: gr_lease(), planes: SharedPlanes(), state: state.rawValue,
            filling: GrantFilling())
        // An observer counts leases; the tracks of a call share their frames.
        if status == Status.ok.rawValue, connection.observer == nil, sender == connection.sender,
            let frames = connection.frames, let form, !form.format.isCompressed,
            let (lease, conversion) = HostInterface.grant(sender, like: form, converts: converts)
        {
            message.planes = SharedPlanes(of: lease.frame, in: frames)
            message.lease = lease
            message.lease.frame.clearAddresses()
            if let conversion { message.filling = GrantFilling(by: conversion) }
        }
        channel.write(message, at: MessageLayout.subject)
        _ = answer(status)
        return MessageLayout.samples
    }

    /// Takes back the frame that was lent in advance, if the message reports it unused.
    private func takeBackUnused(of sender: UInt64) {
        let unused = channel.read(UInt64.self, at: MessageLayout.unused)
        if unused != 0 { HostInterface.takeBack(unused, lentTo: sender) }
    }

    private func acquire() -> Int {
        let sender = sender
        var lease = gr_lease()
        lease.struct_size = channel.read(at: MessageLayout.subject + 12)
        let isNull = channel.read(UInt8.self, at: MessageLayout.isNull) != 0
        let (format, width, height): (UInt32, UInt32, UInt32) = (
            channel.read(at: MessageLayout.subject), channel.read(at: MessageLayout.subject + 4),
            channel.read(at: MessageLayout.subject + 8)
        )
        takeBackUnused(of: sender)
        let status = withMutablePointer(to: &lease, isNull: isNull) {
            HostInterface.video.pointee.acquire(sender, format, width, height, $0)
        }
        if status == Status.ok.rawValue, let frames = connection.frames {
            let planes = SharedPlanes(of: lease.frame, in: frames)
            lease.frame.clearAddresses()
            channel.write(lease, at: MessageLayout.subject)
            channel.write(planes, at: MessageLayout.subject + MemoryLayout<gr_lease>.stride)
        }
        _ = answer(status)
        return MessageLayout.samples
    }

    private func commit() -> Int {
        connection.countFrame()
        let sender = sender
        let id = channel.read(UInt64.self, at: MessageLayout.subject)
        var info = channel.read(gr_frame_info.self, at: MessageLayout.subject + 8)
        let isNull = channel.read(UInt8.self, at: MessageLayout.isNull) != 0
        let state = connection.channels.senderState
        let (status, form) = withPointer(to: &info, isNull: isNull) {
            HostInterface.commit(sender, id, $0)
        }
        return answer(status, lendingLike: form, sender, since: state)
    }

    private func abandon() -> Int {
        let sender = sender
        let id = channel.read(UInt64.self, at: MessageLayout.subject)
        return answer(HostInterface.video.pointee.abandon(sender, id))
    }

    // MARK: Audio

    private func sendAudio(_ length: Int) -> Int {
        let sender = sender
        let timeout = channel.read(Int64.self, at: MessageLayout.number)
        var block = channel.read(gr_audio_block.self, at: MessageLayout.subject)
        let isNull = channel.read(UInt8.self, at: MessageLayout.isNull) != 0
        if let samples = block.samples {
            // Keep an odd address odd, so that the host refuses it, as for a plugin in the host's
            // process.
            let place = MessageLayout.samples + (UInt(bitPattern: samples) % 2 == 0 ? 0 : 1)
            block.samples = channel.message.baseAddress.map {
                UnsafePointer(($0 + place).assumingMemoryBound(to: Int16.self))
            }
            // Limit the block to the message's size.
            block.size_bytes = min(block.size_bytes, UInt64(Channels.messageByteCount - place))
        }
        return answer(
            withPointer(to: &block, isNull: isNull) {
                HostInterface.audio.pointee.send(sender, $0, timeout)
            })
    }
}

/// Calls a body with a pointer to a value, or with NULL. The header forbids NULL, but a plugin may
/// pass it.
private func withPointer<Value, Result>(
    to value: inout Value, isNull: Bool, _ body: (UnsafePointer<Value>) -> Result
) -> Result {
    withUnsafePointer(to: &value) { pointer in
        let null: UnsafePointer<Value>? = nil
        return body(isNull ? unsafeBitCast(null, to: UnsafePointer<Value>.self) : pointer)
    }
}

private func withMutablePointer<Value, Result>(
    to value: inout Value, isNull: Bool, _ body: (UnsafeMutablePointer<Value>) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &value) { pointer in
        let null: UnsafeMutablePointer<Value>? = nil
        return body(isNull ? unsafeBitCast(null, to: UnsafeMutablePointer<Value>.self) : pointer)
    }
}

extension gr_mutable_frame {
    /// Clears the host's addresses, which are useless in another process. The plugin receives the
    /// offsets of the planes.
    mutating func clearAddresses() {
        planes.0.data = nil
        planes.1.data = nil
        planes.2.data = nil
    }
}

extension GrantFilling {
    /// Describes a frame that a conversion fills.
    init(by conversion: EarlyConversion) {
        let form = conversion.form
        self.init(
            format: form.format.rawValue, rotation: form.rotation.rawValue,
            range: form.color.range.rawValue, matrix: form.color.matrix.rawValue,
            weights: conversion.weights)
    }
}

extension SharedPlanes {
    /// The planes of a frame that the plugin may write to.
    init(of frame: gr_mutable_frame, in frames: SharedMemory) {
        self.init(of: gr_video_frame(frame), in: frames)
    }

    /// The planes of a frame that the plugin may read.
    init(of frame: gr_video_frame, in frames: SharedMemory) {
        self.init()
        let planes: InlineArray<3, gr_plane> = [
            frame.planes.0, frame.planes.1, frame.planes.2,
        ]
        for index in 0..<min(planes.count, Int(clamping: frame.plane_count)) {
            let plane = planes[index]
            guard let data = plane.data else { continue }
            self[index] = SharedPlane(
                offset: UInt64(UnsafeRawPointer(data) - UnsafeRawPointer(frames.base)),
                strideBytes: UInt64(plane.stride_bytes), byteCount: plane.size_bytes)
        }
    }

    /// The planes that the plugin's process must fill.
    init(of frame: borrowing VideoFrame, in frames: SharedMemory) {
        self.init()
        for index in 0..<frame.planeCount {
            self[index] = SharedPlane(
                offset: UInt64(
                    UnsafeRawPointer(frame.unsafePlanePointer(index))
                        - UnsafeRawPointer(frames.base)),
                strideBytes: UInt64(frame.strideBytes(index)),
                byteCount: UInt64(frame.byteCount(index)))
        }
    }
}
