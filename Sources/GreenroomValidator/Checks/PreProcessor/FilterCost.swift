import GreenroomHost
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    /// In time.
    static let filterCost = Check(
        "pre-processor.cost", "a frame takes no longer than a frame lasts", of: [.preProcessor],
        limitSeconds: 180,
        proving: """
            Has frames edited at each row of the table, and measures what a frame costs: the time \
            that the plugin's process was on a processor, which goes into the report, and the time \
            that the frame was away, but for what the machine's other work took of it. That must be \
            less than one interval of the row's rate, after which a session goes on with the frame \
            as it was. The fastest of the frames counts, so that a fault is one of every frame. What \
            is too slow on one machine may be fast enough on another one, and in a release build.
            """
    ) { examination throws(Verdict) in
        let stage = FilterStage(examination)
        var costs: [ConformanceReport.Cost] = []
        var slow: [String] = []
        var isInDoubt = false
        for row in FilterSizes.table {
            guard let life = try stage.begin(row) else { continue }
            let times = try times(of: life, examination)
            guard !times.isEmpty else { continue }
            let run = milliseconds(times.map(\.run).sorted()[times.count / 2])
            costs.append(ConformanceReport.Cost(row: "\(row)", millisecondsPerFrame: run))
            let least = times.map(\.taken).min() ?? 0
            guard least > row.intervalNanoseconds else { continue }
            // What others do on the machine slows a processor down, too.
            let isBusy = times.reduce(0) { $0 + $1.delay } * 100 > times.reduce(0) { $0 + $1.taken }
            if isBusy, run > milliseconds(least) / 2, least < 2 * row.intervalNanoseconds {
                isInDoubt = true
                continue
            }
            slow.append(
                "\(row): at least \(decimal(milliseconds(least), 1)) ms for each frame, where "
                    + "\(decimal(milliseconds(row.intervalNanoseconds), 1)) ms are there "
                    + "(\(decimal(run, 1)) ms of processor time)")
        }
        var verdict = verdict(costs, slow, isInDoubt)
        verdict.costs = costs
        return verdict
    }

    /// How many frames are measured, and how many go before them.
    private static let (measured, warmUp) = (10, 2)

    /// What frames take; empty if the size is not edited.
    private static func times(
        of life: FilterLife, _ examination: Examination
    ) throws(Verdict) -> [FilterLife.Times] {
        let picture = FilterPicture(.noise, examination.random(6))
        var times: [FilterLife.Times] = []
        do throws(Verdict) {
            for number in 0..<(warmUp + measured) {
                var found: FilterLife.Times?
                let edit = try life.edit(picture) { found = $0 }
                guard edit.status == .ok else { return [] }
                if number >= warmUp, let found { times.append(found) }
                // What is that slow needs no more frames to be known.
                let isHopeless = times.allSatisfy { $0.taken > 2 * life.row.intervalNanoseconds }
                if times.count >= 3, isHopeless { break }
            }
            try life.end()
        } catch {
            guard life.isLate else { throw error }
            throw .failed(
                "at \(life.row) it has a frame for more than 2 s: such a filter is taken out of the "
                    + "session. Wait for nothing in process")
        }
        return times
    }

    private static func verdict(
        _ costs: [ConformanceReport.Cost], _ slow: [String], _ isInDoubt: Bool
    ) -> Verdict {
        if let first = slow.first {
            return .failed(
                "it is too slow for \(slow.count) of \(costs.count) rows: \(first). Do less for "
                    + "each frame, wait for nothing in process, and measure a release build", slow)
        }
        guard !isInDoubt else {
            return .skipped("the machine was too busy to tell whether it is fast enough")
        }
        guard let most = costs.max(by: { $0.millisecondsPerFrame < $1.millisecondsPerFrame }) else {
            return .hindered(by: "pre-processor.sizes", "it edits nothing")
        }
        return .passed(
            "at most \(decimal(most.millisecondsPerFrame, 2)) ms a frame, at \(most.row)")
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e6 }
}
