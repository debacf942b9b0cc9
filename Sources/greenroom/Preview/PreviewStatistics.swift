import GreenroomAudio
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession
import GreenroomValidator
import GreenroomVideo

/// The statistics of a preview's plugins as text. Counts come from the session's report; rates are between two
/// reports.
struct PreviewStatistics {
    /// The plugins.
    var parts: [PreviewPart]
    /// The start of the interval for rates; nil if the session's start.
    var before: Session.TimedReport?
    /// The current report.
    var now: Session.TimedReport
    /// The loudness since the last report; nil if of the whole session.
    var loudness: PreviewTap.Loudness?

    /// A few lines of less than 80 columns for each plugin. Many problems add lines.
    var block: [String] {
        [time] + parts.flatMap { title(of: $0) + Self.table(rows(of: $0)) }
    }

    /// The lines that are updated in place. A terminal has no room for the blocks of several plugins.
    var status: [String] {
        guard parts.count > 1 else { return block }
        return [time]
            + Self.table(
                parts.map {
                    ["  \($0.descriptor.kind.facts.word)", values(of: $0).joined(separator: ", ")]
                })
    }

    /// The changing values on one line.
    var line: String {
        ([time] + parts.flatMap { title(of: $0) + values(of: $0) }).joined(separator: "  ")
    }

    /// The title of an agent's part.
    private func title(of part: PreviewPart) -> [String] {
        parts.count > 1 ? ["\(part.descriptor.kind.facts.word):"] : []
    }

    private func rows(of part: PreviewPart) -> [[String]] {
        let plugin = now.report.plugins.first { $0.role == "\(part.address)" }
        let media =
            if let output = output(of: part) {
                rows(of: output)
            } else if let video = now.report.video(of: part) {
                rows(of: video, isFiltered: part.descriptor.kind.isFilter)
            } else {
                now.report.audioTracks.first.map(rows) ?? []
            }
        return media + (plugin.map { callbacks(of: $0) + losses(of: $0) } ?? [])
    }

    private func values(of part: PreviewPart) -> [String] {
        if let output = output(of: part) { return values(of: output) }
        if let video = now.report.video(of: part) {
            return values(of: video, isFiltered: part.descriptor.kind.isFilter)
        }
        return now.report.audioTracks.first.map(values) ?? []
    }

    /// The entry of an output or a call in the report.
    private func output(of part: PreviewPart) -> OutputFeed.Entry? {
        guard part.descriptor.kind.isOutput else { return nil }
        return now.report.outputs.lazy.compactMap { $0.entry as? OutputFeed.Entry }
            .first { $0.role == "\(part.address)" }
    }

    // MARK: Video

    private func rows(of video: SessionReport.Video, isFiltered: Bool) -> [[String]] {
        let arrival = video.arrival
        let rows = [
            ["  video", carried(video)],
            ["  real", "\(video.account)"],
            [
                "  frames",
                "\(rate(of: video)), sent \(video.sent), accepted \(video.accepted), "
                    + "stale \(video.staleRevision)",
            ],
            ["  refused", list(video.refused.byName)],
            ["  dropped", list(drops(of: video))],
            [
                "  intervals",
                arrival.count == 0
                    ? "none yet"
                    : "p50 \(decimal(arrival.p50Milliseconds, 1)) ms, "
                        + "p99 \(decimal(arrival.p99Milliseconds, 1)) ms, "
                        + "longest \(decimal(arrival.maximumMilliseconds, 1)) ms",
            ],
        ]
        return rows + (isFiltered ? [["  unedited", list(unedited(video))]] : [])
    }

    private func values(of video: SessionReport.Video, isFiltered: Bool) -> [String] {
        let edits = unedited(video).reduce(0) { $0 + $1.count }
        return [
            carried(video), rate(of: video), real(video.account), "sent \(video.sent)",
            "refused \(video.refused.total)",
            "dropped \(drops(of: video).reduce(0) { $0 + $1.count })",
            "stale \(video.staleRevision)",
        ] + (isFiltered ? ["unedited \(edits)"] : [])
    }

