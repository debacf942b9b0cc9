import GreenroomModel
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomMedia

/// Runs steps of plugins concurrently, each on its instance's control thread, and finds out how
/// each ends: it returns, its plugin sends from inside start-send, or it hangs.
///
/// Deadlines are on the host clock, with any session clock.
struct StepRunner {
    /// A step that was begun.
    struct Step {
        let plugin: SessionPlugin
        let pending: PluginInstance.PendingStep
        /// What it changes; nil for every other step.
        let setting: Setting?
        /// When it counts as hung.
        var deadline: StepDeadline
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
            guard pending.step == .startSend, !isOver else { return false }
            // First: what happens after the look wakes the session.
            plugin.instance.wakeOnActivity()
            return plugin.instance.activityInStart.map { $0 > activityBefore } ?? false
        }

        /// Whether the life is over that it belongs to. Its callback may still run.
        fileprivate var isOver: Bool {
            plugin.instance.lives != life || plugin.instance.fault != nil
        }

        /// The facts for its deadline.
        fileprivate func glance(sparesDebugged: Bool) -> StepDeadline.Glance {
            let instance = plugin.instance
            var glance = StepDeadline.Glance(
                isSpared: sparesDebugged && instance.isDebugged,
                media: instance.mediaNanoseconds ?? 0)
            if let running = instance.runningCallback {
                if running.step == pending.step {
                    glance.taken = running.nanoseconds
                } else {
                    glance.other = running.nanoseconds
                }
            }
            return glance
        }

        /// How long its callback has run, in nanoseconds. Behind another step, or on a machine
        /// that is busy, its time has not begun.
        fileprivate var taken: Int64 { glance(sparesDebugged: false).taken ?? 0 }
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
    /// Hears of the end of each step.
    private let inbox: SessionInbox
    /// Whether a plugin in a debugger may take longer. At the end of a session none may.
    var sparesDebugged = true
    /// How long a callback may take before it counts as waiting for a thread of its plugin.
    private static let waitingNanoseconds: Int64 = 1_000_000_000
    /// How soon to look again for a thread that such a callback waits for.
    private static let passRetryNanoseconds: Int64 = 100_000_000
    /// Steps that run while the session continues.
    private var running: [Step] = []

    init(deadlineNanoseconds: Int64, clock: HostClock, inbox: SessionInbox) {
        self.deadlineNanoseconds = deadlineNanoseconds
        self.clock = clock
        self.inbox = inbox
    }

    /// Whether a callback is running that should return soon.
    var awaitsCallbacks: Bool { running.contains { !$0.isPump && !isPumping($0.plugin.instance) } }

    /// The plugins with a running callback, if all of these have run for so long that each may wait
    /// for a thread of its own; nil while another one works.
    var callbacksWaitingForThreads: [Int]? {
        let callbacks = running.filter { !$0.isPump }
        return callbacks.allSatisfy { $0.taken >= waitingLimit }
            ? callbacks.map(\.plugin.number) : nil
    }

    private var waitingLimit: Int64 { min(Self.waitingNanoseconds, deadlineNanoseconds / 2) }

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
        // Before the callbacks begin: they may take no longer than the limit.
        let start = clock.now
        let pending = plugins.map { ($0, $0.instance.activity, step($0.instance)) }
        return pending.map { plugin, activity, step in
            let limit = step.step.limit(deadlineNanoseconds, of: plugin.instance.descriptor.kind)
            return Step(
                plugin: plugin, pending: step, setting: setting,
                deadline: StepDeadline(limit, from: start), activityBefore: activity,
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
                step.deadline.restart(from: clock.now)
            }
            return step
        }
    }

    /// Waits until a step has ended, its plugin sends from inside it, or its deadline has passed.
    func end(of step: Step) -> End {
        var deadline = step.deadline
        while true {
            let seen = inbox.posts
            // Check this before the result: a step that has returned by then was no pump.
            let isPump = step.pumpsNow
            if let result = step.plugin.instance.finish(step.pending, until: .min) {
                return .returned(result)
            }
            if isPump { return .pumps }
            let verdict = deadline.lookAwaited(
                step.glance(sparesDebugged: sparesDebugged), at: clock.now,
                mediaLimit: deadlineNanoseconds)
            guard case .waits(let next) = verdict else { return .hangs }
            inbox.wait(after: seen, until: next, on: clock)
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
            let isPump = step.isPump || step.pumpsNow
            if let result = instance.finish(step.pending, until: .min) {
                news.append((step, .returned(result)))
                continue
            }
            // The next life has a start-send of its own.
            guard !step.isPump || !step.isOver else { continue }
            step.isPump = isPump
            let glance = step.glance(sparesDebugged: sparesDebugged)
            if isPump {
                let taken = glance.taken ?? 0
                let isReported =
                    step.isReported
                    || running.contains { $0.isReported && $0.plugin.instance === instance }
                step.isReported = step.isReported || !isReported && taken > step.deadline.limit
                news.append(
                    (step, !isReported && step.isReported ? .pumpsOverdue(taken) : .pumps))
            } else if step.deadline.look(glance, at: clock.now) == .hangs {
                news.append((step, .hangs))
                continue
            }
            running.append(step)
        }
        return news
    }

    /// When to look at the running steps again, on the host clock; nil if none has a deadline.
    var nextLook: Int64? {
        let now = clock.now
        var next: Int64?
        for step in running where !step.isReported {
            let glance = step.glance(sparesDebugged: sparesDebugged)
            let due =
                if step.isPump {
                    now + max(step.deadline.limit - (glance.taken ?? 0), 0) + 1
                } else if case .waits(let due) = step.deadline.look(glance, at: now) {
                    due
                } else {
                    now
                }
            next = SessionDue.earlier(next, due)
        }
        return next
    }

    /// When the callbacks that run may wait for threads of their plugins, on the host clock; nil without a callback.
    var nextPass: Int64? {
        let now = clock.now
        return running.filter { !$0.isPump }.map { step in
            let left = waitingLimit - step.taken
            return now + (left > 0 ? left : Self.passRetryNanoseconds)
        }.max()
    }
}
