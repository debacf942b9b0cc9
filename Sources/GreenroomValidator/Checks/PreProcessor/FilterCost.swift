import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    /// The processing time of a frame.
    static let filterCost = Check(
        "pre-processor.cost", "a frame takes less than its interval", of: .filters,
        limitSeconds: 180,
        rule: "A filter finishes each frame within the frame interval.",
        why: "A late filter costs every viewer that frame: the session shows it unedited.",
        measured: """
            Ten frames per row. Fails if three are late in both attempts; a busy machine \
            gets a third.
            """,
        fix: """
            Do the slow work on another thread, and use its newest result. A release build \
            may be enough.
            """
    ) { examination throws(Verdict) in
        let stage = FilterStage(examination)
        var costs: [ConformanceReport.Cost] = []
        var slow: [String] = []
        var late: LateFrames?
        var isInDoubt = false
        for row in FilterSizes.table {
            guard let life = try stage.begin(row) else { continue }
            guard var times = try Self.times(of: life, examination) else {
                isInDoubt = true
                continue
            }
            guard !times.isEmpty else { continue }
            let run = milliseconds(times.map(\.run).sorted()[times.count / 2])
            costs.append(ConformanceReport.Cost(row: "\(row)", millisecondsPerFrame: run))
            let interval = row.intervalNanoseconds
            // A busy machine rarely causes the same fault three times.
            for _ in 0..<2
            where slow.isEmpty && times.wereBusy && times.usualNanoseconds > interval {
                guard let life = try stage.begin(row) else { break }
                guard let again = try Self.times(of: life, examination) else { continue }
                if !again.isEmpty, again.usualNanoseconds < times.usualNanoseconds { times = again }
            }
            guard times.usualNanoseconds > interval else {
                guard late?.isSure != true else { continue }
                switch try Self.lateFrames(in: times, at: row, stage, examination) {
                case .none: break
                case .unknown: isInDoubt = true
                case .some(let found): if late == nil || found.isSure { late = found }
                }
                continue
            }
            guard times.sureNanoseconds > interval else {
                isInDoubt = true
                continue
            }
            slow.append(
                "\(row): half of the frames take \(decimal(milliseconds(times.usualNanoseconds), 1)) "
                    + "ms or more; the limit is \(decimal(milliseconds(interval), 1)) ms "
                    + "(processor time: \(decimal(run, 1)) ms)")
        }
        var verdict = verdict(costs, slow, late, isInDoubt)
        verdict.costs = costs
        return verdict
    }

    /// The number of measured frames, and of frames before them.
    private static let (measured, warmUp) = (10, 2)

    /// The times of frames; empty if the size is not edited, nil if the machine was too busy.
    private static func times(
        of life: FilterLife, _ examination: Examination
    ) throws(Verdict) -> [FilterLife.Times]? {
        let source = FilterFrame(.noise, examination.random(6))
        var times: [FilterLife.Times] = []
        do throws(Verdict) {
            for number in 0..<(warmUp + measured) {
                var found: FilterLife.Times?
                let edit = try life.edit(source) { found = $0 }
                guard edit.status == .ok else { return [] }
                if number >= warmUp, let found { times.append(found) }
                // Stop early if all frames are far too slow.
                let isHopeless = times.allSatisfy { $0.taken > 2 * life.row.intervalNanoseconds }
                if times.count >= 3, isHopeless { break }
            }
            try life.end()
        } catch {
            if life.wasDelayed { return nil }
            guard life.isLate else { throw error }
            throw .failed(
                "at \(life.row) process takes more than 2 s: such a filter is removed from the "
                    + "session. Wait for nothing in process")
        }
        return times
    }

    // MARK: Single late frames

    /// Late frames of a filter that is usually in time.
    private struct LateFrames {
        var text: String
        /// Whether only the filter can be the cause.
        var isSure: Bool
    }

    private enum Lateness {
        case none
        case some(LateFrames)
        /// The machine was too busy for another attempt.
        case unknown
    }

    /// The number of late frames in an attempt that is too many.
    private static let tooMany = 3

    /// Finds out whether a filter is late with some frames in every attempt.
    ///
    /// - Parameter first: The result of the first attempt.
    private static func lateFrames(
        in first: [FilterLife.Times], at row: VideoCapability, _ stage: FilterStage,
        _ examination: Examination
    ) throws(Verdict) -> Lateness {
        let interval = row.intervalNanoseconds
        var attempts = [first]
        while true {
            guard attempts.allSatisfy({ $0.lateCount(interval) >= tooMany }) else { return .none }
            guard attempts.count < (attempts.contains(where: \.wereBusy) ? 3 : 2) else { break }
            guard let life = try stage.begin(row), let again = try times(of: life, examination)
            else { return .unknown }
            attempts.append(again)
        }
        let counts = attempts.map { "\($0.lateCount(interval))" }.joined(separator: " and ")
        let most = attempts.joined().map(\.taken).max() ?? 0
        let text =
            "at \(row) \(counts) frames of \(measured) took longer than the "
            + "\(decimal(milliseconds(interval), 1)) ms available, up to "
            + "\(decimal(milliseconds(most), 1)) ms: a session uses such frames unedited. "
            + "Spread the work over all frames, and wait for nothing in process"
        let isSure = attempts.allSatisfy { $0.surelyLateCount(interval) >= tooMany }
        return .some(LateFrames(text: text, isSure: isSure))
    }

    private static func verdict(
        _ costs: [ConformanceReport.Cost], _ slow: [String], _ late: LateFrames?,
        _ isInDoubt: Bool
    ) -> Verdict {
        if let first = slow.first {
            return .failed(
                "too slow for \(slow.count) of \(costs.count) rows: \(first). Do less for "
                    + "each frame, wait for nothing in process, and measure a release build", slow)
        }
        if let late { return late.isSure ? .failed(late.text) : .warning(late.text) }
        guard !isInDoubt else {
            return .notProven("the machine was too busy to tell whether the filter is fast enough")
        }
        guard let most = costs.max(by: { $0.millisecondsPerFrame < $1.millisecondsPerFrame }) else {
            return .hindered(by: "pre-processor.sizes", "edits nothing")
        }
        return .passed(
            "at most \(decimal(most.millisecondsPerFrame, 2)) ms a frame, at \(most.row)")
    }

    private static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e6 }
}

