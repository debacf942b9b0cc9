import GreenroomAudio
import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo
import Synchronization

/// The tracks that an output plugin is told of in a running session, each with its way to the
/// plugin, whether it is wanted or not.
final class OutputConnection: Sendable {
    /// What the plugin gets of a track.
    private enum Taken: Equatable {
        case nothing
        case video(VideoCapability, VideoTrackWant)
        case audio(AudioTrackWant)
    }

    private let feed: OutputFeed
    private let instance: PluginInstance
    private let duration: Int64?
    /// The branches of the video tracks.
    let branches: [(track: VideoTrackKind, branch: VideoBranch)]
    /// The sinks of the audio tracks and mixes.
    let sinks: [(track: SessionTrack, sink: PluginAudioSink)]
    /// What the plugin gets, by track. Used by the session's thread alone; the lock satisfies the
    /// compiler, and is never contended.
    private let taken: Mutex<[SessionTrack: Taken]>

    /// - Parameter duration: The session's, in nanoseconds; nil if unknown.
    init(
        _ feed: OutputFeed, _ instance: PluginInstance, to session: OutputBuilder, duration: Int64?
    ) {
        self.feed = feed
        self.instance = instance
        self.duration = duration
        let told = SessionTrack.allCases.filter { feed.selection?.own.contains($0) ?? true }
        var taken: [SessionTrack: Taken] = [:]
        for track in told { taken[track] = Self.wanted(of: track, by: feed) }
        branches = told.compactMap { track in
            guard track.medium == .video, let kind = track.role?.track,
                session.capability(of: kind) != nil
            else { return nil }
            let form = Self.form(taken[track], of: track, feed, instance, duration)
            return (
                kind,
                VideoBranch(
                    name: "\(feed.name) \(track.name)", plugin: instance.number, form: form,
                    clock: session.clock)
            )
        }
        let audioTracks = told.filter { track in
            guard track.medium == .audio else { return false }
            return switch track {
            case .incoming: session.hasCall
            case .mix: !session.audioTracks.isEmpty
            case .camera, .microphone, .share, .shareAudio:
                track.role.map { session.audioTracks.contains($0.track) } ?? false
            }
        }
        sinks = audioTracks.map { track in
            var want: AudioTrackWant?
            if case .audio(let wanted) = taken[track] { want = wanted }
            return (
                track,
                PluginAudioSink(feed, instance, track: track.id, want: want, clock: session.clock)
            )
        }
        // What was answered so far is followed.
        _ = feed.control.takeNews()
        self.taken = Mutex(taken)
    }

    /// Follows what the plugin wants now, where that is something else than it gets.
    ///
    /// - Returns: The changes for video tracks.
    func follow() -> [(track: VideoTrackKind, change: VideoTrackInput.BranchChange)] {
        guard feed.control.takeNews() else { return [] }
        var changes: [(track: VideoTrackKind, change: VideoTrackInput.BranchChange)] = []
        for (kind, branch) in branches {
            let track: SessionTrack = kind == .camera ? .camera : .share
            let wanted = Self.wanted(of: track, by: feed)
            guard wanted != taken.withLock({ $0[track] }) else { continue }
            guard !branch.isChanging else {
                // The change before has not begun: the output is slow.
                feed.control.didDescribe()
                continue
            }
            taken.withLock { $0[track] = wanted }
            let form = Self.form(wanted, of: track, feed, instance, duration)
            changes.append((kind, VideoTrackInput.BranchChange(branch: branch, form: form)))
        }
        for (track, sink) in sinks {
            let wanted = Self.wanted(of: track, by: feed)
            guard wanted != taken.withLock({ $0[track] }) else { continue }
            taken.withLock { $0[track] = wanted }
            if case .audio(let want) = wanted {
                sink.change(to: want)
            } else {
                sink.change(to: nil)
            }
        }
        return changes
    }

    /// What the plugin wants of a track.
    private static func wanted(of track: SessionTrack, by feed: OutputFeed) -> Taken {
        guard let (described, want) = feed.wants.first(where: { $0.track.id == track.id }) else {
            return .nothing
        }
        switch want {
        case .nothing: return .nothing
        case .audio(let want): return .audio(want)
        case .video(let want):
            guard let own = described.capability else { return .nothing }
            return .video(want.capability(of: own), want)
        }
    }

    /// What the plugin's branch makes of a track; nil for nothing.
    private static func form(
        _ taken: Taken?, of track: SessionTrack, _ feed: OutputFeed, _ instance: PluginInstance,
        _ duration: Int64?
    ) -> BranchForm? {
        guard case .video(let capability, let want) = taken else { return nil }
        let color = want.video.color(at: capability.size)
        return BranchForm(
            capability: capability,
            want: VideoWant(
                format: want.format, size: capability.size, range: color.range,
                matrix: color.matrix, fit: want.video.fit),
            sizing: want.video.size != nil || want.video.fit != .letterbox ? .asAsked : .keepsFirst,
            endSlot: duration.map { capability.rate.frameCount(inNanoseconds: $0) },
            sink: PluginVideoSink(
                feed, instance, track: track.id, rate: capability.rate,
                isComplete: want.isComplete))
    }
}

extension VideoTrackWant {
    /// The size and rate of the frames that it gets.
    ///
    /// - Parameter own: The track's size and rate.
    func capability(of own: VideoCapability) -> VideoCapability {
        let live = max(own.rate, OutputBuilder.slowestLive)
        return VideoCapability(
            size: video.size ?? own.size, rate: video.rate ?? (isComplete ? own.rate : live))
    }
}
