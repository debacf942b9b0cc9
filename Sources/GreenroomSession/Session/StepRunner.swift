import GreenroomDecisions
import GreenroomModel
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomMedia

/// Runs steps of plugins concurrently, each on its instance's control thread, and determines the
/// result of each without waiting: the step returns, the plugin sends inside start-send, or the step
/// hangs.
///
/// Deadlines use the host clock, even if the session clock is virtual.
struct StepRunner {
    /// A started step.
    struct Step {
        let plugin: SessionPlugin
        let pending: PluginInstance.PendingStep
        /// The setting that the step changes; nil if none.
        let setting: PluginSetting?
        /// The deadline after which the step counts as hung.
        var deadline: StepDeadline
        /// The plugin's activity count before the step began.
        let activityBefore: Int
        /// The number of the plugin's life in which the step began.
        let life: Int
        /// Whether the session awaits the step: no other step of the plugin may delay it for long.
        var isAwaited: Bool
        /// Whether the step is a start-send that sends from inside. The session continues
        /// meanwhile.
        var isPump = false
        /// Whether the host has reported the sending inside start-send.
        var isReported = false

        /// Whether the step is a start-send that has not returned, and that has sent media or
        /// waited for a time since it began. Frames of an earlier start do not count.
        fileprivate var pumpsNow: Bool {
            guard pending.step == .startSend, !isOver else { return false }
            // Set this before the look, so that later activity wakes the session.
            plugin.instance.wakeOnActivity()
            return plugin.instance.activityInStart.map { $0 > activityBefore } ?? false
        }

        /// Whether the step's life has ended. The step's callback may still run.
        fileprivate var isOver: Bool {
            plugin.instance.lives != life || plugin.instance.fault != nil
        }

        /// Returns the facts for the step's deadline.
        fileprivate func glance(sparesDebugged: Bool) -> StepDeadline.Glance {
            let instance = plugin.instance
            var glance = StepDeadline.Glance(
                isSpared: sparesDebugged && instance.isDebugged,
                media: instance.mediaNanoseconds ?? 0)
            if let running = instance.runningCallback {
                if running.step == pending.step {
                    glance.taken = running.nanoseconds
                    // A busy machine delays the loading and creating of a plugin.
                    if running.step == .create, running.nanoseconds >= deadline.limit {
                        glance.taken = running.nanoseconds - instance.createWaitNanoseconds
                    }
                } else {
                    glance.other = running.nanoseconds
                }
            }
            return glance
        }

        /// The running time of the step's callback, in nanoseconds. The time does not run while the
        /// callback waits behind another step or for a busy machine.
        fileprivate var taken: Int64 { glance(sparesDebugged: false).taken ?? 0 }
    }

    /// The result of a step.
    enum End {
        case returned(PluginInstance.StepResult)
        /// The plugin sends from inside start-send. The time in nanoseconds is set once, after the
        /// deadline.
        case pumps(overdue: Int64?)
        case hangs
    }

    /// Time limit of a callback, except for the stop-send of an output.
    let deadlineNanoseconds: Int64
    private let clock: HostClock
    /// Receives a post at the end of each step.
    private let inbox: SessionInbox
    /// Whether a plugin in a debugger may exceed its deadline. At the end of a session no plugin
    /// may.
    private var sparesDebugged = true
    /// The running time after which a callback counts as waiting for a thread of its plugin.
    private static let waitingNanoseconds: Int64 = 1_000_000_000
    /// The steps that have not ended.
    private var running: [Step] = []

    init(deadlineNanoseconds: Int64, clock: HostClock, inbox: SessionInbox) {
        self.deadlineNanoseconds = deadlineNanoseconds
        self.clock = clock
        self.inbox = inbox
    }

    /// Whether a running callback should return soon.
    var awaitsCallbacks: Bool {
        running.contains { !$0.isPump && ($0.isAwaited || !isPumping($0.plugin.instance)) }
    }

    /// The plugins with a running callback, if every callback has run so long that it may wait for
    /// a thread of its plugin; nil otherwise.
    var callbacksWaitingForThreads: [Int]? {
        let callbacks = running.filter { !$0.isPump }
        return callbacks.allSatisfy { $0.taken >= waitingLimit }
            ? callbacks.map(\.plugin.number) : nil
    }

    private var waitingLimit: Int64 { min(Self.waitingNanoseconds, deadlineNanoseconds / 2) }

    /// Whether a plugin sends from inside start-send. The plugin's other callbacks wait until
    /// start-send returns.
    func isPumping(_ instance: PluginInstance) -> Bool {
        running.contains { $0.isPump && $0.plugin.instance === instance }
    }

