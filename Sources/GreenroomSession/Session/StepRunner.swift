import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomMedia

/// Runs steps of plugins concurrently, each on its instance's control thread, and finds out how
/// each ends: it returns, its plugin sends from inside start-send, or it hangs.
///
/// Deadlines are on the host clock, with any session clock.
struct StepRunner {
    /// How long a callback may be late to begin, because the host starts its process or the machine
    /// is busy, in nanoseconds.
    private static let startLimit: Int64 = 10_000_000_000

    /// A step that was begun.
    struct Step {
        let plugin: SessionPlugin
        let pending: PluginInstance.PendingStep
        /// What it changes; nil for every other step.
        let setting: Setting?
        /// How long its callback may take, in nanoseconds.
        let limit: Int64
        /// When it counts as hung, unless its callback began later.
        var deadline: Int64
        /// What the plugin had done when it was begun.
        let activityBefore: Int
        /// The number of its plugin's life.
        let life: Int
        /// Whether it is a start-send that sends from inside: the session continues meanwhile.
        var isPump = false
        /// Whether that was reported.
        var isReported = false

        /// Whether the step is a start-send that has not returned, and has sent something or waited
        /// for a time since it was begun. Frames of an earlier start say nothing about this one.
        fileprivate var pumpsNow: Bool {
            guard pending.step == .startSend, !isOver,
                let activity = plugin.instance.activityInStart
            else {
                return false
            }
            return activity > activityBefore
        }

        /// Whether the life is over that it belongs to. Its callback may still run.
        fileprivate var isOver: Bool {
            plugin.instance.lives != life || plugin.instance.fault != nil
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

    /// The result of a step.
    enum End {
        case returned(PluginInstance.StepResult)
        /// Its plugin sends from inside start-send.
        case pumps
        /// The same after the deadline, reported once; nanoseconds.
        case pumpsOverdue(Int64)
        case hangs
    }

    /// Time limit of a callback, but for the stop-send of an output.
    let deadlineNanoseconds: Int64
    private let clock: HostClock
    /// Whether a plugin in a debugger may take longer. At the end of a session none may.
    var sparesDebugged = true
    /// How long a callback may take before it counts as waiting for a thread of its plugin.
    private static let waitingNanoseconds: Int64 = 1_000_000_000
    /// Steps that run while the session continues.
    private var running: [Step] = []

    init(deadlineNanoseconds: Int64, clock: HostClock) {
        self.deadlineNanoseconds = deadlineNanoseconds
        self.clock = clock
    }

    /// Whether a callback is running that should return soon.
    var awaitsCallbacks: Bool { running.contains { !$0.isPump && !isPumping($0.plugin.instance) } }

    /// The plugins with a running callback, if all of these have run for so long that each may wait
    /// for a thread of its own; nil while another one works.
    var callbacksWaitingForThreads: [Int]? {
        let limit = min(Self.waitingNanoseconds, deadlineNanoseconds / 2)
        let callbacks = running.filter { !$0.isPump }
        return callbacks.allSatisfy { $0.taken >= limit } ? callbacks.map(\.plugin.number) : nil
    }

    /// Whether a plugin sends from inside start-send: none of its other callbacks runs until that
    /// returns.
    func isPumping(_ instance: PluginInstance) -> Bool {
        running.contains { $0.isPump && $0.plugin.instance === instance }
    }

    /// Whether a step of an instance runs, or waits for its turn.
    func runs(_ step: LifecycleStep, of instance: PluginInstance) -> Bool {
        running.contains { $0.pending.step == step && $0.plugin.instance === instance }
    }

    /// Begins a step of each plugin.
    ///
    /// - Parameter setting: What it changes.
    func begin(
        _ plugins: [SessionPlugin], changing setting: Setting? = nil,
        _ step: (PluginInstance) -> PluginInstance.PendingStep
    ) -> [Step] {
        let pending = plugins.map { ($0, $0.instance.activity, step($0.instance)) }
        return pending.map { plugin, activity, step in
            let limit = step.step.limit(deadlineNanoseconds, of: plugin.instance.descriptor.kind)
            return Step(
                plugin: plugin, pending: step, setting: setting, limit: limit,
                deadline: clock.deadline(after: limit), activityBefore: activity,
                life: plugin.instance.lives)
        }
    }

    /// Lets a step run while the session continues.
    mutating func letRun(_ steps: [Step]) { running += steps }

    /// Lets a start-send continue that sends from inside.
    mutating func letPump(_ step: Step) {
        var step = step
        step.isPump = true
        running.append(step)
    }

    /// Removes and returns the running steps, except start-sends that send from inside. The
    /// deadline of a step behind such a start-send begins anew.
    mutating func takeRunning() -> [Step] {
        defer { running = running.filter(\.isPump) }
        return running.filter { !$0.isPump }.map { step in
            var step = step
            if isPumping(step.plugin.instance) {
                step.deadline = clock.deadline(after: step.limit)
            }
            return step
        }
    }

    /// Waits until a step has ended, its plugin sends from inside it, or its deadline has passed.
    func end(of step: Step) -> End {
        let instance = step.plugin.instance
        let isStart = step.pending.step == .startSend
        var deadline = step.deadline
        var lastDeadline = deadline + Self.startLimit
        while true {
            // Check this before the result: a step that has returned by then was no pump.
            let isPump = step.pumpsNow
            let glance = clock.deadline(after: isPump ? 0 : 10_000_000)
            let next = isStart ? min(glance, deadline) : deadline
            if let result = instance.finish(step.pending, until: next) { return .returned(result) }
            if isPump { return .pumps }
            guard next == deadline else { continue }
            if sparesDebugged, instance.isDebugged {
                deadline = clock.deadline(after: step.limit)
                lastDeadline = deadline + Self.startLimit
                continue
            }
            // The callback began later than the step: it has its whole time from then on.
            let running = instance.runningCallback
            let taken = running?.nanoseconds ?? 0
            guard running == nil || running?.step == step.pending.step,
                taken < step.limit, deadline < lastDeadline,
                // It waits behind a media call that hangs.
                (instance.mediaNanoseconds ?? 0) < deadlineNanoseconds
            else { return .hangs }
            deadline = min(
                clock.deadline(after: step.limit - taken), lastDeadline)
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
            if let result = instance.finish(step.pending, until: clock.now) {
                news.append((step, .returned(result)))
                continue
            }
            // The next life has a start-send of its own.
            guard !step.isPump || !step.isOver else { continue }
            step.isPump = step.isPump || isPump
            let taken = step.taken
            let isReported =
                step.isReported
                || running.contains { $0.isReported && $0.plugin.instance === instance }
            if step.isPump, !isReported, taken > step.limit {
                step.isReported = true
                news.append((step, .pumpsOverdue(taken)))
            } else if step.isPump {
                news.append((step, .pumps))
            } else if clock.now > step.deadline,
                taken >= step.limit
                    || step.isRunning && clock.now > step.deadline + Self.startLimit,
                !(sparesDebugged && instance.isDebugged)
            {
                news.append((step, .hangs))
                continue
            }
            running.append(step)
        }
        return news
    }
}
