import Glibc
package import GreenroomABI
import GreenroomMedia

/// The host's function tables for plugins.
///
/// The tables serve plugins of this process's sessions, and plugins of runners in this process. They
/// are allocated once and never freed. They refer to objects only by handle, so a plugin may keep a
/// table forever and call its functions with any arguments.
package enum HostInterface {
    /// A function that performs a call and returns its status. A struct, because an optional function
    /// would allocate at each use.
    package struct Performer: Sendable {
        let perform: @Sendable (HostCall) -> gr_status

        package init(_ perform: @escaping @Sendable (HostCall) -> gr_status) {
            self.perform = perform
        }
    }

    /// Performs the calls of plugins of this process's sessions; nil if it has none.
    ///
    /// Safe: set once, before a plugin receives a table.
    @exclusivity(unchecked) nonisolated(unsafe) package static var sessions: Performer?
    /// Performs the calls of plugins that have their host in another process; nil if there are none.
    ///
    /// Safe: set once, before a plugin receives a table.
    @exclusivity(unchecked) nonisolated(unsafe) package static var runners: Performer?

    /// The bit that only handles of runners have.
    package static let runnerMark: UInt64 = 1 << 63

    private static func perform(_ call: HostCall) -> gr_status {
        if call.handle & runnerMark == 0, let sessions { return sessions.perform(call) }
        if let runners { return runners.perform(call) }
        return sessions?.perform(call) ?? Status.gone.rawValue
    }

    private static func perform(
        _ function: HostFunction, _ handle: UInt64, _ first: UInt64 = 0, _ second: UInt64 = 0,
        _ third: UInt64 = 0, text: UInt = 0, value: UInt = 0
    ) -> gr_status {
        perform(HostCall(function, handle, first, second, third, text: text, value: value))
    }

    /// Calls a function with a result that is not a status.
    ///
    /// - Returns: The result; 0 if the call was refused.
    private static func result<Value: FixedWidthInteger>(
        _ body: (UInt) -> gr_status
    ) -> Value {
        var value: Value = 0
        return withUnsafeMutablePointer(to: &value) { value in
            body(UInt(bitPattern: value)) == Status.ok.rawValue ? value.pointee : 0
        }
    }

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let host = leaked(
        gr_host(
            struct_size: UInt32(MemoryLayout<gr_host>.size),
            abi_major: UInt16(GR_ABI_MAJOR), abi_minor: UInt16(GR_ABI_MINOR),
            name: leakedText("Greenroom"), version: leakedText(GreenroomVersion.current),
            log: { _ = perform(.log, $0, UInt64($1), text: UInt(bitPattern: $2)) },
            set_error: { _ = perform(.setError, $0, text: UInt(bitPattern: $1)) },
            give_up: {
                _ = perform(
                    .giveUp, $0, UInt64(UInt32(bitPattern: $1)), text: UInt(bitPattern: $2))
            },
            now_ns: { instance in result { perform(.now, instance, value: $0) } },
            wait_until_ns: { perform(.waitUntil, $0, UInt64(bitPattern: $1)) },
            refusal_text: { buffer, capacity in
                if let buffer, capacity > 0 { buffer[0] = 0 }
                return result { length in
                    let call = HostCall(
                        .refusalText, 0, capacity, text: UInt(bitPattern: buffer), value: length)
                    // A thread with a refusal of a runner's host is a thread of that runner's plugin.
                    let status = runners?.perform(call) ?? Status.unsupported.rawValue
                    return status == Status.ok.rawValue ? status : sessions?.perform(call) ?? status
                }
            },
            get_extension: { instance, id in
                let status = perform(.getExtension, instance, text: UInt(bitPattern: id))
                guard status == Status.ok.rawValue else { return nil }
                return extensions.first { strcmp($0.id, id) == 0 }?.table
            }))

    /// The tables of the extensions. An instance has some of them.
    ///
    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) private static let extensions: [(id: String, table: UnsafeRawPointer)] = [
        (GR_EXT_HOLD, UnsafeRawPointer(hold)),
        (GR_EXT_BROADCAST, UnsafeRawPointer(broadcast)),
        (GR_EXT_OUTPUT_HOST, UnsafeRawPointer(output)),
        (GR_EXT_FILES_HOST, UnsafeRawPointer(files)),
        (GR_EXT_CALL_HOST, UnsafeRawPointer(call)),
        (GR_EXT_RECORDING_HOST, UnsafeRawPointer(recording)),
        (GR_EXT_CONTROL_HOST, UnsafeRawPointer(control)),
        (GR_EXT_AUDIO_QUEUE, UnsafeRawPointer(audioQueue)),
        (GR_EXT_CAPTIONS_HOST, UnsafeRawPointer(captions)),
        (GR_EXT_CONNECTIONS, UnsafeRawPointer(connections)),
    ]

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let hold = leaked(
        gr_hold(
            struct_size: UInt32(MemoryLayout<gr_hold>.size), reserved: 0,
            held: { perform(.held, $0, UInt64($1)) },
            damaged: { perform(.damaged, $0, UInt64($1)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let broadcast = leaked(
        gr_broadcast(
            struct_size: UInt32(MemoryLayout<gr_broadcast>.size), reserved: 0,
            paused: { perform(.paused, $0) },
            resumed: { perform(.resumed, $0) },
            finished: { perform(.finished, $0, text: UInt(bitPattern: $1)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let output = leaked(
        gr_output_host(
            struct_size: UInt32(MemoryLayout<gr_output_host>.size), reserved: 0,
            keep: { perform(.keep, $0, $1) },
            release: { perform(.release, $0, $1) },
            report: { perform(.report, $0, $2.bitPattern, text: UInt(bitPattern: $1)) },
            set_ceiling: {
                perform(
                    .setCeiling, $0, UInt64($1), text: UInt(bitPattern: $3),
                    value: UInt(bitPattern: $2))
            },
            wants_changed: { perform(.wantsChanged, $0) },
            state: { perform(.outputState, $0, UInt64($1), text: UInt(bitPattern: $2)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let files = leaked(
        gr_files_host(
            struct_size: UInt32(MemoryLayout<gr_files_host>.size), reserved: 0,
            finished: { perform(.fileFinished, $0, text: UInt(bitPattern: $1)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let captions = leaked(
        gr_captions_host(
            struct_size: UInt32(MemoryLayout<gr_captions_host>.size), reserved: 0,
            add: { perform(.caption, $0, value: UInt(bitPattern: $1)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let call = leaked(
        gr_call_host(
            struct_size: UInt32(MemoryLayout<gr_call_host>.size), reserved: 0,
            joined: {
                perform(.joined, $0, text: UInt(bitPattern: $1), value: UInt(bitPattern: $2))
            },
            left: { perform(.left, $0, UInt64($1)) },
            open_track: { instance, track in
                let status = perform(.openTrack, instance, value: UInt(bitPattern: track))
                guard status == Status.ok.rawValue else { return status }
                let kind = track.pointee.kind
                let isVideo = kind == UInt32(GR_TRACK_CAMERA) || kind == UInt32(GR_TRACK_SHARE)
                track.pointee.video = isVideo ? UnsafePointer(video) : nil
                track.pointee.audio = isVideo ? nil : UnsafePointer(audio)
                return status
            },
            close_track: { perform(.closeTrack, $0, $1) },
            set_muted: { perform(.setMuted, $0, $1, UInt64($2)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let recording = leaked(
        gr_recording_host(
            struct_size: UInt32(MemoryLayout<gr_recording_host>.size), reserved: 0,
            set_recorded: { perform(.setRecorded, $0, UInt64($1), UInt64($2)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let control = leaked(
        gr_control_host(
            struct_size: UInt32(MemoryLayout<gr_control_host>.size), reserved: 0,
            command: {
                perform(.command, $0, text: UInt(bitPattern: $1), value: UInt(bitPattern: $2))
            },
            describe: {
                perform(.describe, $0, $2, text: UInt(bitPattern: $1), value: UInt(bitPattern: $3))
            },
            report: {
                perform(
                    .sessionReport, $0, $2, text: UInt(bitPattern: $1), value: UInt(bitPattern: $3))
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let connections = leaked(
        gr_connections(
            struct_size: UInt32(MemoryLayout<gr_connections>.size), reserved: 0,
            open: {
                perform(.connect, $0, text: UInt(bitPattern: $1), value: UInt(bitPattern: $2))
            },
            make_memory: { perform(.makeMemory, $0, $1, value: UInt(bitPattern: $2)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let video = leaked(
        gr_video_functions(
            struct_size: UInt32(MemoryLayout<gr_video_functions>.size), reserved: 0,
            send: { perform(.videoSend, $0, value: UInt(bitPattern: $1)) },
            acquire: {
                perform(
                    .videoAcquire, $0, UInt64($1), UInt64($2), UInt64($3),
                    value: UInt(bitPattern: $4))
            },
            commit: { perform(.videoCommit, $0, $1, value: UInt(bitPattern: $2)) },
            abandon: { perform(.videoAbandon, $0, $1) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let audio = leaked(
        gr_audio_functions(
            struct_size: UInt32(MemoryLayout<gr_audio_functions>.size), reserved: 0,
            send: { perform(.audioSend, $0, UInt64(bitPattern: $2), value: UInt(bitPattern: $1)) }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) package static let audioQueue = leaked(
        gr_audio_queue(
            struct_size: UInt32(MemoryLayout<gr_audio_queue>.size), reserved: 0,
            clear: { perform(.audioClear, $0, value: UInt(bitPattern: $1)) },
            queued: { perform(.audioQueued, $0, value: UInt(bitPattern: $1)) }))
}
