import GreenroomDecisions
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomVideo

extension SessionPlugins {
    /// Whether the source of a role is a composer whose video no output receives.
    func isIdle(_ role: SessionRole) -> Bool {
        slots[role].map { state.isIdle($0.number) } ?? false
    }

    /// Whether an output may take a composer's video, before the session has begun.
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

    /// Stops composers that no output uses. Restarts them when an output requests their video.
    /// While a composer is stopped, the session composes, converts and decodes no video for it.
    mutating func followStages(on pipeline: SessionPipeline) {
        for composer in slots.composers where !isAway(composer) {
            guard let video = pipeline.video(of: composer) else { continue }
            let isTaken =
                video.hasTaps || !video.pipeline.wants.isEmpty || isWanted(video.track.kind)
            guard isTaken == state.isIdle(composer.number) else { continue }
            handle(.idle(composer.number, !isTaken))
            // A stop command applies until the next start command.
            guard !state.isStopped(composer.number) else { continue }
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
