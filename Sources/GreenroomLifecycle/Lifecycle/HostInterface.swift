import GreenroomModel
import Glibc
package import GreenroomABI
package import GreenroomConversion
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime

/// The host's function tables for plugins.
///
/// Instances in every process make their calls through these tables. The tables are allocated once
/// and never freed. The tables refer to objects only by handle, so a plugin may keep a table
/// forever and call its functions with any arguments.
package enum HostInterface {
    static let instances = HandleTable<PluginLife>()
    static let videoIngests = HandleTable<VideoIngest>()
    /// A call identifies its tracks only by sender: no handle is in both tables.
    static let audioIngests = HandleTable<AudioIngest>(isSecond: true)

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let host = leaked(
        gr_host(
            struct_size: UInt32(MemoryLayout<gr_host>.size),
            abi_major: UInt16(GR_ABI_MAJOR), abi_minor: UInt16(GR_ABI_MINOR),
            name: leakedText("Greenroom"), version: leakedText(GreenroomVersion.current),
            log: { instance, level, text in
                guard let instance = HostInterface.instances[instance] else { return }
                guard UInt(bitPattern: text) != 0 else { return }
                instance.log(LogLevel(plugin: level), String(repairing: text, longest: 2000))
            },
            set_error: { instance, text in
                guard let instance = HostInterface.instances[instance] else { return }
                guard UInt(bitPattern: text) != 0 else { return }
                instance.setError(String(repairing: text, longest: 2000))
            },
            give_up: { instance, status, text in
                guard let instance = HostInterface.instances[instance] else { return }
                let reason =
                    UInt(bitPattern: text) == 0 ? "" : String(repairing: text, longest: 2000)
                instance.pluginGaveUp(Status(rawValue: status), reason)
            },
            now_ns: { HostInterface.instances[$0]?.now ?? 0 },
            wait_until_ns: { instance, deadline in
                answer { () throws(Refusal) in
                    guard let instance = HostInterface.instances[instance] else {
                        throw Refusal(.gone, in: .waitUntil)
                    }
                    try instance.wait(until: deadline)
                }
            },
            refusal_text: { buffer, capacity in
                var text = LastRefusal.text
                return text.withUTF8 { text in
                    if let buffer, capacity > 0 {
                        let count = min(text.count, Int(clamping: capacity) - 1)
                        for index in 0..<count { buffer[index] = CChar(bitPattern: text[index]) }
                        buffer[count] = 0
                    }
                    return UInt64(text.count)
                }
            },
            get_extension: { instance, id in
                guard UInt(bitPattern: id) != 0,
                    let environment = HostInterface.instances[instance]?.environment
                else { return nil }
                if environment.canPause, strcmp(id, GR_EXT_BROADCAST) == 0 {
                    return UnsafeRawPointer(broadcast)
                }
                if environment.feed != nil, strcmp(id, GR_EXT_OUTPUT_HOST) == 0 {
                    return UnsafeRawPointer(output)
                }
                if environment.feed != nil, strcmp(id, GR_EXT_FILES_HOST) == 0 {
                    return UnsafeRawPointer(files)
                }
                if environment.roster != nil, strcmp(id, GR_EXT_CALL_HOST) == 0 {
                    return UnsafeRawPointer(call)
                }
                if environment.roster != nil, strcmp(id, GR_EXT_RECORDING_HOST) == 0 {
                    return UnsafeRawPointer(recording)
                }
                if environment.control?.mayCommand ?? false, strcmp(id, GR_EXT_CONTROL_HOST) == 0 {
                    return UnsafeRawPointer(control)
                }
                if environment.audioIngest != nil || environment.roster != nil,
                    strcmp(id, GR_EXT_AUDIO_QUEUE) == 0
                {
                    return UnsafeRawPointer(audioQueue)
                }
                if strcmp(id, GR_EXT_CAPTIONS_HOST) == 0 { return UnsafeRawPointer(captions) }
                // Without a grant, the functions' error names the missing grant.
                if strcmp(id, GR_EXT_CONNECTIONS) == 0 { return UnsafeRawPointer(connections) }
                return nil
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let broadcast = leaked(
        gr_broadcast(
            struct_size: UInt32(MemoryLayout<gr_broadcast>.size), reserved: 0,
            paused: { instance in
                guard let instance = HostInterface.instances[instance] else { return gone }
                instance.pause()
                return Status.ok.rawValue
            },
            resumed: { instance in
                guard let instance = HostInterface.instances[instance] else { return gone }
                instance.resume()
                return Status.ok.rawValue
            },
            finished: { instance, text in
                guard let owner = HostInterface.instances[instance], owner.environment.canPause
                else {
                    return gone
                }
                let reason =
                    UInt(bitPattern: text) == 0 ? "" : String(repairing: text, longest: 2000)
                owner.pluginGaveUp(.ok, reason)
                return Status.ok.rawValue
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let output = leaked(
        gr_output_host(
            struct_size: UInt32(MemoryLayout<gr_output_host>.size), reserved: 0,
            keep: { instance, frame in
                answer { () throws(Refusal) in try life(instance, .keep).keep(frame) }
            },
            release: { instance, frame in
                answer { () throws(Refusal) in try life(instance, .release).release(frame) }
            },
            report: { instance, name, value in
                answer { () throws(Refusal) in
                    let life = try life(instance, .report)
                    guard UInt(bitPattern: name) != 0 else { throw Refusal(.null, in: .report) }
                    try life.report(String(repairing: name, longest: 100), value)
                }
            },
            set_ceiling: { instance, track, ceiling, why in
                answer { () throws(Refusal) in
                    let life = try life(instance, .setCeiling)
                    guard ceiling == nil || why != nil else {
                        throw Refusal(.null, in: .setCeiling)
                    }
                    try life.set(
                        ceiling: ceiling?.pointee, of: track,
                        because: why.map { String(repairing: $0, longest: outputTextLimit) } ?? "")
                }
            },
            wants_changed: { instance in
                answer { () throws(Refusal) in try life(instance, .wantsChanged).wantsChanged() }
            },
            state: { instance, state, text in
                answer { () throws(Refusal) in
                    try life(instance, .outputState).set(
                        output: state,
                        text.map { String(repairing: $0, longest: outputTextLimit) })
                }
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let files = leaked(
        gr_files_host(
            struct_size: UInt32(MemoryLayout<gr_files_host>.size), reserved: 0,
            finished: { instance, path in
                answer { () throws(Refusal) in
                    let life = try life(instance, .fileFinished)
                    guard UInt(bitPattern: path) != 0 else {
                        throw Refusal(.null, in: .fileFinished)
                    }
                    try life.finish(file: String(repairing: path, longest: Int(PATH_MAX)))
                }
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let captions = leaked(
        gr_captions_host(
            struct_size: UInt32(MemoryLayout<gr_captions_host>.size), reserved: 0,
            add: { instance, caption in
                answer { () throws(Refusal) in
                    let life = try life(instance, .caption)
                    let caption = try readStruct(UnsafePointer(caption), in: .caption)
                    guard UInt(bitPattern: caption.text) != 0 else {
                        throw Refusal(.null, in: .caption)
                    }
                    try life.add(
                        Caption(
                            speaker: caption.speaker.map {
                                String(repairing: $0, longest: CallRoster.longestName)
                            },
                            text: String(repairing: caption.text, longest: Int(GR_MAX_CAPTION) + 1),
                            startNanoseconds: caption.start_ns, endNanoseconds: caption.end_ns))
                }
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let call = leaked(
        gr_call_host(
            struct_size: UInt32(MemoryLayout<gr_call_host>.size), reserved: 0,
            joined: { instance, name, participant in
                answer { () throws(Refusal) in
                    let life = try life(instance, .joined)
                    guard UInt(bitPattern: name) != 0, UInt(bitPattern: participant) != 0 else {
                        throw Refusal(.null, in: .joined)
                    }
                    participant.pointee = try life.join(
                        String(repairing: name, longest: CallRoster.longestName + 1))
                }
            },
            left: { instance, participant in
                answer { () throws(Refusal) in try life(instance, .left).leave(participant) }
            },
            open_track: { instance, track in
                answer { () throws(Refusal) in
                    let life = try life(instance, .openTrack)
                    let wanted = try readStruct(UnsafePointer(track), in: .openTrack)
                    let (id, sender) = try life.open(
                        wanted.kind, of: wanted.participant, upTo: wanted.capability)
                    let isVideo = HostInterface.videoIngests[sender] != nil
                    track.pointee.track = id
                    track.pointee.sender = sender
                    track.pointee.video = isVideo ? UnsafePointer(video) : nil
                    track.pointee.audio = isVideo ? nil : UnsafePointer(audio)
                }
            },
            close_track: { instance, sender in
                answer { () throws(Refusal) in try life(instance, .closeTrack).close(sender) }
            },
            set_muted: { instance, sender, isMuted in
                answer { () throws(Refusal) in
                    try life(instance, .setMuted).mute(isMuted != 0, sender)
                }
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let recording = leaked(
        gr_recording_host(
            struct_size: UInt32(MemoryLayout<gr_recording_host>.size), reserved: 0,
            set_recorded: { instance, participant, isRecorded in
                answer { () throws(Refusal) in
                    try life(instance, .setRecorded).record(isRecorded != 0, participant)
                }
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let control = leaked(
        gr_control_host(
            struct_size: UInt32(MemoryLayout<gr_control_host>.size), reserved: 0,
            command: { instance, text, number in
                answer { () throws(Refusal) in
                    let life = try life(instance, .command)
                    guard UInt(bitPattern: text) != 0, UInt(bitPattern: number) != 0 else {
                        throw Refusal(.null, in: .command)
                    }
                    number.pointee = try life.command(
                        String(pluginText: text, longest: ControlParser.maximumBytes))
                }
            },
            describe: { instance, buffer, capacity, length in
                copyText(.describe, instance, buffer, capacity, length) {
                    life throws(Refusal) in try life.describeSession()
                }
            },
            report: { instance, buffer, capacity, length in
                copyText(.sessionReport, instance, buffer, capacity, length) {
                    life throws(Refusal) in try life.reportSession()
                }
            }))

    /// Copies a text of the session with its NUL, and stores its length.
    private static func copyText(
        _ call: SenderCall, _ instance: UInt64, _ buffer: UnsafeMutablePointer<CChar>,
        _ capacity: UInt64, _ length: UnsafeMutablePointer<UInt64>,
        _ make: (PluginLife) throws(Refusal) -> String
    ) -> gr_status {
        answer { () throws(Refusal) in
            let life = try life(instance, call)
            guard UInt(bitPattern: buffer) != 0, UInt(bitPattern: length) != 0 else {
                throw Refusal(.null, in: call)
            }
            let bytes = Array(try make(life).utf8)
            guard bytes.count < min(UInt64(GR_MAX_CONTROL_TEXT), capacity) else {
                throw Refusal(.textLength(bytes.count + 1, capacity: capacity), in: call)
            }
            UnsafeMutableRawBufferPointer(start: buffer, count: bytes.count)
                .copyBytes(from: bytes)
            buffer[bytes.count] = 0
            length.pointee = UInt64(bytes.count)
        }
    }

    /// The most bytes of an output's text.
    private static let outputTextLimit = 200

    static func life(
        _ instance: UInt64, _ call: SenderCall
    ) throws(Refusal) -> PluginLife {
        guard let life = instances[instance] else { throw Refusal(.gone, in: call) }
        return life
    }

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let video = leaked(
        gr_video_functions(
            struct_size: UInt32(MemoryLayout<gr_video_functions>.size), reserved: 0,
            send: { sender, frame in
                answer { () throws(Refusal) in try ingest(sender, .videoSend).send(frame) }
            },
            acquire: { sender, format, width, height, lease in
                answer { () throws(Refusal) in
                    try ingest(sender, .videoAcquire).acquire(
                        format: format, width: width, height: height, lease: lease)
                }
            },
            commit: { sender, lease, info in
                answer { () throws(Refusal) in
                    try ingest(sender, .videoCommit).commit(lease, info: info)
                }
            },
            abandon: { sender, lease in
                answer { () throws(Refusal) in try ingest(sender, .videoAbandon).abandon(lease) }
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let audio = leaked(
        gr_audio_functions(
            struct_size: UInt32(MemoryLayout<gr_audio_functions>.size), reserved: 0,
            send: { sender, block, timeout in
                answer { () throws(Refusal) in
                    guard let ingest = HostInterface.audioIngests[sender] else {
                        throw Refusal(.gone, in: .audioSend)
                    }
                    try ingest.send(block, timeoutNanoseconds: timeout)
                }
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let audioQueue = leaked(
        gr_audio_queue(
            struct_size: UInt32(MemoryLayout<gr_audio_queue>.size), reserved: 0,
            clear: { sender, cleared in
                answer { () throws(Refusal) in
                    guard UInt(bitPattern: cleared) != 0 else {
                        throw Refusal(.null, in: .audioClear)
                    }
                    cleared.pointee = try audioIngest(sender, .audioClear).clear()
                }
            },
            queued: { sender, queued in
                answer { () throws(Refusal) in
                    guard UInt(bitPattern: queued) != 0 else {
                        throw Refusal(.null, in: .audioQueued)
                    }
                    queued.pointee = try audioIngest(sender, .audioQueued).queued()
                }
            }))

    private static func audioIngest(
        _ sender: UInt64, _ call: SenderCall
    ) throws(Refusal) -> AudioIngest {
        guard let ingest = audioIngests[sender] else { throw Refusal(.gone, in: call) }
        return ingest
    }

    /// Whether a handle belongs to a sender.
    package static func isSender(_ handle: UInt64) -> Bool {
        videoIngests[handle] != nil || audioIngests[handle] != nil
    }

    private static let gone = Status.gone.rawValue

    /// The sender tables for initialize.
    static var senders: SenderTables { SenderTables(video: video, audio: audio) }

    /// Performs `video.send` for a frame with pixels in another process.
    ///
    /// - Parameters:
    /// - frame: The plugin's frame. Its pointers are checked for NULL and never followed.
    /// - granted: The lease from ``grant(_:like:converts:)`` that already has the pixels; 0 if
    ///   none.
    /// - copy: Copies the planes into a frame. Returns false if the planes are gone.
    /// - Returns: The status, and the accepted frame's form.
    package static func send(
        _ sender: UInt64, _ frame: UnsafePointer<gr_video_frame>, in granted: UInt64,
        copy: (inout VideoFrame, CheckedFrame) -> Bool
    ) -> (status: gr_status, form: FrameForm?) {
        var form: FrameForm?
        let status = answer { () throws(Refusal) in
            form = try ingest(sender, .videoSend).send(frame, in: granted, copy: copy)
        }
        return (status, form)
    }

    /// Takes back a frame from ``grant(_:like:converts:)`` that the plugin's process does not use.
    /// Ignores other leases.
    package static func takeBack(_ lease: UInt64, lentTo sender: UInt64) {
        videoIngests[sender]?.takeBack(granted: lease)
    }

    /// Performs `video.commit` for a plugin in another process.
    ///
    /// - Returns: The status, and the accepted frame's form.
    package static func commit(
        _ sender: UInt64, _ lease: UInt64, _ info: UnsafePointer<gr_frame_info>
    ) -> (status: gr_status, form: FrameForm?) {
        var form: FrameForm?
        let status = answer { () throws(Refusal) in
            form = try ingest(sender, .videoCommit).commit(lease, info: info)
        }
        return (status, form)
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

    private static func ingest(_ sender: UInt64, _ call: SenderCall) throws(Refusal) -> VideoIngest
    {
        guard let ingest = videoIngests[sender] else { throw Refusal(.gone, in: call) }
        return ingest
    }

    /// Returns the status of a refusal, and stores its text for the calling thread.
    static func answer(_ body: () throws(Refusal) -> Void) -> gr_status {
        do throws(Refusal) {
            try body()
            return Status.ok.rawValue
        } catch {
            LastRefusal.set(error)
            return error.status.rawValue
        }
    }
}
