import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomMedia

/// Runs steps of plugins concurrently, each on its instance's control thread, and finds out how
/// each ends: it returns, its plugin sends from inside start-send, or it hangs.
///
/// Deadlines are real time, with any session clock.
struct StepRunner {
    /// A step in progress.
    struct Step {
        let plugin: SessionPlugin
        let pending: PluginInstance.PendingStep
        /// When it counts as hung.
        var deadline: Int64
        /// Whether it is a start-send that sends from inside: the session continues meanwhile.
        var isPump = false
        /// Whether that was reported.
        var isReported = false

        /// Whether the step is a start-send that has sent something and has not returned.
        fileprivate var pumpsNow: Bool {
            pending.step == .startSend && plugin.instance.isPumpingFromStart
        }

        /// How long its callback has run, in nanoseconds. While it waits for another step, or for a
        /// busy machine, its time has not started.
        fileprivate var taken: Int64 {
            plugin.instance.runningCallback.flatMap { $0.step == pending.step ? $0 : nil }?
                .nanoseconds ?? 0
        }
    }

    /// The result of a step.
    enum End {
        case returned(PluginInstance.StepResult)
        /// Its plugin sends from inside start-send.
        case pumps
        /// The same after the deadline, reported once; nanoseconds.
        case pumpsOverdue(Int64)
        case hangs
    }

    /// Time limit of a callback.
    let deadlineNanoseconds: Int64
    /// Steps that run while the session continues.
    private var running: [Step] = []

    init(deadlineNanoseconds: Int64) { self.deadlineNanoseconds = deadlineNanoseconds }

    /// Whether a callback is running that should return soon.
    var awaitsCallbacks: Bool { running.contains { !$0.isPump && !isPumping($0.plugin.instance) } }

    /// Whether a plugin sends from inside start-send: none of its other callbacks runs until that
    /// returns.
    func isPumping(_ instance: PluginInstance) -> Bool {
        running.contains { $0.isPump && $0.plugin.instance === instance }
    }

    /// Begins a step of each plugin, with one deadline for all.
    func begin(
        _ plugins: [SessionPlugin], _ step: (PluginInstance) -> PluginInstance.PendingStep
    ) -> [Step] {
        let pending = plugins.map { ($0, step($0.instance)) }
        let deadline = MonotonicClock.deadline(after: deadlineNanoseconds)
        return pending.map { Step(plugin: $0, pending: $1, deadline: deadline) }
    }

    /// Lets a step run while the session continues.
    mutating func letRun(_ steps: [Step]) { running += steps }

    /// Lets a start-send continue that sends from inside.
    mutating func letPump(_ step: Step) {
        var step = step
        step.isPump = true
        running.append(step)
    }

    /// Removes and returns the running steps, except start-sends that send from inside.
    mutating func takeRunning() -> [Step] {
        defer { running = running.filter(\.isPump) }
        return running.filter { !$0.isPump }
    }

    /// Waits until a step has ended, its plugin sends from inside it, or its deadline has passed.
    func end(of step: Step) -> End {
        let instance = step.plugin.instance
        let isStart = step.pending.step == .startSend
        var deadline = step.deadline
        var wasExtended = false
        while true {
            // Check this before the result: a step that has returned by then was no pump.
            let isPump = step.pumpsNow
            let glance = MonotonicClock.deadline(after: isPump ? 0 : 10_000_000)
            let next = isStart ? min(glance, deadline) : deadline
            if let result = instance.finish(step.pending, until: next) { return .returned(result) }
            if isPump { return .pumps }
            guard next == deadline else { continue }
            // On a busy machine the callback started later than the step: give it its whole time
            // from then on, once.
            let running = instance.runningCallback
            let taken = running?.nanoseconds ?? 0
            guard !wasExtended, running == nil || running?.step == step.pending.step,
                taken < deadlineNanoseconds
            else { return .hangs }
            wasExtended = true
            deadline = MonotonicClock.deadline(after: deadlineNanoseconds - taken)
        }
    }

    /// Checks the steps that run while the session continues, without waiting.
    ///
    /// - Returns: New results: steps that ended or hang, which no longer run, and steps whose
    ///   plugins send from inside start-send.
    mutating func look() -> [(step: Step, end: End)] {
        var news: [(step: Step, end: End)] = []
        let steps = running
        running = []
        for var step in steps {
            let instance = step.plugin.instance
            let isPump = step.pumpsNow
            if let result = instance.finish(step.pending, until: MonotonicClock.now) {
                news.append((step, .returned(result)))
                continue
            }
            step.isPump = step.isPump || isPump
            let taken = step.taken
            if step.isPump, !step.isReported, instance.fault == nil, taken > deadlineNanoseconds {
                step.isReported = true
                news.append((step, .pumpsOverdue(taken)))
            } else if step.isPump {
                news.append((step, .pumps))
            } else if MonotonicClock.now > step.deadline, taken >= deadlineNanoseconds {
                news.append((step, .hangs))
                continue
            }
            running.append(step)
        }
        return news
    }
}
