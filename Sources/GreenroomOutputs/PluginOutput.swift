import GreenroomMedia
public import GreenroomModel
import GreenroomVideo

/// `plugin`: an output that is a plugin.
package struct PluginOutput: HostOutput, Equatable {
    package var configuration: PluginConfiguration
    package var selection: TrackSelection?
    package var isCall: Bool
    package var filters: [PluginConfiguration]

    /// Describes the output.
    package init(
        _ configuration: PluginConfiguration, selection: TrackSelection? = nil,
        isCall: Bool = false,
        filters: [PluginConfiguration] = []
    ) {
        self.configuration = configuration
        self.selection = selection
        self.isCall = isCall
        self.filters = filters
    }

    package var plugin: PluginConfiguration? { configuration }

    package func open(in session: inout OutputBuilder) {}

    package func conflicts(with earlier: ArraySlice<any HostOutput>, in tracks: TracksInFile)
        -> [String]
    {
        selection?.conflicts(in: tracks) ?? []
    }
}

extension TrackSelection {
    /// The selected tracks that the session does not have, one sentence each.
    func conflicts(in tracks: TracksInFile) -> [String] {
        let cure = "Add one, or remove it from \"tracks\"."
        let missing = own.sorted { ($0.id, $0.name) < ($1.id, $1.name) }.filter { track in
            switch track.role?.medium {
            case .video: !(track.role.map { tracks.video.contains($0.track) } ?? false)
            case .audio: !(track.role.map { tracks.audio.contains($0.track) } ?? false)
            case nil: track.needsCall ? !tracks.hasCall : !tracks.hasAudio
            }
        }
        return missing.map { track in
            track.needsCall
                ? "\"\(track.name)\" needs a call. \(cure)"
                : "the session has no \(track.name). \(cure)"
        }
            + (participants.isEmpty || tracks.hasCall
                ? [] : ["participants need a call. \(cure)"])
    }
}

extension SessionOutput {
    /// Sends the session's media to a call plugin, which adds participants.
    ///
    /// - Parameters:
    ///   - configuration: The call plugin.
    ///   - filters: The filters of each participant's audio, in order.
    public static func call(
        _ configuration: PluginConfiguration, filters: [PluginConfiguration] = []
    ) -> SessionOutput {
        SessionOutput(PluginOutput(configuration, isCall: true, filters: filters))
    }

    /// Sends the session's media to an output plugin.
    ///
    /// - Parameter configuration: The output plugin.
    public static func plugin(_ configuration: PluginConfiguration) -> SessionOutput {
        SessionOutput(PluginOutput(configuration))
    }
}
