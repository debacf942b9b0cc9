import Glibc
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let leaks = Check(
        "load.leaks", "create and destroy leak nothing",
        rule: "create and destroy leak nothing.",
        why: "The host creates a plugin again after each loss, so create opens and starts nothing.",
        measured: """
            Up to a thousand instances in at most ten seconds; threads, descriptors and \
            memory are compared after each hundred. Less than half a kilobyte per instance \
            is below the noise.
            """,
        fix: "Free in destroy everything that create allocates."
    ) { examination throws(Verdict) in
        let process = try examination.process()
        let deadline = MonotonicClock.deadline(after: 10_000_000_000)
        try examination.makeAndFree(in: process, after: 0)
        var made = 1
        var leaks = LeakDetector(from: ProcessSnapshot(of: process.process))
        while !leaks.isClear, MonotonicClock.now < deadline || leaks.rounds < 3 {
            for _ in 0..<LeakDetector.round {
                try examination.makeAndFree(in: process, after: made)
                made += 1
            }
            leaks.add(settledSnapshot(of: process, like: leaks.last))
        }
        if let fault = leaks.fault { throw .failed(fault) }
        return .passed()
    }

    /// Takes a snapshot of a process whose threads may be about to end.
    private static func settledSnapshot(
        of process: SharedProcess, like before: ProcessSnapshot?
    ) -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(of: process.process)
        for _ in 0..<10 where snapshot.threads.count > before?.threads.count ?? .max {
            usleep(20_000)
            snapshot = ProcessSnapshot(of: process.process)
        }
        return snapshot
    }
}

extension Examination {
    /// Creates and destroys an instance.
    ///
    /// - Parameter made: The number of instances created before.
    fileprivate func makeAndFree(
        in process: SharedProcess, after made: Int
    ) throws(Verdict) {
        let status = process.createAndDestroy(descriptor, settings)
        if status == .ok { return }
        let evidence = status == nil ? process.evidence : nil
        guard made > 0 else {
            throw .hindered(
                by: evidence == nil ? "lifecycle.whole-life" : "lifecycle.destroy-at-once",
                "does not survive create and destroy")
        }
        if let evidence { throw .crashed(evidence, process.lines) }
        let snapshot = ProcessSnapshot(of: process.process)
        throw .failed(
            "create and destroy work \(made) times, then create answers "
                + "\(status.map { "\($0)" } ?? "with something invalid"): destroy does not "
                + "release something that create takes. The process has "
                + "\(snapshot.descriptors.count) descriptors open and \(snapshot.threads.count) threads."
        )
    }
}

extension LeakDetector {
    /// The number of instances between two snapshots.
    fileprivate static let round = 100

    /// The leak that grows with every round; nil if none.
    fileprivate var fault: String? {
        let beginning = "create and destroy leak:"
        switch finding {
        case nil: return nil
        case .threads(let count):
            return
                "\(beginning) \(count) threads remain after some hundred instances. create starts nothing: start threads in "
                + "start_send, and end them in stop_send."
        case .descriptors(let count, let kinds):
            return
                "\(beginning) \(count) descriptors stay open after some hundred instances (\(kinds.listed(most: 3))). create opens "
                + "nothing; close in uninitialize what initialize opened."
        case .memory(let bytes):
            return "create and destroy leak: each instance leaves about "
                + "\(bytes / Self.round) bytes of memory. Free in destroy what create allocated."
        }
    }
}
