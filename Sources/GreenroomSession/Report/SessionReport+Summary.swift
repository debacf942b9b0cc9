import GreenroomDecisions
import GreenroomAudio
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomVideo

extension SessionReport {
    /// The lines of the summary at the end, without control characters.
    public var summary: [String] { summaryLines.map(\.printable) }

    private var summaryLines: [String] {
        var lines: [String] = []
        for video in videoTracks { lines += self.lines(of: video) }
        for audio in audioTracks { lines += self.lines(of: audio) }
        for participant in participants ?? [] {
            for track in participant.tracks {
                // Omit the video of a track that no output receives.
                if let video = track.video, !video.outputs.isEmpty {
                    lines += self.lines(of: video)
                }
                if let audio = track.audio { lines += self.lines(of: audio) }
            }
        }
        lines += outputs.flatMap(\.summary)
        // Omit the outputs' products if the session had no tracks.
        if !(videoTracks.isEmpty && audioTracks.isEmpty && (participants ?? []).isEmpty) {
            lines += products
        }
        lines += outputs.compactMap { $0.entry as? OutputFeed.Entry }.compactMap(lossOfOutput)
        for role in notReal ?? [] {
            lines.append(
                minimumRealPercent.map {
                    "track \(role): less real media than minimum-real, \($0) %"
                }
                    ?? "track \(role): no real media")
        }
        for hook in hooks ?? [] where hook.undeliveredCount > 0 {
            lines.append(
                "on.\(hook.on): \(hook.undeliveredCount) of "
                    + "\(hook.delivered + hook.undeliveredCount) events not delivered; the log "
                    + "says why")
        }
        if outcome == .outputsFailed {
            lines.append(
                hasWorkingOutput
                    ? "an output failed, and its result is incomplete: see above"
                    : "every output failed")
        }
        if let failedPlugin {
            lines.append(
                outcome == .badSetting
                    ? "the session did not start: \(failedPlugin) has a wrong setting"
                    : "the session ended because \(failedPlugin) failed")
        }
        return lines.isEmpty ? ["nothing was recorded"] : lines
    }

    /// Returns a line about an output that had failed at the end of the session; nil if it had not.
    private func lossOfOutput(_ output: OutputFeed.Entry) -> String? {
        let losses = plugins.first { $0.role == output.role }?.losses ?? []
        guard let loss = losses.last, loss.policy != .end, loss.awaySeconds == nil else {
            return nil
        }
        let what =
            outputsWithoutProduct.contains(output.role)
            ? "with no result" : "and its result ends there"
        let seconds = (loss.seconds * 10).rounded() / 10
        return "\(output.role) (\(output.plugin)) failed at \(seconds) s, \(what): \(loss.evidence)"
    }

    private func lines(of video: Video) -> [String] {
        var lines: [String] = []
        lines.append("track \(video.track): \(video.account)")
        for output in video.outputs {
            let frames =
                output.delivered + output.repeated + output.black + output.slate
            var line = "\(output.output): \(frames) frames"
            if output.repeated > 0 { line += ", \(output.repeated) of them repeats" }
            if output.black > 0 { line += ", \(output.black) of them black" }
            if output.slate > 0 { line += ", \(output.slate) of them a slate" }
            let lost =
                output.queueFull + output.unconvertible + output.failed + video.superseded
            if lost > 0 { line += "; \(lost) frames lost" }
            lines.append(line)
            lines += (output.pieces ?? []).map {
                "\(output.output): \($0.file) is \($0.size), from frame \($0.firstFrame) on"
            }
            if let bars = output.bars {
                lines.append(
                    "\(output.output): at \(bars.seconds) s the share was "
                        + "\(bars.size), shown in \(bars.within) with bars")
            }
        }
        lines += refusals(of: "frames", video.refused.byName).map { "\(video.track): \($0)" }
        if video.unedited > 0 {
            lines.append(
                "\(video.track): \(video.unedited) of \(video.carried) frames shown "
                    + "unedited by a filter")
        }
        if video.withheld > 0 {
            lines.append(
                "\(video.track): \(video.withheld) frames not shown: a filter did not "
                    + "finish them")
        }
        return lines
    }

    private func lines(of audio: Audio) -> [String] {
        var lines: [String] = []
        lines.append("track \(audio.role): \(audio.account)")
        if audio.concealed >= 48 {
            lines.append(
                "\(audio.role): \(audio.concealed / 48) ms of silence for late "
                    + "or missing audio")
        }
        if audio.overfedPercent != nil, audio.cut >= 48 {
            lines.append(
                "\(audio.role): \(audio.cut / 48) ms dropped: source too fast")
        }
        lines += refusals(of: "blocks", audio.refused.byName).map { "\(audio.role): \($0)" }
        if let filters = audio.filters, filters.unedited > 0 {
            lines.append(
                "\(audio.role): \(filters.unedited * 10) ms "
                    + (filters.silenced > 0 ? "silent" : "unedited") + " because of a filter")
        }
        return lines
    }

    /// Returns lines about refusals, except for a single frame refused at the end of the session.
    private func refusals(of unit: String, _ counts: [String: Int]) -> [String] {
        counts.sorted { $0.key < $1.key }
            .filter { $0.key != Status.stopped.description || $0.value > 1 }
            .map { "\($0.value) \(unit) refused: \($0.key)" }
    }
}
