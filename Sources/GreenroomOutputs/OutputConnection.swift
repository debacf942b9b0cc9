import GreenroomABI
package import GreenroomAudio
import GreenroomConversion
package import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomRuntime
package import GreenroomVideo
import Synchronization

/// The tracks of an output plugin in a running session, each with its branch or sink, including
/// unwanted tracks.
package final class OutputConnection: Sendable {
    /// The media of a track that the plugin receives.
    private enum Taken: Equatable {
        case nothing
        case video(VideoCapability, VideoTrackRequest)
        case audio(AudioTrackRequest)
    }

    /// The path of a track to the plugin.
    private enum Path {
        case video(VideoBranch)
        case audio(PluginAudioSink)
    }

    private struct Entry {
        /// The track's number.
        var track: UInt32
        var path: Path
        /// The start of the track, in nanoseconds from the session's start.
        var start: Int64
        /// The length of the track, in nanoseconds; nil if unknown.
        var duration: Int64?
        var taken: Taken
    }

    private let feed: OutputFeed
    private let instance: PluginInstance
    private let audio: PluginAudioThread
    /// The entries in the order of connecting. Only the session's thread uses them, off the path of
    /// frames, so the lock costs nothing.
    private let entries = Mutex<[Entry]>([])

    init(_ feed: OutputFeed, _ instance: PluginInstance, clock: SessionClock) {
        self.feed = feed
        self.instance = instance
        audio = PluginAudioThread(feed, instance, clock: clock)
    }

    /// Connects a video track that begins.
    ///
    /// - Parameters:
    ///   - name: The track's name, for messages.
    ///   - start: The start of the track, in nanoseconds from the session's start.
    ///   - duration: The length of the track, in nanoseconds; nil if unknown.
    package func branch(
        of track: UInt32, name: String, start: Int64 = 0, duration: Int64? = nil,
        clock: SessionClock
    ) -> VideoBranch {
        let taken = wanted(of: track)
        let form = form(taken, of: track, start: start, duration: duration)
        let branch = VideoBranch(
            name: "\(feed.name) \(name)", plugin: instance.number, form: form, clock: clock)
        add(
            Entry(
                track: track, path: .video(branch), start: start, duration: duration, taken: taken))
        return branch
    }

    /// Connects an audio track or a mix that begins.
    ///
    /// - Parameter start: The start of the track, in nanoseconds from the session's start.
    package func sink(of track: UInt32, start: Int64 = 0) -> PluginAudioSink {
        let taken = wanted(of: track)
        var want: AudioTrackRequest?
        if case .audio(let wanted) = taken { want = wanted }
        let sink = audio.sink(of: track, want: want, start: start)
        add(Entry(track: track, path: .audio(sink), start: start, taken: taken))
        return sink
    }

    /// The sinks of audio tracks and mixes.
    package var audioSinks: [any AudioSink] {
        entries.withLock { entries in
            entries.compactMap { entry -> (any AudioSink)? in
                guard case .audio(let sink) = entry.path else { return nil }
                return sink
            }
        }
    }

    /// The number of the plugin.
    package var plugin: Int { instance.number }

    /// The sink of an audio track or a mix; nil for another track.
    package func audioSink(of track: UInt32) -> PluginAudioSink? {
        entries.withLock { entries in
            guard case .audio(let sink)? = entries.first(where: { $0.track == track })?.path else {
                return nil
            }
            return sink
        }
    }

    /// Whether the plugin leaves a participant out.
    package func leavesOut(_ participant: OutputTrack.Participant) -> Bool {
        feed.exceptions.has(participant)
    }

    private func add(_ entry: Entry) { entries.withLock { $0.append(entry) } }

    /// Connects a participant's track if the host announces it to the plugin.
    ///
    /// - Returns: Whether the host announces the track, so that its branch or sink must be
    ///   connected.
    package func opens(_ track: OutputTrack) -> Bool { feed.open(track) }

    /// Removes an ended track.
    package func close(_ track: UInt32) { entries.withLock { $0.removeAll { $0.track == track } } }

    /// Applies the plugin's new wants.
    ///
    /// - Returns: The changes for video tracks, by number.
    package func follow() -> [(track: UInt32, change: VideoTrackInput.BranchChange)] {
        guard feed.control.takeNews() else { return [] }
        var changes: [(track: UInt32, change: VideoTrackInput.BranchChange)] = []
        entries.withLock { entries in
            for (index, entry) in entries.enumerated() {
                let wanted = wanted(of: entry.track)
                guard wanted != entry.taken else { continue }
                switch entry.path {
                case .video(let branch):
                    guard !branch.isChanging else {
                        // The output is slow, and has not reached the previous change.
                        feed.control.didDescribe()
                        continue
                    }
                    let form = form(
                        wanted, of: entry.track, start: entry.start, duration: entry.duration)
                    changes.append(
                        (entry.track, VideoTrackInput.BranchChange(branch: branch, form: form)))
                case .audio(let sink):
                    if case .audio(let want) = wanted {
                        sink.change(to: want)
                    } else {
                        sink.change(to: nil)
                    }
                }
                entries[index].taken = wanted
            }
        }
        return changes
    }

    /// Whether the plugin has reported its want for a track, and receives the track accordingly.
    package func hasFollowed(_ track: UInt32) -> Bool {
        guard let taken = entries.withLock({ $0.first { $0.track == track }?.taken }) else {
            return true
        }
        return !feed.owesAnswer(about: track) && wanted(of: track) == taken
    }

    /// The plugin's want for a track.
    private func wanted(of track: UInt32) -> Taken {
        guard let (described, want) = feed.wanted(of: track) else { return .nothing }
        switch want {
        case .nothing: return .nothing
        case .audio(let want): return .audio(want)
        case .video(let want):
            guard let own = described.capability else { return .nothing }
            return .video(want.capability(of: own), want)
        }
    }

    /// The form of the plugin's branch of a track; nil if the track has no branch.
    private func form(
        _ taken: Taken, of track: UInt32, start: Int64, duration: Int64?
    ) -> BranchForm? {
        guard case .video(let capability, let want) = taken else { return nil }
        let color = want.video.color(at: capability.size)
        // A share may rotate. Other tracks keep their size, so equal wants share one conversion.
        let isShare = feed.wanted(of: track)?.track.kind == UInt32(GR_TRACK_SHARE)
        let isOpen = isShare && want.video.size == nil && want.video.fit == .letterbox
        return BranchForm(
            capability: capability,
            want: VideoWant(
                format: want.format, size: capability.size, range: color.range,
                matrix: color.matrix, fit: want.video.fit),
            sizing: isOpen ? .keepsFirst : .asAsked,
            endSlot: duration.map { capability.rate.frameCount(inNanoseconds: $0) },
            sink: PluginVideoSink(
                feed, instance, track: track, rate: capability.rate, start: start,
                isComplete: want.isComplete))
    }
}

extension VideoTrackRequest {
    /// The size and rate of the frames that the output receives.
    ///
    /// - Parameter own: The track's size and rate.
    fileprivate func capability(of own: VideoCapability) -> VideoCapability {
        let live = max(own.rate, OutputBuilder.slowestLive)
        return VideoCapability(
            size: video.size ?? own.size, rate: video.rate ?? (isComplete ? own.rate : live))
    }
}
