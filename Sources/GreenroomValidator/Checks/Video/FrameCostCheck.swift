import GreenroomHarness
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

extension Catalogue {
    /// Reads the processor time of the plugin's process at each frame, which does not include other
    /// processes.
    static let frameCost = Check(
        "video.cost", "processor time of a frame at each row", of: .videoSources, limitSeconds: 120,
        rule: "A plugin can sustain at least one row of the table.",
        why: "A row whose frames take longer than one interval is too slow for this machine.",
        measured: """
            The median processor time per frame at each row. The check fails if every row \
            takes twice the interval or more.
            """,
        fix: "Draw less, draw into the leased frame, or use a release build."
    ) { examination throws(Verdict) in
        var costs: [ConformanceReport.Cost] = []
        var slow: [String] = []
        var isHopeless = true
        for row in examination.rows {
            guard let (agreed, cost) = try examination.measureCost(row) else { continue }
            let name = agreed.description
            guard !costs.contains(where: { $0.row == name }) else { continue }
            costs.append(
                ConformanceReport.Cost(
                    row: name, millisecondsPerFrame: (cost * 1000).rounded() / 1000))
            let interval = 1000 / agreed.rate.framesPerSecond
            if cost > interval { slow.append("\(name): \(decimal(cost, 1)) ms") }
            if cost <= 2 * interval { isHopeless = false }
        }
        guard let most = costs.max(by: { $0.millisecondsPerFrame < $1.millisecondsPerFrame }) else {
            throw .skipped("sends too few frames to tell")
        }
        let text = "up to \(decimal(most.millisecondsPerFrame, 2)) ms a frame, at \(most.row)"
        let list = slow.joined(separator: ", ")
        let cure = "draw less, in several threads, or build with optimisation"
        var verdict: Verdict =
            slow.isEmpty
            ? .passed(text)
            : isHopeless
                ? .failed("no row can be sustained, a frame takes too long (\(list)): \(cure)")
                : .warning("a frame takes longer than its interval (\(list)): \(cure)")
        verdict.costs = costs
        return verdict
    }
}

extension Examination {
    /// Milliseconds of processor time for each frame, with the row; nil if there are too few
    /// frames.
    fileprivate func measureCost(
        _ row: VideoCapability
    ) throws(Verdict) -> (agreed: VideoCapability, milliseconds: Double)? {
        var samples = Samples()
        // A share may send rarely.
        let seconds = descriptor.kind.offerRule == .upTo ? 2 : 0.4
        let fixture = try show(VideoScenario(row: row, seconds: seconds)) { fixture in
            let fresh = Samples()
            samples = fresh
            let process = fixture.process.process
            fixture.record.onFrameSent {
                fresh.add(ProcessLoad(of: process).runNanoseconds)
            }
        }
        guard let agreed = fixture.pluginHarness.agreement?.source else { return nil }
        // The first frames include the cost of the start.
        let values = samples.values.dropFirst(min(2, max(samples.values.count - 4, 0)))
        let costs = zip(values, values.dropFirst()).map { Double($1 - $0) / 1e6 }.sorted()
        guard !costs.isEmpty else { return nil }
        return (agreed, max(costs[costs.count / 2], 0))
    }
}

/// Numbers in order of arrival. [any]
private final class Samples: Sendable {
    private let state = Mutex<[Int64]>([])
    var values: [Int64] { state.withLock { $0 } }
    func add(_ value: Int64) { state.withLock { $0.append(value) } }
}
