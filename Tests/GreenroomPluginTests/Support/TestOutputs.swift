import GreenroomPlugin

/// Logs what it gets, and keeps the last frame until the next one.
final class RecordingOutput: Output {
    struct Settings: PluginSettings {
        enum Fault: String, CaseIterable {
            case none, confused, track, start, frame, block
            case keepsTwice = "keeps-twice"
            /// None: it tells the host what changes.
            case tells
        }
        var keeps = false
        var fault = Fault.none

        static let table: [Setting<Self>] = [
            .boolean("keeps", \.keeps), .choice("fault", \.fault),
        ]
    }
    static let plugin = describe("output")
    private let settings: Settings
    private let host: PluginHost
    private var kept: OutputFrame?
    private var camera: Track?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onTrack(_ track: Track) throws -> TrackWant? {
        host.log(.debug, "onTrack \(track.name) \(track.capability.map { "\($0)" } ?? "-")")
        if track.kind == .camera { camera = track }
        switch (settings.fault, track.kind) {
        case (.track, _): throw PluginError("no room", status: .unavailable)
        case (.confused, .camera): return .audio()
        case (.confused, .mix): return .video()
        case (_, .camera):
            return .video(
                VideoTrackWant(
                    format: .nv12, size: FrameSize(width: 5, height: 3),
                    rate: FrameRate(numerator: 30_000, denominator: 1001), fit: .crop,
                    matrix: .bt709, pace: .complete))
        case (_, .share), (_, .stage): return .video()
        case (_, .microphone):
            return .audio(
                AudioTrackWant(
                    format: AudioFormat(sampleRate: 16_000, channels: 1), blockFrames: 320))
        case (_, .mix): return .audio()
        case (_, .shareAudio), (_, .incoming), (_, .mixMinus), (_, .fullMix),
            (_, .split):
            return nil
        }
    }

    func onStart() throws {
        host.log(.debug, "onStart")
        if settings.fault == .start { throw PluginError("the disk is full") }
        guard settings.fault == .tells, let camera else { return }
        let statuses = [
            host.setState(.connecting), host.setState(.lost, "no route"),
            host.setCeiling(
                of: camera, to: VideoCapability(width: 64, height: 36, fps: 7), because: "slow"),
            host.setCeiling(of: camera, to: nil, because: "fast"), host.wantsChanged(),
        ]
        host.log(.debug, "\(statuses.map(\.description))")
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        if settings.fault == .frame { throw PluginError("torn", status: .badData) }
        host.log(
            .debug,
            "onVideo \(frame.track.name) \(frame.format) \(frame.size) \(frame.color.matrix) "
                + "\(frame.content) \(frame.periods) from \(frame.index) "
                + "at \(frame.timeNanoseconds): \(sum(frame))")
        if let kept = kept.take() { host.log(.debug, "kept \(kept.index): \(sum(kept))") }
        guard settings.keeps else { return }
        kept = try frame.keep()
        if settings.fault == .keepsTwice { kept = try frame.keep() }
    }

    /// The pixel bytes of each plane, rows and rest, added up.
    private func sum(_ frame: borrowing OutputFrame) -> [Int] {
        (0..<frame.planeCount).map { plane in
            var sum = 0
            for y in 0..<frame.geometry(ofPlane: plane).rows {
                let row = frame.row(y, ofPlane: plane)
                for x in row.indices { sum += Int(row[x]) }
            }
            return sum
        }
    }

    func onAudio(_ block: borrowing OutputBlock) throws {
        if settings.fault == .block { throw PluginError("", status: .ok) }
        let samples = block.samples
        host.log(
            .debug,
            "onAudio \(block.track.name) \(block.format.sampleRate) x \(block.format.channels) "
                + "\(block.frameCount) from \(block.index) at \(block.timeNanoseconds): "
                + "\(samples[0]) to \(samples[samples.count - 1])")
    }

    func onStop() {
        host.log(.debug, "onStop")
        host.report("frames", 12)
        host.report("load", 0.5)
    }

    func onUninitialized() {
        guard let kept = kept.take() else { return }
        host.log(
            .debug,
            "kept \(kept.index): \(sum(kept)) \(kept.plane(0).byteCount) \(kept.row(0).count)")
    }
}

/// Takes two of the three positions.
struct RecordingSpeaker: VirtualAudioSpeaker {
    static let plugin = describe("speaker")
    let host: PluginHost

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onSessionEvent(_ json: String) { host.log(.debug, "onSessionEvent \(json)") }

    var positions: Set<SpeakerPosition> { [.oneWay, .shared] }
    var format: AudioFormat { AudioFormat(sampleRate: 22_050, channels: 1) }
    var blockMilliseconds: Int { 20 }

    func onStart() { host.log(.debug, "onStart") }

    func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) {
        host.log(.debug, "mixed \(block.frameCount)")
    }
    func onVirtualSpeakerOneWayAudioReceived(_ block: borrowing OutputBlock) {
        host.log(.debug, "one-way \(block.frameCount)")
    }
    func onVirtualSpeakerSharedAudioReceived(_ block: borrowing OutputBlock) throws {
        host.log(.debug, "shared \(block.frameCount)")
        throw PluginError("the cable is out", status: .unavailable)
    }
    func onStop() { host.log(.debug, "onStop") }
}

/// Subscribes to cameras, each participant's in a resolution of its own.
struct RecordingReceiver: RawVideoReceiver {
    static let plugin = describe("receiver")
    let host: PluginHost

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onSessionEvent(_ json: String) { host.log(.debug, "onSessionEvent \(json)") }

    func subscription(to track: Track) throws -> VideoTrackWant? {
        host.log(.debug, "subscription to \(track.name)")
        switch (track.kind, track.participant) {
        case (.camera, .some):
            return VideoTrackWant(format: .nv12, size: FrameSize(width: 5, height: 3))
        case (.camera, nil): return VideoTrackWant()
        case (.share, .some): throw PluginError("no share, please", status: .unsupported)
        default: return nil
        }
    }

    func onStart() { host.log(.debug, "onStart") }

    func onRawDataFrameReceived(_ frame: borrowing OutputFrame) throws {
        guard frame.index < 100 else { throw PluginError("torn", status: .badData) }
        host.log(
            .debug,
            "frame \(frame.index) of \(frame.track.name): \(frame.content) \(frame.row(0)[0])")
    }

    func onRawDataStatusChanged(_ status: RawDataStatus, of track: Track) {
        host.log(.debug, "\(track.name) is \(status)")
    }

    func onStop() { host.log(.debug, "onStop") }
    func onUninitialized() { host.log(.debug, "onUninitialized") }
}
