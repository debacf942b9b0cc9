import Glibc
import GreenroomABI
import GreenroomMedia

/// A function of the host in `plugin.h` and its extensions.
///
/// This table is the only description of the functions. ``HostInterface`` makes a ``HostCall`` of each
/// C call, and the host performs the call, whether the plugin is in its process or in another. A refusal
/// returns as a status; its text stays in the host until the plugin asks for it.
///
/// The raw values number the functions between host and runner.
package enum HostFunction: UInt32, CaseIterable, Sendable {
    // Every instance calls these. [any], except `setError`: [control].
    case log = 100
    case setError, giveUp, now, waitUntil, refusalText, getExtension, caption
    // Sources call these. [any]
    case held, damaged
    // Shares call these. [any]
    case paused, resumed, finished
    // Outputs and composers call these. [any], except `keep`: [media].
    case keep, release, report, setCeiling, wantsChanged, outputState, fileFinished
    // Calls use these. [any]
    case joined, left, openTrack, closeTrack, setMuted, setRecorded
    // Plugins with a grant call these. [any]
    case command, describe, sessionReport, connect, makeMemory
    // Senders have these. [any]
    case videoSend, videoAcquire, videoCommit, videoAbandon, audioSend, audioClear, audioQueued

    /// The handle that is a function's first argument.
    package enum Handle: Sendable {
        case none, instance, sender
    }

    /// The struct or the number that a function receives by pointer.
    package struct Value: Sendable {
        package let byteCount: Int
        /// Whether the value begins with `struct_size`.
        package var isSized = true
        /// Whether the host reads the plugin's value.
        package var isRead = true
        /// Whether the host writes the value when it accepts the call.
        package var isWritten = false

        fileprivate static func read<Type>(_: Type.Type, isSized: Bool = true) -> Value {
            Value(byteCount: MemoryLayout<Type>.size, isSized: isSized)
        }

        fileprivate static func changed<Type>(_: Type.Type) -> Value {
            Value(byteCount: MemoryLayout<Type>.size, isWritten: true)
        }

        fileprivate static func written<Type>(_: Type.Type) -> Value {
            Value(
                byteCount: MemoryLayout<Type>.size, isSized: false, isRead: false, isWritten: true)
        }
    }

    /// The arguments and the reply of a function. Up to three numbers are among the arguments.
    package struct Facts: Sendable {
        /// The table's and the function's name, e.g. `video.send`.
        package let name: StaticString
        package let handle: Handle
        /// The most bytes that the host reads of the text; 0 if there is none.
        package let textLimit: Int
        package let value: Value?
        /// Whether the host writes a text to the plugin's buffer. Its capacity is the first number.
        package let writesText: Bool
        /// The offset in the value of a descriptor that the host opens for the plugin; nil if none.
        package let descriptorOffset: Int?
        /// Whether the first number is the sender of a participant's track.
        package let namesSender: Bool
        /// Whether each call writes a line to the host's log.
        package let writesLine: Bool

        fileprivate init(
            _ name: StaticString, of handle: Handle = .instance, text: Int = 0,
            _ value: Value? = nil,
            writesText: Bool = false, descriptorOffset: Int? = nil, namesSender: Bool = false,
            writesLine: Bool = false
        ) {
            self.name = name
            self.handle = handle
            textLimit = text
            self.value = value
            self.writesText = writesText
            self.descriptorOffset = descriptorOffset
            self.namesSender = namesSender
            self.writesLine = writesLine
        }
    }

    package var facts: Facts {
        switch self {
        case .log: Facts("host.log", text: 2000, writesLine: true)
        case .setError: Facts("host.set_error", text: 2000)
        case .giveUp: Facts("host.give_up", text: 2000)
        case .now: Facts("host.now_ns", .written(Int64.self))
        case .waitUntil: Facts("host.wait_until_ns")
        case .refusalText:
            Facts("host.refusal_text", of: .none, .written(UInt64.self), writesText: true)
        case .getExtension: Facts("host.get_extension", text: 100)
        // The struct points to two texts.
        case .caption:
            Facts(
                "captions.add", text: Limits.nameBytes + Int(GR_MAX_CAPTION) + 2,
                .read(gr_caption.self), writesLine: true)
        case .held: Facts("hold.held")
        case .damaged: Facts("hold.damaged")
        case .paused: Facts("broadcast.paused", writesLine: true)
        case .resumed: Facts("broadcast.resumed", writesLine: true)
        case .finished: Facts("broadcast.finished", text: 2000)
        case .keep: Facts("output.keep")
        case .release: Facts("output.release")
        case .report: Facts("output.report", text: 100)
        case .setCeiling:
            Facts("output.set_ceiling", text: 200, .read(gr_capability.self, isSized: false))
        case .wantsChanged: Facts("output.wants_changed")
        case .outputState: Facts("output.state", text: 200, writesLine: true)
        case .fileFinished: Facts("files.finished", text: Int(PATH_MAX), writesLine: true)
        // One byte above a limit shows the host that a text is too long.
        case .joined:
            Facts(
                "call.joined", text: Limits.nameBytes + 1, .written(UInt32.self), writesLine: true)
        case .left: Facts("call.left", writesLine: true)
        case .openTrack: Facts("call.open_track", .changed(gr_open_track.self), writesLine: true)
        case .closeTrack: Facts("call.close_track", namesSender: true, writesLine: true)
        case .setMuted: Facts("call.set_muted", namesSender: true, writesLine: true)
        case .setRecorded: Facts("recording.set_recorded", writesLine: true)
        case .command:
            Facts(
                "control.command", text: Int(GR_MAX_COMMAND) + 1, .written(UInt32.self),
                writesLine: true)
        case .describe: Facts("control.describe", .written(UInt64.self), writesText: true)
        case .sessionReport: Facts("control.report", .written(UInt64.self), writesText: true)
        case .connect:
            Facts(
                "connections.open", text: Int(PATH_MAX) + 1, .changed(gr_connection.self),
                descriptorOffset: MemoryLayout<gr_connection>.offset(of: \.descriptor))
        case .makeMemory:
            Facts("connections.make_memory", .written(Int32.self), descriptorOffset: 0)
        case .videoSend: Facts("video.send", of: .sender, .read(gr_video_frame.self))
        case .videoAcquire: Facts("video.acquire", of: .sender, .changed(gr_lease.self))
        case .videoCommit: Facts("video.commit", of: .sender, .read(gr_frame_info.self))
        case .videoAbandon: Facts("video.abandon", of: .sender)
        case .audioSend: Facts("audio.send", of: .sender, .read(gr_audio_block.self))
        case .audioClear: Facts("audio_queue.clear", of: .sender, .written(Int64.self))
        case .audioQueued: Facts("audio_queue.queued", of: .sender, .written(Int64.self))
        }
    }
}
