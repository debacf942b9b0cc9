import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomVideo

extension SessionPlugins {
    /// Whether a source sends nothing: by a command, or since no output takes what it composes.
    func isStopped(_ plugin: SessionPlugin) -> Bool {
        stopped.contains(plugin.number) || idle.contains(plugin.number)
    }

    /// Whether the source of a role is a composer that no output takes anything of.
    func isIdle(_ role: SessionRole) -> Bool {
        slots[role].map { idle.contains($0.number) } ?? false
    }

    /// Whether an output may take what a composer makes, before the session has begun.
    func isTaken(_ composer: SessionPlugin) -> Bool {
        guard let track = composer.videoTrack else { return false }
        return plan.configuration.outputs.contains { $0.output.want(of: track) != nil }
            || isWanted(track)
    }

    /// Whether a plugin wants a video track.
    private func isWanted(_ track: VideoTrackKind) -> Bool {
        guard let id = track.videoID else { return false }
        return slots.feeds.contains { $0.demand(of: id) != nil }
    }

    /// Stops composers without a taker, and starts them again when an output takes their video. While a
    /// composer is stopped, nothing is composed, converted or decoded for it.
    mutating func followStages(on pipeline: SessionPipeline) {
        for composer in slots.composers where !isAway(composer) {
            guard let video = pipeline.video(of: composer) else { continue }
            let isTaken =
                video.hasTaps || !video.pipeline.wants.isEmpty || isWanted(video.track.kind)
            guard isTaken == idle.contains(composer.number) else { continue }
            if isTaken {
                idle.remove(composer.number)
            } else {
                idle.insert(composer.number)
            }
            // A command holds until the next one.
            guard !stopped.contains(composer.number) else { continue }
            composer.feed?.rest(!isTaken)
            if isTaken {
                pipeline.setStarted(on: video.track.kind)
                begin(composer) { $0.beginStartSend() }
            } else {
                begin(composer) { $0.beginStopSend() }
                pipeline.showBlack(on: video.track.kind)
            }
        }
    }
}
