import Glibc
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let leaks = Check(
        "load.leaks", "creating and destroying leaves nothing behind",
        proving: """
            After some instances were created and destroyed, 400 more are, and what the process \
            has is compared after each hundred: its threads, its open descriptors and its memory. \
            plugin.h: create opens nothing and starts nothing, and destroy frees the instance. A \
            session that goes on for days creates a plugin anew whenever it comes back. Memory that \
            grows by less than half a kilobyte for each instance is not told from noise.
            """
    ) { examination throws(Verdict) in
        let process = try examination.process()
        var series = Series()
        for round in 0...4 {
            for number in 0..<(round == 0 ? 50 : 100) {
                try examination.makeAndFree(in: process, number: series.made + number)
            }
            series.made += round == 0 ? 50 : 100
            series.sights.append(settledSight(of: process, like: series.sights.last))
        }
        guard let fault = series.fault else { return .passed() }
        throw .failed(fault)
    }

    /// Looks at a process whose threads may be about to end.
    private static func settledSight(
        of process: SharedProcess, like before: ProcessSight?
    ) -> ProcessSight {
        var sight = ProcessSight(of: process.process)
        for _ in 0..<50 where sight.threads.count > before?.threads.count ?? .max {
            usleep(20_000)
            sight = ProcessSight(of: process.process)
        }
        return sight
    }
}

extension Examination {
    /// Makes an instance and frees it.
    fileprivate func makeAndFree(in process: SharedProcess, number: Int) throws(Verdict) {
        let status = process.makeAndFree(descriptor, settings)
        if status == .ok { return }
        guard number > 0 else {
            throw .hindered(by: "lifecycle.whole-life", "it can't be created or destroyed")
        }
        if status == nil, let evidence = process.evidence {
            throw .crashed(evidence, process.lines)
        }
        throw .failed(
            "creating it works \(number) times, and then answers "
                + "\(status.map { "\($0)" } ?? "with something that breaks a rule"): something is "
                + "used up that destroy does not give back.")
    }
}

/// What a process had after each of some rounds.
private struct Series {
    var made = 0
    /// After the first round, which fills what stays, and after each hundred more.
    var sights: [ProcessSight] = []

    /// What grows with every round, in words; nil if nothing does.
    var fault: String? {
        guard let first = sights.first, let last = sights.last else { return nil }
        let count = (sights.count - 1) * 100
        // A thread or a descriptor that comes and goes is in some looks only.
        if least({ $0.threads.count }) > 0 {
            return "\(count) instances that were created and destroyed leave "
                + "\(last.threads.count - first.threads.count) threads behind. create starts nothing: "
                + "start threads in start_send, and end them in stop_send."
        }
        if least({ $0.descriptors.count }) > 0 {
            let kinds = Set(last.opened(since: first)).sorted().listed(most: 3)
            return "\(count) instances that were created and destroyed leave "
                + "\(last.descriptors.count - first.descriptors.count) descriptors open (\(kinds)). "
                + "create opens nothing; close in uninitialize what initialize opened."
        }
        let (touched, asked) = (least { $0.privateBytes }, least { $0.dataBytes })
        if touched >= Self.leastTouched || asked >= Self.leastAsked {
            let bytes = max(touched, asked) / 100
            return "every instance that is created and destroyed leaves about \(bytes) bytes of "
                + "memory behind. Free in destroy what create allocated."
        }
        return nil
    }

    /// In bytes, in each round of a hundred.
    private static let leastTouched = 48 * 1024
    private static let leastAsked = 8 << 20

    /// By how much something grew in the round in which it grew least.
    private func least(_ count: (ProcessSight) -> Int) -> Int {
        zip(sights, sights.dropFirst()).map { count($1) - count($0) }.min() ?? 0
    }
}
