import Glibc
package import GreenroomABI
package import GreenroomConversion
import GreenroomMedia
import GreenroomModel
package import GreenroomPluginInterface
import GreenroomRuntime

/// Performs the calls of plugins in every process. Only this function and the functions that it calls
/// check a plugin's arguments.
package enum HostCalls {
    static let instances = HandleTable<PluginLife>()
    static let videoIngests = HandleTable<VideoIngest>()
    /// A call identifies its tracks only by sender: no handle is in both tables.
    static let audioIngests = HandleTable<AudioIngest>(isSecond: true)

    private static let isInstalled: Void = {
        HostInterface.sessions = HostInterface.Performer { perform($0) }
    }()

    /// Adds an instance, which may call the functions of ``HostInterface`` from now on.
    static func add(_ life: PluginLife) -> UInt64 {
        _ = isInstalled
        return instances.insert(life)
    }

    /// Performs a call, and stores a refusal for the calling thread. [any]
    package static func perform(_ call: HostCall) -> gr_status {
        if call.function == .getExtension {
            let ids = instances[call.handle]?.environment.extensions ?? []
            return call.names(oneOf: ids) ? Status.ok.rawValue : Status.unsupported.rawValue
        }
        return answer { () throws(Refusal) in
            switch call.function.facts.handle {
            case .none: copyRefusal(call)
            case .sender: try performForSender(call)
            case .instance:
                guard let life = instances[call.handle] else {
                    throw Refusal(.gone, in: call.function)
                }
                try perform(call, for: life)
            }
        }
    }

    /// Returns the status of a refusal, and stores its text for the calling thread.
    private static func answer(_ body: () throws(Refusal) -> Void) -> gr_status {
        do throws(Refusal) {
            try body()
            return Status.ok.rawValue
        } catch {
            LastRefusal.set(error)
            return error.status.rawValue
        }
    }

    // MARK: Functions of instances

    private static func perform(_ call: HostCall, for life: PluginLife) throws(Refusal) {
        let (first, second, _) = call.numbers
        let number = UInt32(truncatingIfNeeded: first)
        switch call.function {
        case .log: life.log(LogLevel(plugin: number), try call.requiredText())
        case .setError: life.setError(try call.requiredText())
        case .giveUp:
            life.pluginGaveUp(Status(rawValue: Int32(bitPattern: number)), call.shownText ?? "")
        case .now: try call.requiredValue().pointee = life.now
        case .waitUntil: try life.wait(until: Int64(bitPattern: first))
        case .caption: try life.add(try caption(call))
        case .held: life.hold(number != 0)
        case .damaged: life.countDamaged(number)
        case .paused: life.pause()
        case .resumed: life.resume()
        case .finished:
            guard life.environment.canPause else { throw Refusal(.gone, in: call.function) }
            life.pluginGaveUp(.ok, call.shownText ?? "")
        case .keep: try life.keep(first)
        case .release: try life.release(first)
        case .report: try life.report(try call.requiredText(), Double(bitPattern: first))
        case .setCeiling:
            let ceiling = call.value(of: gr_capability.self)?.pointee
            let reason = ceiling == nil ? call.shownText ?? "" : try call.requiredText()
            try life.set(ceiling: ceiling, of: number, because: reason)
        case .wantsChanged: try life.wantsChanged()
        case .outputState: try life.set(output: number, call.shownText)
        case .fileFinished: try life.finish(file: try call.requiredText())
        case .joined:
            let (name, participant) = (
                try call.requiredText(), try call.requiredValue(of: UInt32.self)
            )
            participant.pointee = try life.join(name)
        case .left: try life.leave(number)
        case .openTrack: try openTrack(call, for: life)
        case .closeTrack: try life.close(first)
        case .setMuted: try life.mute(second != 0, first)
        case .setRecorded: try life.record(second != 0, number)
        case .command:
            let text = try call.requiredBytes()
            let commandNumber = try call.requiredValue(of: UInt32.self)
            commandNumber.pointee = try life.command(
                String(pluginText: text, longest: call.function.facts.textLimit - 1))
        case .describe: try copy(call) { () throws(Refusal) in try life.describeSession() }
        case .sessionReport: try copy(call) { () throws(Refusal) in try life.reportSession() }
        case .connect: try connect(call, for: life)
        case .makeMemory:
            let descriptor = try call.requiredValue(of: Int32.self)
            descriptor.pointee = try life.makeMemory(byteCount: first)
        case .getExtension, .refusalText, .videoSend, .videoAcquire, .videoCommit, .videoAbandon,
            .audioSend, .audioClear, .audioQueued:
            break
        }
    }

    private static func caption(_ call: HostCall) throws(Refusal) -> Caption {
        let caption = try readStruct(call.value(of: gr_caption.self), in: call.function)
        guard UInt(bitPattern: caption.text) != 0 else { throw Refusal(.null, in: call.function) }
        return Caption(
            speaker: caption.speaker.map { String(repairing: $0, longest: CallRoster.longestName) },
            text: String(repairing: caption.text, longest: Int(GR_MAX_CAPTION) + 1),
            startNanoseconds: caption.start_ns, endNanoseconds: caption.end_ns)
    }

    private static func openTrack(_ call: HostCall, for life: PluginLife) throws(Refusal) {
        let track = try call.requiredValue(of: gr_open_track.self)
        let wanted = try readStruct(track, in: call.function)
        let (id, sender) = try life.open(
            wanted.kind, of: wanted.participant, upTo: wanted.capability)
        track.pointee.track = id
        track.pointee.sender = sender
    }

    private static func connect(_ call: HostCall, for life: PluginLife) throws(Refusal) {
        let name = try call.requiredBytes()
        let connection = try call.requiredValue(of: gr_connection.self)
        let size = try readStruct(connection, in: call.function).struct_size
        connection.pointee = try life.connect(
            to: String(pluginText: name, longest: call.function.facts.textLimit - 1) ?? "")
        connection.pointee.struct_size = size
    }

    /// Copies a text of the session with its NUL, and stores its length.
    private static func copy(_ call: HostCall, _ make: () throws(Refusal) -> String) throws(Refusal)
    {
        let buffer = UnsafeMutablePointer(mutating: try call.requiredBytes())
        let length = try call.requiredValue(of: UInt64.self)
        let bytes = Array(try make().utf8)
        let capacity = min(UInt64(GR_MAX_CONTROL_TEXT), call.numbers.0)
        guard bytes.count < capacity else {
            throw Refusal(.textLength(bytes.count + 1, capacity: capacity), in: call.function)
        }
        UnsafeMutableRawBufferPointer(start: buffer, count: bytes.count).copyBytes(from: bytes)
        buffer[bytes.count] = 0
        length.pointee = UInt64(bytes.count)
    }

    /// Copies the text of the thread's last refusal, cut to the buffer, and stores its length.
    private static func copyRefusal(_ call: HostCall) {
        var text = LastRefusal.text
        text.withUTF8 { text in
            call.value(of: UInt64.self)?.pointee = UInt64(text.count)
            guard let buffer = call.text.map(UnsafeMutablePointer.init(mutating:)),
                call.numbers.0 > 0
            else { return }
            let count = min(text.count, Int(clamping: call.numbers.0) - 1)
            for index in 0..<count { buffer[index] = CChar(bitPattern: text[index]) }
            buffer[count] = 0
        }
    }

    // MARK: Functions of senders

    private static func performForSender(_ call: HostCall) throws(Refusal) {
        let (first, second, third) = call.numbers
        switch call.function {
        case .videoSend: try videoIngest(call).send(call.value())
        case .videoAcquire:
            try videoIngest(call).acquire(
                format: UInt32(truncatingIfNeeded: first),
                width: UInt32(truncatingIfNeeded: second),
                height: UInt32(truncatingIfNeeded: third), lease: call.value())
        case .videoCommit: try videoIngest(call).commit(first, info: call.value())
        case .videoAbandon: try videoIngest(call).abandon(first)
        case .audioSend:
            try audioIngest(call).send(
                call.value(), timeoutNanoseconds: Int64(bitPattern: first))
        case .audioClear:
            let cleared = try call.requiredValue(of: Int64.self)
            cleared.pointee = try audioIngest(call).clear()
        default:
            let queued = try call.requiredValue(of: Int64.self)
            queued.pointee = try audioIngest(call).queued()
        }
    }

    private static func videoIngest(_ call: HostCall) throws(Refusal) -> VideoIngest {
        guard let ingest = videoIngests[call.handle] else {
            throw Refusal(.gone, in: call.function)
        }
        return ingest
    }

    private static func audioIngest(_ call: HostCall) throws(Refusal) -> AudioIngest {
        guard let ingest = audioIngests[call.handle] else {
            throw Refusal(.gone, in: call.function)
        }
        return ingest
    }

    /// Whether a handle belongs to a sender.
    package static func isSender(_ handle: UInt64) -> Bool {
        videoIngests[handle] != nil || audioIngests[handle] != nil
    }

    // MARK: Senders of plugins in other processes

    /// Performs `video.send` for a frame with pixels in another process. The frame's pointers are
    /// checked for NULL and never followed.
    ///
    /// - Parameters:
    /// - granted: The lease from ``grant(_:like:converts:)`` that already has the pixels; 0 if
    ///   none.
    /// - copy: Copies the planes into a frame. Returns false if the planes are gone.
    /// - Returns: The status, and the accepted frame's form.
    package static func send(
        _ call: HostCall, in granted: UInt64, copy: (inout VideoFrame, CheckedFrame) -> Bool
    ) -> (status: gr_status, form: FrameForm?) {
        var form: FrameForm?
        let status = answer { () throws(Refusal) in
            form = try videoIngest(call).send(call.value(), in: granted, copy: copy)
        }
        return (status, form)
    }

    /// Performs `video.commit`.
    ///
    /// - Returns: The status, and the accepted frame's form.
    package static func commit(_ call: HostCall) -> (status: gr_status, form: FrameForm?) {
        var form: FrameForm?
        let status = answer { () throws(Refusal) in
            form = try videoIngest(call).commit(call.numbers.0, info: call.value())
        }
        return (status, form)
    }

    /// Takes back a frame from ``grant(_:like:converts:)`` that the plugin's process does not use.
    /// Ignores other leases.
    package static func takeBack(_ lease: UInt64, lentTo sender: UInt64) {
        videoIngests[sender]?.takeBack(granted: lease)
    }

    /// Lends a frame ahead of the plugin's next lease, or for the pixels of its next `send`.
    ///
    /// - Parameters:
    /// - form: The form of the plugin's last frame.
    /// - converts: Whether the plugin's process may fill the frame with converted pixels.
    /// - Returns: The lease, and the conversion if the plugin's process converts the pixels; nil if
    ///   all frames are in use.
    package static func grant(
        _ sender: UInt64, like form: FrameForm, converts: Bool
    ) -> (lease: gr_lease, conversion: EarlyConversion?)? {
        videoIngests[sender]?.grant(like: form, converts: converts)
    }
}

extension HostCall {
    /// The text for display, cut at the function's limit; nil for NULL.
    fileprivate var shownText: String? {
        text.map { String(repairing: $0, longest: function.facts.textLimit) }
    }

    fileprivate func requiredText() throws(Refusal) -> String {
        guard let shownText else { throw Refusal(.null, in: function) }
        return shownText
    }

    fileprivate func requiredBytes() throws(Refusal) -> UnsafePointer<CChar> {
        guard let text else { throw Refusal(.null, in: function) }
        return text
    }

    fileprivate func requiredValue<Value>(
        of _: Value.Type = Value.self
    ) throws(Refusal) -> UnsafeMutablePointer<Value> {
        guard let value: UnsafeMutablePointer<Value> = value() else {
            throw Refusal(.null, in: function)
        }
        return value
    }
}