    /// The skipped edits, by reason.
    private func unedited(_ video: SessionReport.Video) -> [(name: String, count: Int)] {
        let unprocessed = video.unprocessed
        return [
            ("refused", unprocessed.refused), ("overdue", unprocessed.overdue),
            ("lost", unprocessed.lost),
        ]
    }

    private func carried(_ video: SessionReport.Video) -> String {
        guard let offer = video.negotiation.last(where: { $0.answer != nil }),
            let track = offer.track
        else { return video.capability }
        let source = offer.source.map { $0 == track ? "" : ", made of its \($0)" } ?? ""
        return "\(track) (offer \(offer.revision)\(source))"
    }

    private func rate(of video: SessionReport.Video) -> String {
        let earlier = before?.report.videoTracks.first { $0.track == video.track }?.accepted
        return "\(decimal(rate(from: earlier, to: video.accepted), 1)) fps"
    }

    /// The accepted frames that reached no viewer, by reason.
    private func drops(of video: SessionReport.Video) -> [(name: String, count: Int)] {
        let outputs = video.outputs
        return [
            ("for newer ones", video.superseded), ("above the rate", video.overRate),
            ("unconvertible", video.unconvertible),
            ("withheld for the filter", video.withheld),
            ("after the end", video.discarded),
            ("for a slow reader", outputs.reduce(0) { $0 + $1.queueFull }),
            ("without a reader", outputs.reduce(0) { $0 + $1.failed }),
        ]
    }

    // MARK: Audio

    private func rows(of audio: SessionReport.Audio) -> [[String]] {
        let level = loudness.map { "level \(decibels($0.levelDBFS)), " } ?? ""
        let peak = loudness.map(\.peakDBFS) ?? audio.peakDBFS
        return [
            ["  real", "\(audio.account)"],
            ["  audio", "\(level)peak \(decibels(peak)), clipped \(audio.clippedSamples)"],
            [
                "  blocks",
                "\(rate(of: audio)), sent \(audio.sent), accepted \(audio.accepted), "
                    + "resampled \(audio.resampled)",
            ],
            ["  refused", list(audio.refused.byName)],
            [
                "  queue",
                "\(audio.queued / 48) ms; \(audio.concealed / 48) ms concealed, "
                    + "\(audio.cut / 48) ms dropped",
            ],
            [
                "  drift",
                audio.driftPPM.map { "\(decimal($0, 1)) ppm: the audio is stretched" } ?? "none",
            ],
        ]
    }

    private func values(of audio: SessionReport.Audio) -> [String] {
        let level = loudness.map { ["level \(decibels($0.levelDBFS))"] } ?? []
        return level + [
            real(audio.account), "sent \(audio.sent)",
            "refused \(audio.refused.total)",
            "queue \(audio.queued / 48) ms", "concealed \(audio.concealed / 48) ms",
        ]
    }

    private func rate(of audio: SessionReport.Audio) -> String {
        let earlier = before?.report.audioTracks.first?.sent
        return "\(decimal(rate(from: earlier, to: audio.sent), 1)) a second"
    }

    // MARK: Outputs

    private func rows(of output: OutputFeed.Entry) -> [[String]] {
        let tracks = output.tracks.map { track in
            let branch = "\(output.role) (\(output.plugin)) \(track.track)"
            let video = now.report.videoTracks.flatMap(\.outputs).first { $0.output == branch }
            let lost: [(name: String, count: Int)] = [
                ("while restarting", track.media.away),
                ("without memory for them", track.media.noBuffer),
                ("while its queue was full", video?.queueFull ?? 0),
                ("samples while its queue was full", track.media.lostSamples ?? 0),
            ]
            return [
                "  \(track.track)",
                "\(track.want), taken \(track.media.taken), refused \(list(track.media.refused)), "
                    + "lost \(list(lost))",
            ]
        }
        return (tracks.isEmpty ? [["  tracks", "requests none"]] : tracks)
            + [["  values", output.valuesInWords ?? "none"]]
            + participants.map { ["  \($0.name)", $0.text] }
    }

