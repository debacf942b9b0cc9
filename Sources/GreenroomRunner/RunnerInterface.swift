import CLinux
import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// The host's function tables for a plugin in a runner: each function calls the host.
///
/// The functions write arguments unchanged to a message, and the host checks them. The tables are
/// allocated once and never freed.
enum RunnerInterface {
    /// The runners of this process, oldest first.
    static let runners = Mutex<[Runner]>([])

    static var senders: SenderTables { SenderTables(video: video, audio: audio) }

    /// The longest text that the host accepts, in bytes.
    static let textLimit = 2000

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let host = leaked(
        gr_host(
            struct_size: UInt32(MemoryLayout<gr_host>.size),
            abi_major: UInt16(GR_ABI_MAJOR), abi_minor: UInt16(GR_ABI_MINOR),
            name: leakedText("Greenroom"), version: leakedText(GreenroomVersion.current),
            log: { instance, level, text in
                passText(.log, instance, Int32(bitPattern: level), text)
            },
            set_error: { instance, text in passText(.setError, instance, 0, text) },
            give_up: { instance, status, text in passText(.giveUp, instance, status, text) },
            now_ns: { instance in
                guard let (runner, name) = route(instance: instance) else { return 0 }
                if runner.isOnRealClock(instance) { return greenroom_monotonic_now() }
                let channel = runner.channel
                channel.write(name, at: MessageLayout.name)
                guard channel.call(.now, length: 8) != nil else { return 0 }
                return channel.read()
            },
            wait_until_ns: { instance, deadline in
                guard let (runner, name) = route(instance: instance) else { return gone }
                if runner.isOnRealClock(instance), runner.waitsHere(until: deadline) {
                    return Status.ok.rawValue
                }
                // Call the host: it counts waits inside start-send, and refuses them with a reason.
                let channel = runner.channel
                channel.write(name, at: MessageLayout.name)
                channel.write(deadline, at: MessageLayout.subject)
                return channel.status(of: .waitUntil, length: 16)
            },
            refusal_text: { buffer, capacity in
                guard let channel = ThreadChannels.last, let length = channel.call(.refusalText)
                else {
                    if let buffer, capacity > 0 { buffer[0] = 0 }
                    return 0
                }
                if let buffer, capacity > 0 {
                    let count = min(length, Int(clamping: capacity) - 1)
                    for index in 0..<count {
                        buffer[index] = CChar(bitPattern: channel.message[index])
                    }
                    buffer[count] = 0
                }
                return UInt64(length)
            },
            get_extension: { instance, id in
                guard UInt(bitPattern: id) != 0,
                    let (runner, name) = route(instance: instance), name != 0,
                    runner.probe?.withholds(id) != true
                else { return nil }
                if runner.canPause, strcmp(id, GR_EXT_BROADCAST) == 0 {
                    return UnsafeRawPointer(broadcast)
                }
                if runner.takesMedia, strcmp(id, GR_EXT_OUTPUT_HOST) == 0 {
                    return UnsafeRawPointer(output)
                }
                if runner.takesMedia, strcmp(id, GR_EXT_FILES_HOST) == 0 {
                    return UnsafeRawPointer(files)
                }
                if runner.isCall, strcmp(id, GR_EXT_CALL_HOST) == 0 {
                    return UnsafeRawPointer(call)
                }
                if runner.isCall, strcmp(id, GR_EXT_RECORDING_HOST) == 0 {
                    return UnsafeRawPointer(recording)
                }
                if runner.mayControl, strcmp(id, GR_EXT_CONTROL_HOST) == 0 {
                    return UnsafeRawPointer(control)
                }
                if runner.sendsAudio, strcmp(id, GR_EXT_AUDIO_QUEUE) == 0 {
                    return UnsafeRawPointer(audioQueue)
                }
                if strcmp(id, GR_EXT_CAPTIONS_HOST) == 0 { return UnsafeRawPointer(captions) }
                // Without a grant, the extension's functions report the missing grant.
                if strcmp(id, GR_EXT_CONNECTIONS) == 0 { return UnsafeRawPointer(connections) }
                return nil
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let broadcast = leaked(
        gr_broadcast(
            struct_size: UInt32(MemoryLayout<gr_broadcast>.size), reserved: 0,
            paused: { shareState(.paused, of: $0) },
            resumed: { shareState(.resumed, of: $0) },
            finished: { instance, text in
                guard let (_, name) = route(instance: instance), name != 0 else { return gone }
                passText(.giveUp, instance, Status.ok.rawValue, text)
                return Status.ok.rawValue
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let captions = leaked(
        gr_captions_host(
            struct_size: UInt32(MemoryLayout<gr_captions_host>.size), reserved: 0,
            add: { instance, caption in
                guard let (runner, host) = route(instance: instance) else { return gone }
                guard UInt(bitPattern: caption) != 0, UInt(bitPattern: caption.pointee.text) != 0
                else { return Status.badArgument.rawValue }
                let caption = caption.pointee
                let speaker = caption.speaker.map { strnlen($0, CaptionMessage.speakerLimit) }
                let message = CaptionMessage(
                    structSize: caption.struct_size, speakerLength: Int32(speaker ?? -1),
                    start: caption.start_ns, end: caption.end_ns)
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                channel.write(message, at: MessageLayout.subject)
                var place = MessageLayout.subject + MemoryLayout<CaptionMessage>.stride
                place += channel.write(
                    UnsafeRawBufferPointer(start: caption.speaker, count: speaker ?? 0), at: place)
                place += channel.write(
                    UnsafeRawBufferPointer(
                        start: caption.text, count: strnlen(caption.text, Int(GR_MAX_CAPTION) + 1)),
                    at: place)
                return channel.status(of: .caption, length: place)
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let video = leaked(
        gr_video_functions(
            struct_size: UInt32(MemoryLayout<gr_video_functions>.size), reserved: 0,
            send: { sender, frame in
                guard let (runner, name) = route(sender: sender) else { return gone }
                return runner.send(frame, sender: name)
            },
            acquire: { sender, format, width, height, lease in
                guard let (runner, name) = route(sender: sender) else { return gone }
                return runner.acquire(format, width, height, lease, sender: name)
            },
            commit: { sender, id, info in
                guard let (runner, name) = route(sender: sender) else { return gone }
                return runner.commit(id, info, sender: name)
            },
            abandon: { sender, id in
                guard let (runner, name) = route(sender: sender) else { return gone }
                let channel = runner.channel
                _ = runner.takeLeased(id, sender: name)
                runner.probe?.willReturn(lease: id)
                channel.write(name, at: MessageLayout.name)
                channel.write(id, at: MessageLayout.subject)
                return channel.status(of: .videoAbandon, length: MessageLayout.subject + 8)
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let audio = leaked(
        gr_audio_functions(
            struct_size: UInt32(MemoryLayout<gr_audio_functions>.size), reserved: 0,
            send: { sender, block, timeout in
                guard let (runner, name) = route(sender: sender) else { return gone }
                return runner.send(block, timeout: timeout, sender: name)
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let audioQueue = leaked(
        gr_audio_queue(
            struct_size: UInt32(MemoryLayout<gr_audio_queue>.size), reserved: 0,
            clear: { callAudioQueue(.audioClear, $0, $1) },
            queued: { callAudioQueue(.audioQueued, $0, $1) }))

    private static func callAudioQueue(
        _ call: RemoteCall, _ sender: UInt64, _ nanoseconds: UnsafeMutablePointer<Int64>
    ) -> gr_status {
        guard let (runner, name) = route(sender: sender) else { return gone }
        guard UInt(bitPattern: nanoseconds) != 0 else { return Status.badArgument.rawValue }
        let channel = runner.channel
        channel.write(name, at: MessageLayout.name)
        let status = channel.status(of: call, length: MessageLayout.subject + 8)
        if status == Status.ok.rawValue {
            nanoseconds.pointee = channel.read(at: MessageLayout.subject)
        }
        return status
    }

    static let gone = Status.gone.rawValue

    /// Creates a handle for an instance or a sender. The handle is unique in this process; two
    /// hosts may use equal handles.
    static func nextHandle() -> UInt64 { lastHandle.wrappingAdd(1, ordering: .relaxed).newValue }

    private static let lastHandle = Atomic<UInt64>(0)

    /// The runner of a sender, and the host's handle. An unknown handle becomes 0 and goes to the
    /// runner of the newest instance, whose host refuses it.
    private static func route(sender: UInt64) -> (runner: Runner, name: UInt64)? {
        route { state in
            guard sender != 0 else { return nil }
            if state.sender.own == sender { return state.sender.host }
            return state.tracks.contains { $0.sender == sender } ? sender : nil
        }
    }

    static func route(instance: UInt64) -> (runner: Runner, name: UInt64)? {
        route { instance != 0 && $0.instance.own == instance ? $0.instance.host : nil }
    }

    private static func route(
        _ name: (Runner.State) -> UInt64?
    ) -> (runner: Runner, name: UInt64)? {
        runners.withLock { runners in
            for runner in runners {
                if let name = runner.state.withLock({ name($0) }) { return (runner, name) }
            }
            let newest = runners.last { $0.state.withLock { $0.instance.own != 0 } }
            return (newest ?? runners.first).map { ($0, 0) }
        }
    }

    /// Pauses or resumes a share.
    private static func shareState(_ call: RemoteCall, of instance: UInt64) -> gr_status {
        guard let (runner, name) = route(instance: instance) else { return gone }
        let channel = runner.channel
        channel.write(name, at: MessageLayout.name)
        return channel.status(of: call, length: 8)
    }

    private static func passText(
        _ call: RemoteCall, _ instance: UInt64, _ number: Int32, _ text: UnsafePointer<CChar>
    ) {
        guard let (runner, name) = route(instance: instance) else { return }
        if call == .giveUp { runner.state.withLock { $0.hasGivenUp = true } }
        let channel = runner.channel
        channel.write(name, at: MessageLayout.name)
        channel.write(number, at: MessageLayout.subject)
        let length = channel.write(text: text, after: MessageLayout.subject + 4)
        _ = channel.call(call, length: length)
    }
}
