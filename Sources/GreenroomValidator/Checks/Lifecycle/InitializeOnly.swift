import GreenroomHost

extension Catalogue {
    static let initializeOnly = Check(
        "lifecycle.initialize-only", "initialize, and no start",
        proving: """
            An instance that was initialized and never started can be uninitialized and destroyed: \
            start_send is called when somebody unmutes, which may be never, and "uninitialize comes \
            exactly once for each initialize that succeeded".
            """
    ) { examination throws(Verdict) in
        let first = try examination.bench()
        for bench in [first, examination.bench(beside: first, number: 1)] {
            try bench.create()
            try bench.initialize()
            try bench.wait(seconds: 0.2)
            for step in ["uninitialize", "destroy"] {
                let end = bench.make(step)
                guard end != .done else { continue }
                let verdict = bench.verdict(on: "\(step) without a start", end)
                return end == .hangs ? verdict.unless("lifecycle.callbacks-in-time") : verdict
            }
        }
        return .passed()
    }
}
