import GreenroomPlugin

/// An output that wants something else every twenty frames, and tells the host what it can use. At
/// the end it reports a digest of all that it got.
struct Changing: Output {
    static let plugin = PluginDescription(
        id: "org.example.changing", name: "Changing", version: "1.0.0",
        summary: "Wants something else again and again")

    private static let sizes = [
        nil, FrameSize(width: 160, height: 90), FrameSize(width: 64, height: 64),
    ]
    private static let formats: [PixelFormat] = [.nv12, .i420, .rgba]

    private let host: PluginHost
    private var turn = 0
    private var frames = 0
    private var samples = 0
    private var camera: Track?
    private var digest: UInt64 = 0xcbf2_9ce4_8422_2325

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    mutating func onTrack(_ track: Track) -> TrackWant? {
        switch track.kind {
        case .camera:
            camera = track
            return .video(
                VideoTrackWant(
                    format: Self.formats[turn % 3], size: Self.sizes[turn % 3],
                    rate: turn % 2 == 0 ? nil : FrameRate(10), pace: .complete))
        case .mix:
            return turn % 3 == 1
                ? nil
                : .audio(
                    AudioTrackWant(
                        format: AudioFormat(
                            sampleRate: turn % 2 == 0 ? 48_000 : 16_000, channels: 2)))
        default: return nil
        }
    }

    func onStart() { host.setState(.live, "turn 0") }

    mutating func onVideo(_ frame: borrowing OutputFrame) {
        frames += 1
        add([frame.index, Int64(frame.periods), Int64(frame.width), Int64(frame.format.rawValue)])
        for plane in 0..<frame.planeCount {
            for y in 0..<frame.geometry(ofPlane: plane).rows {
                let row = frame.row(y, ofPlane: plane)
                var sum = 0
                for x in row.indices { sum = sum &* 31 &+ Int(row[x]) }
                add([Int64(sum)])
            }
        }
        guard frames % 20 == 0, let camera else { return }
        turn += 1
        host.setState(turn % 2 == 0 ? .live : .connecting, "turn \(turn)")
        host.setCeiling(
            of: camera,
            to: turn % 2 == 0 ? nil : VideoCapability(width: 160, height: 90, fps: 15),
            because: "it is turn \(turn)")
        host.wantsChanged()
    }

    mutating func onAudio(_ block: borrowing OutputBlock) {
        samples += block.frameCount
        let values = block.samples
        var sum = 0
        for index in values.indices { sum = sum &* 31 &+ Int(values[index]) }
        add([block.index, Int64(block.frameCount), Int64(sum)])
    }

    func onStop() {
        host.setState(.lost, "it is over")
        host.report("frames", frames)
        host.report("samples", samples)
        host.report("turns", turn)
        host.report("digest", Double(digest >> 16))
    }

    private mutating func add(_ values: [Int64]) {
        for value in values {
            digest = (digest ^ UInt64(bitPattern: value)) &* 0x0000_0100_0000_01b3
        }
    }
}

/// The entry of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Changing.self) }