extension [FilterLife.Times] {
    /// Whether the machine was busy with other processes.
    var wereBusy: Bool {
        reduce(0) { $0 + $1.delay } * 100 > reduce(0) { $0 + $1.taken }
    }

    /// The minimum time of every second frame.
    var usualNanoseconds: Int64 { atLeastEverySecond(map(\.taken)) }

    /// The minimum time of every second frame without the influence of the machine. Other processes
    /// slow a processor down by at most half.
    var sureNanoseconds: Int64 {
        guard wereBusy else { return usualNanoseconds }
        return atLeastEverySecond(map { $0.isWork ? $0.taken / 2 : $0.taken })
    }

    /// The number of frames longer than an interval. On a busy machine, only certainly late frames
    /// count.
    fileprivate func lateCount(_ interval: Int64) -> Int {
        wereBusy
            ? count { !$0.isWork && $0.taken > 2 * interval } : count { $0.taken > interval }
    }

    /// The number of frames longer than an interval even on a processor of twice the speed.
    fileprivate func surelyLateCount(_ interval: Int64) -> Int {
        wereBusy
            ? lateCount(interval) : count { $0.taken > ($0.isWork ? 2 : 1) * interval }
    }

    private func atLeastEverySecond(_ numbers: [Int64]) -> Int64 {
        numbers.isEmpty ? 0 : numbers.sorted()[numbers.count / 2]
    }
}

extension FilterLife.Times {
    /// Whether most of the time was processor time, which other processes slow down.
    fileprivate var isWork: Bool { run > taken / 2 }
}
