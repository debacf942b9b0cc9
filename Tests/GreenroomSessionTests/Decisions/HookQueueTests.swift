import Testing

@testable import GreenroomSession

@Suite struct HookQueueTests {
    enum Action {
        case add(String)
        case attempt(String?)
        case delivered
        case failed(isFinal: Bool = false)
        case close
    }

    private static let second: Int64 = 1_000_000_000

    /// Performs actions at times in seconds.
    private func run(_ actions: [(at: Double, Action)]) -> (queue: HookQueue, log: [String]) {
        var queue = HookQueue(of: .ended)
        var log: [String] = []
        for (at, action) in actions {
            let now = Int64(at * Double(Self.second))
            switch action {
            case .add(let id):
                if let line = queue.add(HookEvent(id: id, text: "", about: id), at: now) {
                    log.append(line)
                }
            case .attempt(let id): #expect(queue.attempt(at: now)?.id == id, "at \(at) s")
            case .delivered: log += queue.ended(.delivered, at: now)
            case .failed(let isFinal):
                log += queue.ended(.failed("no", isFinal: isFinal), at: now)
            case .close: queue.close(at: now)
            }
        }
        return (queue, log)
    }

    @Test func `events are attempted one at a time and in order`() {
        let (queue, log) = run([
            (0, .attempt(nil)), (1, .add("a")), (1, .add("b")), (1, .attempt("a")),
            (2, .attempt(nil)), (3, .delivered), (3, .attempt("b")), (4, .delivered),
            (4, .attempt(nil)), (5, .close),
        ])
        #expect(log.isEmpty && queue.isFinished)
        #expect(queue.report.delivered == 2 && queue.report.attempts == 2)
    }

    @Test func `a failed event is retried after a longer and longer delay, then given up`() {
        var actions: [(at: Double, Action)] = [(0, .add("a")), (0, .add("b"))]
        var time = 0.0
        for delay in [1.0, 2, 4, 8, 16, 32, 60] {
            actions += [
                (time, .attempt("a")), (time, .failed()), (time + delay - 0.1, .attempt(nil)),
            ]
            time += delay
        }
        actions += [(time, .attempt("a")), (time, .failed()), (time, .attempt("b"))]
        let (queue, log) = run(actions)
        #expect(log.first == "no; retrying in 1 s" && log.last == "not delivered: a: no")
        #expect(log.count == 8 && queue.report.attempts == 9)
        #expect(queue.report.undelivered == [.init(id: "a", about: "a", reason: "no")])
    }

    @Test func `an event that the receiver refuses is not retried`() {
        let (queue, log) = run([
            (0, .add("a")), (0, .add("b")), (0, .attempt("a")), (1, .failed(isFinal: true)),
            (1, .attempt("b")),
        ])
        #expect(log == ["not delivered: a: no"] && queue.report.undelivered.count == 1)
    }

    @Test func `no more than 100 events wait`() {
        let (queue, log) = run((0..<250).map { (0, .add("\($0)")) })
        #expect(log.count == 150 && log[0] == "not delivered: 100: 100 events wait")
        #expect(queue.report.undelivered.count == 100 && queue.report.undeliveredLeftOut == 50)
    }

    @Test(
        arguments: [
            // A retry that waits is made at once.
            (
                [
                    (0, .add("a")), (0, .attempt("a")), (0, .failed()), (0.5, .close),
                    (0.5, .attempt("a")),
                    (0.6, .delivered),
                ], [], 1
            ),
            // Attempts begin for 60 s.
            (
                [
                    (0, .add("a")), (0, .add("b")), (0, .close), (0, .attempt("a")),
                    (60, .delivered),
                    (60, .attempt("b")), (90, .delivered),
                ], [], 2
            ),
            (
                [
                    (0, .add("a")), (0, .add("b")), (0, .close), (0, .attempt("a")),
                    (61, .delivered),
                ],
                ["not delivered: b: the session had ended"], 1
            ),
            (
                [
                    (0, .add("a")), (0, .add("b")), (0, .close), (0, .attempt("a")),
                    (59.5, .failed()),
                ],
                ["not delivered: a: no", "not delivered: b: the session had ended"], 0
            ),
        ] as [([(at: Double, Action)], [String], Int)])
    func `after the session's end, hooks are attempted for another 60 s`(
        actions: [(at: Double, Action)], lost: [String], delivered: Int
    ) {
        let (queue, log) = run(actions)
        #expect(log.filter { $0.hasPrefix("not") } == lost)
        #expect(queue.isFinished && queue.next == nil && queue.report.delivered == delivered)
    }
}
