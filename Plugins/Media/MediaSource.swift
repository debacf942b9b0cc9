import CFFmpeg
import MediaDecisions
import GreenroomPlugin
import Synchronization

/// A file or a stream, with one demuxer for its video and its audio, and the position of both.
protocol MediaSource: AnyObject, Sendable {
    /// The name in messages, without credentials.
    var name: String { get }
    /// Parts of the file that do not play, for the log.
    var notes: [String] { get }
    /// The time of the first frame, in nanoseconds; positions count from it.
    var origin: Int64 { get }
    /// The speed of now.
    var speed: Double { get }
    /// Whether frames have timestamps; else they are counted from the start of the file.
    var hasTimestamps: Bool { get }
    /// Whether the source is a stream that has no connection or has ended.
    var isLost: Bool { get }

    /// The parameters of a track's decoder; nil without that track.
    func parameters(of track: MediaTrack) -> StreamParameters?

    /// Takes a track for a plugin; false if it is taken, or the settings are others.
    func take(_ track: MediaTrack, for settings: MediaSettings) -> Bool
    /// The plugin of a track has stopped or starts again.
    func keep(_ keeping: DemuxedPackets.Keeping, of track: MediaTrack)
    /// The plugin of a track has ended.
    func release(_ track: MediaTrack)

    /// The position at a time of the session's clock. The first call starts the playback.
    func place(at time: Int64) -> Playback.Place
    /// Takes over a live setting of one of its plugins. A setting that stays the same is a jump to the same
    /// position.
    func change(from old: MediaSettings, to new: MediaSettings, at time: Int64)
    /// The next packet of a track.
    func packet(of track: MediaTrack, at place: Playback.Place) throws -> NextPacket
}

/// The open files and streams of this process.
enum MediaSources {
    /// Video and audio of a session, or of its share.
    enum Family: Hashable { case session, share }

    private struct Entry {
        weak var source: (any MediaSource)?
        var family: Family
    }

    private static let entries = Mutex<[Entry]>([])

    /// The source of a track. Two plugins with the same settings share it.
    static func source(
        of track: MediaTrack, _ settings: MediaSettings, for family: Family, host: PluginHost
    ) throws -> any MediaSource {
        try entries.withLock { entries in
            entries.removeAll { $0.source == nil }
            for entry in entries where entry.family == family {
                if let source = entry.source, source.take(track, for: settings) { return source }
            }
            let address = try MediaAddress(settings)
            let source: any MediaSource =
                address.isStream
                ? try StreamSource(address, settings, host: host)
                : try FileSource(address, settings, host: host)
            _ = source.take(track, for: settings)
            entries.append(Entry(source: source, family: family))
            return source
        }
    }
}
