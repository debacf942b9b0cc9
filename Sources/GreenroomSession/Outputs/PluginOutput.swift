import GreenroomMedia
public import GreenroomModel
import GreenroomVideo

/// `plugin`: an output that is a plugin.
package struct PluginOutput: Output, Equatable {
    package var configuration: PluginConfiguration
    package var selection: Set<SessionTrack>?

    /// Describes the output.
    package init(_ configuration: PluginConfiguration, selection: Set<SessionTrack>? = nil) {
        self.configuration = configuration
        self.selection = selection
    }

    package var plugin: PluginConfiguration? { configuration }

    package func open(in session: inout OutputBuilder) {}

    package func conflicts(with earlier: [any Output], in tracks: TracksInFile) -> [String] {
        guard let selection else { return [] }
        return SessionTrack.allCases.filter(selection.contains).compactMap { track in
            let isThere =
                switch track.role?.medium {
                case .video: track.role.map { tracks.video.contains($0.track) } ?? false
                case .audio: track.role.map { tracks.audio.contains($0.track) } ?? false
                case nil: tracks.hasAudio
                }
            return isThere
                ? nil : "there is no \(track.name) to take. Add one, or remove it from \"tracks\"."
        }
    }
}

extension SessionOutput {
    /// Gives the session's media to a plugin.
    ///
    /// - Parameter configuration: The plugin: an output.
    public static func plugin(_ configuration: PluginConfiguration) -> SessionOutput {
        SessionOutput(PluginOutput(configuration))
    }
}
