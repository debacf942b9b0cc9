import Glibc
import GreenroomHost
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let leaks = Check(
        "load.leaks", "creating and destroying leaves nothing behind",
        proving: """
            Instances are created and destroyed, a thousand of them, and what the process has is \
            compared after each hundred: its threads, its open descriptors and its memory. \
            plugin.h: create opens nothing and starts nothing, and destroy frees the instance. A \
            session that goes on for days creates a plugin anew whenever it comes back. Memory that \
            grows by less than half a kilobyte for each instance is not told from noise.
            """
    ) { examination throws(Verdict) in
        let process = try examination.process()
        let deadline = MonotonicClock.deadline(after: 10_000_000_000)
        var series = Series()
        while series.sights.count <= 10, series.sights.count < 3 || MonotonicClock.now < deadline {
            for _ in 0..<Series.round {
                try examination.makeAndFree(in: process, &series)
                series.made += 1
            }
            series.sights.append(settledSight(of: process, like: series.sights.last))
        }
        if let fault = series.fault { throw .failed(fault) }
        return .passed()
    }

    /// Looks at a process whose threads may be about to end.
    private static func settledSight(
        of process: SharedProcess, like before: ProcessSight?
    ) -> ProcessSight {
        var sight = ProcessSight(of: process.process)
        for _ in 0..<10 where sight.threads.count > before?.threads.count ?? .max {
            usleep(20_000)
            sight = ProcessSight(of: process.process)
        }
        return sight
    }
}

extension Examination {
    /// Makes an instance and frees it.
    fileprivate func makeAndFree(
        in process: SharedProcess, _ series: inout Series
    ) throws(Verdict) {
        let status = process.makeAndFree(descriptor, settings)
        if status == .ok { return }
        guard series.made > 0 else {
            throw .hindered(by: "lifecycle.whole-life", "it can't be created or destroyed")
        }
        if status == nil, let evidence = process.evidence {
            throw .crashed(evidence, process.lines)
        }
        let sight = ProcessSight(of: process.process)
        throw .failed(
            "creating and destroying it works \(series.made) times, and then create answers "
                + "\(status.map { "\($0)" } ?? "with something that breaks a rule"): something is "
                + "used up that destroy does not give back. The process has "
                + "\(sight.descriptors.count) descriptors open and \(sight.threads.count) threads.")
    }
}

/// What a process had after each of some rounds.
private struct Series {
    /// How many instances are made between two looks.
    static let round = 100
    /// How many of the last rounds count: the first ones fill what was free, and what stays.
    private static let last = 5
    /// In bytes, in each round.
    private static let leastTouched = 48 * 1024
    private static let leastAsked = 8 << 20

    var made = 0
    /// One after each round.
    var sights: [ProcessSight] = []

    /// What grows with every round, in words; nil if nothing does.
    var fault: String? {
        let lasting = sights.suffix(Self.last)
        guard let first = lasting.first, let last = lasting.last else { return nil }
        let beginning =
            "\((lasting.count - 1) * Self.round) instances that are created and destroyed leave"
        // A thread or a descriptor that comes and goes is in some looks only.
        if least({ $0.threads.count }) > 0 {
            return "\(beginning) \(last.threads.count - first.threads.count) threads behind. "
                + "create starts nothing: start threads in start_send, and end them in stop_send."
        }
        if least({ $0.descriptors.count }) > 0 {
            let kinds = Set(last.opened(since: first)).sorted().listed(most: 3)
            return "\(beginning) \(last.descriptors.count - first.descriptors.count) descriptors "
                + "open (\(kinds)). create opens nothing; close in uninitialize what initialize "
                + "opened."
        }
        let (touched, asked) = (least { $0.privateBytes }, least { $0.dataBytes })
        guard touched >= Self.leastTouched || asked >= Self.leastAsked else { return nil }
        let bytes = max(touched, asked) / Self.round
        return "every instance that is created and destroyed leaves about \(bytes) bytes of memory "
            + "behind. Free in destroy what create allocated."
    }

    /// By how much something grew in the round in which it grew least.
    private func least(_ count: (ProcessSight) -> Int) -> Int {
        let lasting = sights.suffix(Self.last)
        return zip(lasting, lasting.dropFirst()).map { count($1) - count($0) }.min() ?? 0
    }
}