    /// Whether a step of an instance is running or queued.
    func runs(_ step: LifecycleStep, of instance: PluginInstance) -> Bool {
        running.contains { $0.pending.step == step && $0.plugin.instance === instance }
    }

    /// Begins a step of each plugin.
    ///
    /// - Parameters:
    ///   - setting: The setting that the step changes; nil if none.
    ///   - isAwaited: Whether the session awaits the step.
    func begin(
        _ plugins: [SessionPlugin], changing setting: PluginSetting? = nil, isAwaited: Bool = false,
        _ step: (PluginInstance) -> PluginInstance.PendingStep
    ) -> [Step] {
        // Take the time before the callbacks begin, so that none takes longer than the limit.
        let start = clock.now
        let pending = plugins.map { ($0, $0.instance.activity, step($0.instance)) }
        return pending.map { plugin, activity, step in
            let instance = plugin.instance
            let limit = step.step.limit(
                instance.deadline(deadlineNanoseconds), of: instance.descriptor.kind)
            return Step(
                plugin: plugin, pending: step, setting: setting,
                deadline: StepDeadline(
                    limit, loading: step.step == .create ? instance.loadingLimit : 0, from: start),
                activityBefore: activity,
                life: plugin.instance.lives, isAwaited: isAwaited)
        }
    }

    /// Adds steps that are in progress.
    mutating func letRun(_ steps: [Step]) {
        running += steps
        // A step that the lifecycle forbids ends before it runs, and wakes nobody.
        if steps.contains(where: { $0.plugin.instance.finish($0.pending, until: .min) != nil }) {
            inbox.post()
        }
    }

    /// Whether no step runs, except start-sends that send from inside.
    var isQuiet: Bool { running.allSatisfy(\.isPump) }

    /// Awaits every running step from now on, even of a plugin in a debugger. A step behind a
    /// start-send that sends from inside gets its whole deadline again.
    mutating func awaitAll() {
        sparesDebugged = false
        for index in running.indices where !running[index].isPump {
            running[index].isAwaited = true
            running[index].deadline.endLoading(at: clock.now)
            if isPumping(running[index].plugin.instance) {
                running[index].deadline.restart(from: clock.now)
            }
        }
    }

    /// Checks the steps without waiting.
    ///
    /// - Parameter inOrder: Whether a step ends only after the steps that began before it.
    /// - Returns: New results: steps that ended or hang, which are removed, and steps whose plugins
    ///   send from inside start-send.
    mutating func look(inOrder: Bool) -> [(step: Step, end: End)] {
        var news: [(step: Step, end: End)] = []
        let steps = running
        running = []
        for var step in steps {
            let instance = step.plugin.instance
            // Check this before the result: a step that has returned by then does not send inside
            // start-send.
            let isPump = step.isPump || step.pumpsNow
            if let result = instance.finish(step.pending, until: .min) {
                if inOrder, !running.allSatisfy(\.isPump) {
                    running.append(step)
                } else {
                    news.append((step, .returned(result)))
                }
                continue
            }
            // The next life begins with another start-send.
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
                    (step, .pumps(overdue: !isReported && step.isReported ? taken : nil)))
            } else if look(at: &step, glance) == .hangs {
                news.append((step, .hangs))
                continue
            }
            running.append(step)
        }
        return news
    }

    private func look(
        at step: inout Step, _ glance: StepDeadline.Glance
    ) -> StepDeadline.Verdict {
        step.isAwaited
            ? step.deadline.lookAwaited(
                glance, at: clock.now,
                mediaLimit: step.plugin.instance.deadline(deadlineNanoseconds))
            : step.deadline.look(glance, at: clock.now)
    }

    /// The time of the next look at the running steps, on the host clock; nil if none has a
    /// deadline.
    var nextLook: Int64? {
        let now = clock.now
        var next: Int64?
        for var step in running
        where !step.isReported && step.plugin.instance.finish(step.pending, until: .min) == nil {
            let glance = step.glance(sparesDebugged: sparesDebugged)
            let due =
                if step.isPump {
                    now + max(step.deadline.limit - (glance.taken ?? 0), 0) + 1
                } else if case .waits(let due) = look(at: &step, glance) {
                    due
                } else {
                    now
                }
            next = SessionDue.earlier(next, due)
        }
        return next
    }

    /// The time at which running callbacks may wait for threads of their plugins, on the host
    /// clock; nil without a callback.
    var nextPass: Int64? {
        let now = clock.now
        return running.filter { !$0.isPump }.map { now + max(waitingLimit - $0.taken, 0) }.max()
    }
}
