import CDecoderCrash
import CFFmpeg
import MediaDecisions
import GreenroomPlugin
import Synchronization

/// A file that plays, or a device of libavdevice.
final class FileSource: MediaSource {
    private struct State: ~Copyable {
        var demuxer: Demuxer
        var playback: Playback?
        /// Which packets of the tracks that are taken are kept.
        var readers: [MediaTrack: DemuxedPackets.Keeping] = [:]
        var settings: MediaSettings
    }

    private let state: Mutex<State>
    private let interrupt: Interrupt
    let name: String
    let notes: [String]
    let origin: Int64
    private let tracks: [StreamParameters?]

    init(_ address: MediaAddress, _ settings: MediaSettings) throws {
        let interrupt = Interrupt()
        self.interrupt = interrupt
        decoder_crash_tell(address.name)
        MediaTrack.video.beginDecoding(at: 0)
        defer { MediaTrack.video.endDecoding() }
        let demuxer = try Demuxer(address, audioTrack: settings.audioTrack, interrupt: interrupt)
        name = address.name
        tracks = demuxer.parameters
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

    func packet(of track: MediaTrack, in leg: Playback.Leg) throws -> NextPacket {
        try state.withLock { state in
            let readers = state.readers
            let packet = try state.demuxer.packet(of: track, in: leg) { readers[$0] }
            return packet.map { .packet($0) } ?? .end
        }
    }
}
