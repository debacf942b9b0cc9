import GreenroomPlugin
import Synchronization

/// Logs what it gets; tests use its host.
struct RecordingCall: Call {
    struct Settings: PluginSettings {
        /// The fake host.
        var host = 0

        static let table: [Setting<Self>] = [.integer("host", \.host)]
    }
    static let plugin = describe("call")
    let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.host = host
        Kept.calls.withLock { $0[settings.host] = host }
    }

    func onTrack(_ track: Track) -> TrackWant? {
        host.log(
            .debug, "onTrack \(track.name) of \(track.participant?.name ?? "the session")")
        return track.kind == .mixMinus ? .audio() : nil
    }

    func onStart() { host.log(.debug, "onStart") }

    func onDemand(_ demand: TrackDemand) {
        host.log(
            .debug,
            "onDemand \(demand.track >> 32) \(demand.isWanted) "
                + "\(demand.capability.map { "\($0)" } ?? "-")")
    }

    func onAudio(_ block: borrowing OutputBlock) {
        host.log(
            .debug,
            "onAudio \(block.frameCount) for \(block.track.participant?.name ?? "nobody")")
    }

    func onSessionEvent(_ json: String) { host.log(.debug, "onSessionEvent \(json)") }

    func onTrackEnded(_ track: Track) { host.log(.debug, "onTrackEnded \(track.name)") }
    func onStop() { host.log(.debug, "onStop") }
    func onUninitialized() { host.log(.debug, "onUninitialized") }
}
