import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

extension Runner {
    /// Whether the instance is a call.
    var isCall: Bool { state.withLock { $0.descriptor?.kind.isCall ?? false } }

    /// Opens a track.
    func open(_ track: UnsafeMutablePointer<gr_open_track>, instance host: UInt64) -> gr_status {
        let channel = channel
        channel.write(host, at: MessageLayout.name)
        channel.writeSized(UnsafePointer(track), at: MessageLayout.subject)
        let status = channel.status(of: .openTrack, length: MessageLayout.samples)
        guard status == Status.ok.rawValue else { return status }
        let opened = channel.read(gr_open_track.self, at: MessageLayout.subject)
        state.withLock {
            $0.tracks.append(
                TrackSender(sender: opened.sender, participant: opened.participant))
        }
        let isVideo =
            opened.kind == UInt32(GR_TRACK_CAMERA) || opened.kind == UInt32(GR_TRACK_SHARE)
        track.pointee.track = opened.track
        track.pointee.sender = opened.sender
        track.pointee.video = isVideo ? UnsafePointer(RunnerInterface.video) : nil
        track.pointee.audio = isVideo ? nil : UnsafePointer(RunnerInterface.audio)
        return status
    }

    /// Closes a track, or mutes it.
    ///
    /// - Parameter isMuted: The new state; nil to close the track.
    func change(
        _ call: RemoteCall, sender: UInt64, isMuted: UInt32? = nil, instance host: UInt64
    ) -> gr_status {
        let channel = channel
        channel.write(host, at: MessageLayout.name)
        channel.write(sender, at: MessageLayout.subject)
        channel.write(isMuted ?? 0, at: MessageLayout.subject + 8)
        let status = channel.status(of: call, length: MessageLayout.subject + 16)
        if isMuted == nil, status == Status.ok.rawValue {
            state.withLock { $0.tracks.removeAll { $0.sender == sender } }
        }
        return status
    }
}

extension RunnerInterface {
    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let call = leaked(
        gr_call_host(
            struct_size: UInt32(MemoryLayout<gr_call_host>.size), reserved: 0,
            joined: { instance, name, participant in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                // If the plugin passes NULL for the number, no participant joins.
                let length = channel.write(
                    text: name, after: MessageLayout.subject,
                    isNull: UInt(bitPattern: participant) == 0)
                let status = channel.status(of: .joined, length: length)
                if status == Status.ok.rawValue {
                    participant.pointee = channel.read(at: MessageLayout.subject)
                }
                return status
            },
            left: { instance, participant in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                channel.write(participant, at: MessageLayout.subject)
                let status = channel.status(of: .left, length: MessageLayout.subject + 8)
                if status == Status.ok.rawValue {
                    runner.state.withLock {
                        $0.tracks.removeAll { $0.participant == participant }
                    }
                }
                return status
            },
            open_track: { instance, track in
                guard let (runner, host) = route(instance: instance) else { return gone }
                return runner.open(track, instance: host)
            },
            close_track: { instance, sender in
                guard let (runner, host) = route(instance: instance) else { return gone }
                return runner.change(.closeTrack, sender: sender, instance: host)
            },
            set_muted: { instance, sender, isMuted in
                guard let (runner, host) = route(instance: instance) else { return gone }
                return runner.change(.setMuted, sender: sender, isMuted: isMuted, instance: host)
            }))

    /// Safe: written once, before any thread can read it.
    nonisolated(unsafe) static let recording = leaked(
        gr_recording_host(
            struct_size: UInt32(MemoryLayout<gr_recording_host>.size), reserved: 0,
            set_recorded: { instance, participant, isRecorded in
                guard let (runner, host) = route(instance: instance) else { return gone }
                let channel = runner.channel
                channel.write(host, at: MessageLayout.name)
                channel.write(participant, at: MessageLayout.subject)
                channel.write(isRecorded, at: MessageLayout.subject + 8)
                return channel.status(of: .setRecorded, length: MessageLayout.subject + 16)
            }))
}
