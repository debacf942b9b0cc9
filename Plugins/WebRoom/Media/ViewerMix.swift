import GreenroomPlugin
import RoomDecisions
import Synchronization

/// The audio of a viewer whose page has set volumes: a separate mix, encoded only for this viewer.
final class ViewerMix: Sendable {
    let stream: AudioStream
    private let mix = Mutex(VolumeMix())

    init(room: RoomServices) { stream = AudioStream(room: room) }

    /// Adds audio of a person. [the session's media thread]
    func take(
        _ samples: Span<Int16>, of track: UInt32, at nanoseconds: Int64, gain: Float
    ) throws(PluginError) {
        try mix.withLock { mix throws(PluginError) in
            try mix.add(samples, of: track, at: nanoseconds, gain: gain) {
                block, time throws(PluginError) in
                try stream.take(block, at: time)
            }
        }
    }

    /// Forgets a track that has ended.
    func remove(_ track: UInt32) { mix.withLock { $0.remove(track) } }
}