    /// The participants of the call, with their tracks.
    private var participants: [(name: String, text: String)] {
        (now.report.participants ?? []).map { participant in
            let tracks = participant.tracks.map { track in
                let end = track.endedSeconds == nil ? "" : " (closed)"
                if let video = track.video {
                    return "\(track.track) \(video.capability)\(end): sent \(video.sent)"
                }
                return "\(track.track)\(end): sent \(track.audio?.sent ?? 0)"
            }
            let left = participant.leftSeconds == nil ? [] : ["left"]
            return (participant.name, (left + tracks).joined(separator: ", "))
        }
    }

    private func values(of output: OutputFeed.Entry) -> [String] {
        output.tracks.map { track in
            let refused = track.media.refused.values.reduce(0, +)
            return "\(track.track): taken \(track.media.taken), refused \(refused)"
        } + (output.valuesInWords.map { [$0] } ?? [])
            + participants.map { "\($0.name): \($0.text)" }
    }

    // MARK: All

    private func callbacks(of plugin: SessionReport.Plugin) -> [[String]] {
        let times = plugin.callbacks.sorted { $0.key < $1.key }.map { name, times in
            "\(name) \(decimal(times.longestMilliseconds, 1))"
        }
        return times.isEmpty
            ? [] : [["  callbacks", "longest, in ms: \(times.joined(separator: ", "))"]]
    }

    private func losses(of plugin: SessionReport.Plugin) -> [[String]] {
        guard let losses = plugin.losses else { return [] }
        var away = losses.compactMap(\.awaySeconds).reduce(0, +)
        // The plugin has not returned from the losses after its last return.
        let missing = losses.reversed().prefix { $0.awaySeconds == nil }
        if let first = missing.last { away += max(now.seconds - first.seconds, 0) }
        let times = losses.count == 1 ? "once" : "\(losses.count) times"
        return [
            [
                "  lost",
                "\(times), away for \(decimal(away, 1)) s in all"
                    + (missing.isEmpty ? "" : ", away still"),
            ]
        ]
    }

    private func real(_ account: SessionReport.RealAccount) -> String {
        account.realPercent.map { "real \(decimal($0, 1)) %" } ?? "stopped"
    }

    /// The session time, such as `1:05`.
    private var time: String {
        let (minutes, rest) = Int(now.seconds).quotientAndRemainder(dividingBy: 60)
        return "\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The rate per second.
    private func rate(from earlier: Int?, to count: Int) -> Double {
        let seconds = now.seconds - (before?.seconds ?? 0)
        return seconds > 0 ? Double(count - (earlier ?? 0)) / seconds : 0
    }

    /// The width of a table, and the least for its values.
    private static let columns = (whole: 79, least: 20)

    /// The rows, wrapped to the columns.
    private static func table(_ rows: [[String]]) -> [String] {
        let names = rows.map { $0.first?.count ?? 0 }.max() ?? 0
        let columns = max(columns.whole - names - 2, columns.least)
        return greenroom.table(rows.flatMap { wrapped($0, to: columns) })
    }

    private static func wrapped(_ row: [String], to columns: Int) -> [[String]] {
        guard let name = row.first, let text = row.last else { return [] }
        var lines: [String] = []
        for part in text.split(separator: ", ") {
            if let line = lines.last, line.count + 2 + part.count < columns {
                lines[lines.count - 1] += ", \(part)"
            } else {
                if !lines.isEmpty { lines[lines.count - 1] += "," }
                lines.append(String(part))
            }
        }
        return lines.enumerated().map { [$0 == 0 ? name : "", $1] }
    }

    private func list(_ counts: [String: Int]) -> String {
        list(counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    private func list(_ counts: [(name: String, count: Int)]) -> String {
        let some = counts.filter { $0.count > 0 }
        return some.isEmpty
            ? "none" : some.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }

    private func decibels(_ value: Double?) -> String {
        value.map { "\(decimal($0, 1)) dBFS" } ?? "silent"
    }
}

extension SessionReport {
    /// The track whose video a plugin sends or edits.
    fileprivate func video(of part: PreviewPart) -> Video? {
        part.videoTrack.flatMap { track in videoTracks.first { $0.track == track.rawValue } }
    }
}
