import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomMedia

/// Runs steps of plugins side by side, each on its instance's control thread, and finds out how
/// each ends: it returns, its plugin sends from inside start-send, or it hangs.
///
/// Deadlines are real time, whatever the session clock shows.
struct StepRunner {
    /// How long a callback may be late to begin, because the host starts its process or the machine
    /// is busy, in nanoseconds.
    private static let startLimit: Int64 = 10_000_000_000

    /// A step that was begun.
    struct Step {
        let plugin: SessionPlugin
        let pending: PluginInstance.PendingStep
        /// When it counts as hung, unless its callback began later.
        var deadline: Int64
        /// It is a start-send that sends from inside: the session goes on with it.
        var isPump = false
        /// It was reported for that.
        var isReported = false

        /// Whether the step is a start-send that has sent something and has not returned.
        fileprivate var pumpsNow: Bool {
            pending.step == .startSend && plugin.instance.isPumpingFromStart
        }

        /// Whether its callback, or the start of its process, is what the control thread does.
        fileprivate var isRunning: Bool {
            plugin.instance.runningCallback?.step == pending.step
        }

        /// How long its callback has run, in nanoseconds. Behind another step, or on a machine
        /// that is busy, its time has not begun.
        fileprivate var taken: Int64 {
            plugin.instance.runningCallback.flatMap { $0.step == pending.step ? $0 : nil }?
                .nanoseconds ?? 0
        }
    }

    /// What became of a step.
    enum End {
        case returned(PluginInstance.StepResult)
        /// Its plugin sends from inside start-send.
        case pumps
        /// The same, and its deadline has passed, which is reported once; nanoseconds.
        case pumpsOverdue(Int64)
        case hangs
    }

    /// How long a callback may take.
    let deadlineNanoseconds: Int64
    /// Steps that run while the session goes on.
    private var running: [Step] = []

    init(deadlineNanoseconds: Int64) { self.deadlineNanoseconds = deadlineNanoseconds }

    /// Whether a callback is running that ought to return soon.
    var awaitsCallbacks: Bool { running.contains { !$0.isPump && !isPumping($0.plugin.instance) } }

    /// Whether a plugin sends from inside start-send: no other callback of it runs until that
    /// returns.
    func isPumping(_ instance: PluginInstance) -> Bool {
        running.contains { $0.isPump && $0.plugin.instance === instance }
    }

    /// Begins a step of each plugin; the deadline is the same for all.
    func begin(
        _ plugins: [SessionPlugin], _ step: (PluginInstance) -> PluginInstance.PendingStep
    ) -> [Step] {
        let pending = plugins.map { ($0, step($0.instance)) }
        let deadline = MonotonicClock.deadline(after: deadlineNanoseconds)
        return pending.map { Step(plugin: $0, pending: $1, deadline: deadline) }
    }

    /// Lets a step run while the session goes on.
    mutating func letRun(_ steps: [Step]) { running += steps }

    /// Lets a start-send run on that sends from inside.
    mutating func letPump(_ step: Step) {
        var step = step
        step.isPump = true
        running.append(step)
    }

    /// Takes the steps that are running, but for start-sends that send from inside.
    mutating func takeRunning() -> [Step] {
        defer { running = running.filter(\.isPump) }
        return running.filter { !$0.isPump }
    }

    /// Waits until a step has ended, its plugin sends from inside it, or its deadline has passed.
    func end(of step: Step) -> End {
        let instance = step.plugin.instance
        let isStart = step.pending.step == .startSend
        var deadline = step.deadline
        let lastDeadline = deadline + Self.startLimit
        while true {
            // Asked before the result is: one that has returned by then was no pump.
            let isPump = step.pumpsNow
            let glance = MonotonicClock.deadline(after: isPump ? 0 : 10_000_000)
            let next = isStart ? min(glance, deadline) : deadline
            if let result = instance.finish(step.pending, until: next) { return .returned(result) }
            if isPump { return .pumps }
            guard next == deadline else { continue }
            // The callback began later than the step: it has its whole time from then on.
            let running = instance.runningCallback
            let taken = running?.nanoseconds ?? 0
            guard running == nil || running?.step == step.pending.step,
                taken < deadlineNanoseconds, deadline < lastDeadline
            else { return .hangs }
            deadline = min(
                MonotonicClock.deadline(after: deadlineNanoseconds - taken), lastDeadline)
        }
    }

    /// Looks at the steps that run while the session goes on, without waiting.
    ///
    /// - Returns: What is new: those that ended and those that hang, which are running no more; and
    ///   those whose plugins send from inside start-send.
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
            } else if MonotonicClock.now > step.deadline,
                taken >= deadlineNanoseconds
                    || step.isRunning && MonotonicClock.now > step.deadline + Self.startLimit
            {
                news.append((step, .hangs))
                continue
            }
            running.append(step)
        }
        return news
    }
}
