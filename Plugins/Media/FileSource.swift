import CDecoderCrash
import CFFmpeg
import MediaDecisions
import GreenroomPlugin
import Synchronization

/// A file that plays, or a device of libavdevice.
final class FileSource: MediaSource {
    fileprivate struct State: ~Copyable {
        var demuxer: Demuxer
        var playback: Playback?
        /// The rule, by track, for keeping its packets.
        var readers: [MediaTrack: DemuxedPackets.Keeping] = [:]
        var settings: MediaSettings
    }

    private let state: Mutex<State>
    private let host: PluginHost
    private let interrupt: Interrupt
    let name: String
    let notes: [String]
    let origin: Int64
    let hasTimestamps: Bool
    private let tracks: [StreamParameters?]

    init(_ address: MediaAddress, _ settings: MediaSettings, host: PluginHost) throws {
        let interrupt = Interrupt()
        self.interrupt = interrupt
        try address.check()
        decoder_crash_tell(address.name)
        MediaTrack.video.beginDecoding(at: 0)
        defer { MediaTrack.video.endDecoding() }
        let demuxer = try Demuxer(address, audioTrack: settings.audioTrack, interrupt: interrupt)
        let start = settings.start.value
        if let length = demuxer.length, start > 0, start.nanoseconds >= length {
            throw PluginError(
                "\(address.name): 'start' is \(start) s, but the file ends at \(seconds(length)) s",
                status: .badSetting)
        }
        if settings.end.value > 0, start >= settings.end.value {
            throw PluginError(
                "'start' is \(start) s, and 'end' is \(settings.end.value) s; 'start' has to be less",
                status: .badSetting)
        }
        self.host = host
        name = address.name
        tracks = demuxer.parameters
        hasTimestamps = demuxer.hasTimestamps
        origin = demuxer.origin
        notes = demuxer.notes
        state = Mutex(State(demuxer: demuxer, settings: settings))
    }

    func parameters(of track: MediaTrack) -> StreamParameters? { tracks[track.rawValue] }

    // MARK: Attaching

    func take(_ track: MediaTrack, for settings: MediaSettings) -> Bool {
        state.withLock { state in
            guard state.settings.plays(like: settings) else { return false }
            guard state.readers[track] == nil else { return false }
            state.readers[track] = .all
            return true
        }
    }

    func keep(_ keeping: DemuxedPackets.Keeping, of track: MediaTrack) {
        state.withLock { $0.readers[track] = keeping }
    }

    func release(_ track: MediaTrack) { state.withLock { $0.readers[track] = nil } }

    // MARK: The position

    func place(at time: Int64) -> Playback.Place {
        state.withLock { state in
            let playback =
                state.playback
                ?? Playback(
                    state.settings.controls, length: state.demuxer.length,
                    from: state.settings.position.value.nanoseconds, at: time)
            state.playback = playback
            return playback.place(at: time)
        }
    }

    func change(from old: MediaSettings, to new: MediaSettings, at time: Int64) {
        state.withLock { state in
            let controls = state.settings.controls
            let jumps = state.settings.take(from: new, since: old)
            guard var playback = state.playback else { return }
            if state.settings.controls != controls {
                playback.change(to: state.settings.controls, at: time)
            }
            if jumps { playback.seek(to: state.settings.position.value.nanoseconds, at: time) }
            state.playback = playback
        }
    }

    var speed: Double { state.withLock { $0.settings.speed.value } }

    // MARK: Packets

    func packet(of track: MediaTrack, at place: Playback.Place) throws -> NextPacket {
        let now = host.nowNanoseconds
        let (packet, note) = try state.withLock { state in
            let readers = state.readers
            let packet = try state.demuxer.packet(of: track, at: place) { readers[$0] }
            return (packet, state.end(now, name))
        }
        if let note { host.log(.warning, note) }
        return packet
    }

    var isLost: Bool { false }
}

extension FileSource.State {
    /// Containers and audio codecs round the end of a file by less.
    private static let tolerance: Int64 = 500_000_000

    /// Takes over where the file really ends.
    ///
    /// - Returns: A line for the log.
    fileprivate mutating func end(_ time: Int64, _ name: String) -> String? {
        guard let end = demuxer.end, var playback, end > 0 else { return nil }
        if let length = playback.length {
            guard end < length - Self.tolerance else { return nil }
            playback.end(at: end, time: time)
            self.playback = playback
            return "\(name): the file is cut off: it ends at \(seconds(end)) s and not at "
                + "\(seconds(length)) s; copy it again"
        }
        playback.end(at: end, time: time)
        self.playback = playback
        return nil
    }
}
