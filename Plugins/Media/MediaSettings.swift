import MediaDecisions
import GreenroomPlugin

/// A live setting, which knows how often it was set: a plugin learns so that it was set to the value that it had.
struct Live<Value: Equatable & Sendable>: Sendable {
    private(set) var writes = 0
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { stored }
        set {
            stored = newValue
            writes += 1
        }
    }
}

/// The settings of all plugins of this library.
struct MediaSettings: PluginSettings {
    var file = ""
    var url = ""
    var device = ""
    var audioTrack = ""
    var start = Live(0.0)
    var end = Live(0.0)
    var position = Live(0.0)
    var speed = Live(1.0)
    var isPaused = Live(false)
    var loops = Live(true)

    private static let longest = 1_000_000.0

    static let table: [Setting<Self>] = [
        .path("file", \.file, title: "Video or audio file"),
        .resource("url", \.url, title: "Stream: http, https, rtmp, rtsp, srt, tcp, udp or rtp"),
        .resource("device", \.device, title: "Filter graph of libavdevice: lavfi:testsrc2"),
        .string(
            "audio-track", \.audioTrack,
            title:
                "Audio track: number from 1, or language such as eng; empty: the file's default track"
        ),
        .number(
            "start", \.start.value, in: 0...longest, title: "Start time", unit: "s", live: true),
        .number(
            "end", \.end.value, in: 0...longest,
            title: "End time; 0: the end of the file", unit: "s", live: true),
        .number(
            "position", \.position.value, in: 0...longest, title: "Second to jump to", unit: "s",
            live: true),
        .number(
            "speed", \.speed.value, in: 0.1...10, title: "Speed; the pitch of audio follows it",
            live: true),
        .boolean(
            "paused", \.isPaused.value, title: "The last frame stays, without audio", live: true),
        .boolean(
            "loop", \.loops.value, title: "Repeat the file. Off: hold the last frame after the end",
            live: true),
    ]

    /// The source that plays.
    var controls: PlaybackControls {
        PlaybackControls(
            start: start.value.nanoseconds, end: end.value > 0 ? end.value.nanoseconds : nil,
            speed: speed.value, isPaused: isPaused.value, loops: loops.value)
    }

    /// Takes over the live settings that were set since.
    ///
    /// - Returns: Whether the position is one of them.
    mutating func take(from new: MediaSettings, since old: MediaSettings) -> Bool {
        func take<Value>(_ path: WritableKeyPath<MediaSettings, Live<Value>>) -> Bool {
            guard old[keyPath: path].writes != new[keyPath: path].writes else { return false }
            self[keyPath: path] = new[keyPath: path]
            return true
        }
        _ = (take(\.start), take(\.end), take(\.speed), take(\.isPaused), take(\.loops))
        return take(\.position)
    }

    /// Whether two plugins play the same.
    func plays(like other: MediaSettings) -> Bool {
        (file, url, device) == (other.file, other.url, other.device)
            && controls == other.controls && position.value == other.position.value
    }
}

extension Double {
    /// Seconds in nanoseconds.
    var nanoseconds: Int64 { Int64(exactly: (self * 1e9).rounded()) ?? .max }
}
