import GreenroomPlugin

/// Hears everybody, says it again, and shows how loud it is.
struct Parrot: Agent {
    static let plugin = PluginDescription(
        id: "com.example.parrot", name: "Parrot", version: "1.0.0", summary: "Says it again")
    static let parts: Set<AgentPart> = [.microphone, .camera]

    private let host: PluginHost
    private var heard: [Int16] = []
    private var loudness = 0

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onTrack(_ track: Track) -> TrackWant? {
        guard let person = track.participant, track.kind == .microphone else { return nil }
        host.log(.info, "\(person.name) speaks in track \(track.id)")
        return .audio(AudioTrackWant(format: Self.voice))
    }

    mutating func onAudio(_ block: borrowing OutputBlock) {
        if heard.count > 96_000 { heard.removeAll() }  // 2 s behind: forget the rest
        for index in block.samples.indices { heard.append(block.samples[index]) }
    }

    mutating func speak(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {
        let count = min(samples.count, heard.count)
        for index in 0..<count { samples[index] = heard[index] }
        loudness = heard[..<count].reduce(0) { max($0, abs(Int($1))) }
        heard.removeFirst(count)
    }

    func draw(_ frame: inout MutableFrame, at time: FrameTime) {
        frame.fill(plane: 0, with: UInt8(40 + loudness / 200))
        frame.fill(plane: 1, with: 128)
        frame.fill(plane: 2, with: 128)
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Parrot.self) }
