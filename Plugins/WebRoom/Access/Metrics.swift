internal import FoundationEssentials

/// A session's report in the text format of Prometheus.
package struct Metrics {
    /// The counted members of a report. Absent members are left out.
    private struct Report: Decodable {
        struct Plugin: Decodable {
            var role: String
            var name: String
            var state: String
            var losses: [Loss]?
        }
        struct Loss: Decodable {
            var policy: String?
        }
        struct Account: Decodable {
            var realPercent: Double?
        }
        struct Video: Decodable {
            var track: String
            var account: Account?
            var sent: Int
            var accepted: Int
            var carried: Int
            var refused: [String: Int]
            var superseded: Int
            var discarded: Int
            var overRate: Int
            var unconvertible: Int
            var withheld: Int
            var outputs: [Output]
        }
        struct Output: Decodable {
            var output: String
            var delivered: Int
            var repeated: Int
            var black: Int
            var slate: Int
            var excess: Int
            var queueFull: Int
            var beforeStart: Int
            var afterEnd: Int
            var unwanted: Int
            var unconvertible: Int
            var failed: Int
        }
        struct Audio: Decodable {
            var role: String
            var account: Account?
            var played: Int
            var concealed: Int
            var idle: Int
            var muted: Int
        }
        struct OutputPlugin: Decodable {
            var role: String
            var plugin: String
            var values: [String: Double]?
        }
        var session: String?
        var outcome: String?
        var seconds: Double
        var draining: Bool?
        var processorSeconds: Double?
        var plugins: [Plugin]
        var videoTracks: [Video]
        var audioTracks: [Audio]
        var outputPlugins: [OutputPlugin]?
    }

    /// An outcome that is counted apart from all others.
    private enum Outcome: String {
        case running
    }

    private typealias Labels = [(name: String, value: String)]

    /// The lines.
    package private(set) var text = ""
    /// The labels of every sample: one reader may collect several sessions.
    private let common: Labels

    /// Metrics without a report, for ``add(gauge:_:_:)``.
    package init() { common = [] }

    /// - Parameter report: The report as JSON.
    /// - Returns: nil for another JSON.
    package init?(report json: String) {
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(json.utf8)) else {
            return nil
        }
        common = report.session.map { [("session", $0)] } ?? []
        add("session_running", "gauge", "1 while the session runs, and then 0.") {
            report.outcome.map { [([], Outcome(rawValue: $0) == .running ? 1 : 0)] } ?? []
        }
        add("session_seconds", "gauge", "Time since the session's sources were started.") {
            [([], report.seconds)]
        }
        add("session_draining", "gauge", "1 while the session waits for its guests to leave.") {
            report.outcome.map { _ in [([], report.draining ?? false ? 1 : 0)] } ?? []
        }
        add(
            "processor_seconds_total", "counter",
            "Processor time of the session and all of its processes."
        ) {
            report.processorSeconds.map { [([], $0)] } ?? []
        }
        add("plugin_state", "gauge", "1 for the state that a plugin is in.") {
            report.plugins.map {
                ([("role", $0.role), ("plugin", $0.name), ("state", $0.state)], 1)
            }
        }
        add("plugin_losses_total", "counter", "Losses of a plugin.") {
            report.plugins.map {
                ([("role", $0.role), ("plugin", $0.name)], Double($0.losses?.count ?? 0))
            }
        }
        add("plugin_restarts_total", "counter", "Restarts of a lost plugin.") {
            report.plugins.map { plugin in
                let restarts = plugin.losses?.count { $0.policy == "restart" } ?? 0
                return ([("role", plugin.role), ("plugin", plugin.name)], Double(restarts))
            }
        }
        add("track_real_ratio", "gauge", "Share of real media in a track so far, from 0 to 1.") {
            let tracks =
                report.videoTracks.map { ($0.track, $0.account) }
                + report.audioTracks.map { ($0.role, $0.account) }
            return tracks.compactMap { name, account in
                account?.realPercent.map {
                    // The report has one decimal place.
                    ([("track", name)], ($0 * 10).rounded() / 1000)
                }
            }
        }
        add("video_frames_total", "counter", "Frames of a track, by outcome.") {
            report.videoTracks.flatMap { track in
                [("sent", track.sent), ("accepted", track.accepted), ("carried", track.carried)]
                    .map { ([("track", track.track), ("state", $0)], Double($1)) }
            }
        }
        add("video_frames_refused_total", "counter", "Frames that were refused, by status.") {
            report.videoTracks.flatMap { track in
                track.refused.sorted { $0.key < $1.key }.map {
                    ([("track", track.track), ("status", $0.key)], Double($0.value))
                }
            }
        }
        add(
            "video_frames_dropped_total", "counter",
            "Accepted frames of a track that no output got."
        ) {
            report.videoTracks.flatMap { track in
                [
                    ("superseded", track.superseded), ("discarded", track.discarded),
                    ("over-rate", track.overRate), ("unconvertible", track.unconvertible),
                    ("withheld", track.withheld),
                ].map { ([("track", track.track), ("reason", $0)], Double($1)) }
            }
        }
        add("output_frames_total", "counter", "Frames that an output got, by content.") {
            report.videoTracks.flatMap { track in
                track.outputs.flatMap { output in
                    [
                        ("new", output.delivered), ("repeated", output.repeated),
                        ("black", output.black), ("slate", output.slate),
                    ].map { (Self.labels(track, output) + [("content", $0)], Double($1)) }
                }
            }
        }
        add(
            "output_frames_dropped_total", "counter",
            "Frames of a track that an output did not get."
        ) {
            report.videoTracks.flatMap { track in
                track.outputs.flatMap { output in
                    [
                        ("excess", output.excess), ("queue-full", output.queueFull),
                        ("before-start", output.beforeStart), ("after-end", output.afterEnd),
                        ("unwanted", output.unwanted), ("unconvertible", output.unconvertible),
                        ("failed", output.failed),
                    ].map { (Self.labels(track, output) + [("reason", $0)], Double($1)) }
                }
            }
        }
        add("audio_seconds_total", "counter", "Audio of a source, by outcome.") {
            report.audioTracks.flatMap { audio in
                [
                    ("played", audio.played), ("concealed", audio.concealed),
                    ("idle", audio.idle), ("muted", audio.muted),
                ].map { ([("role", audio.role), ("state", $0)], Double($1) / 48_000) }
            }
        }
        add("output_value", "gauge", "A value that an output plugin reports.") {
            (report.outputPlugins ?? []).flatMap { output in
                (output.values ?? [:]).sorted { $0.key < $1.key }.map {
                    (
                        [("role", output.role), ("plugin", output.plugin), ("name", $0.key)],
                        $0.value
                    )
                }
            }
        }
    }

    /// Adds a number that the report does not have.
    ///
    /// - Parameters:
    ///   - name: Its name, of `a` to `z` and `_`.
    ///   - help: The meaning of the number.
    package mutating func add(gauge name: String, _ help: String, _ value: Double) {
        add(name, "gauge", help) { [([], value)] }
    }

    private static func labels(_ track: Report.Video, _ output: Report.Output) -> Labels {
        [("track", track.track), ("output", output.output)]
    }

    private mutating func add(
        _ name: String, _ type: String, _ help: String, _ samples: () -> [(Labels, Double)]
    ) {
        let samples = samples()
        guard !samples.isEmpty else { return }
        text += "# HELP greenroom_\(name) \(help)\n# TYPE greenroom_\(name) \(type)\n"
        for (labels, value) in samples {
            let written = (common + labels).map { "\($0)=\"\(Self.escaped($1))\"" }.joined(
                separator: ",")
            let number =
                value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
            text += "greenroom_\(name)\(written.isEmpty ? "" : "{\(written)}") \(number)\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        // By scalars: a quotation mark with an accent is another Character.
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
