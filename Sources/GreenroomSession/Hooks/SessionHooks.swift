import GreenroomMedia
import GreenroomModel
import GreenroomRuntime
import Synchronization

/// The hooks of a session: each has a queue and a thread.
final class SessionHooks: Sendable {
    private let queues: [HookTrigger: Monitor<HookQueue>]
    /// The threads that make the attempts, while the session runs.
    private let threads = Mutex<[HostThread]>([])
    private let plan: SessionPlan
    private let clock: HostClock
    private let begun: Int64
    private let handler: @Sendable (SessionEvent) -> Void

    /// - Parameters:
    ///   - clock: The clock of retries.
    ///   - handler: Receives lines about events that are not delivered.
    init(
        _ plan: SessionPlan, clock: HostClock, handler: @escaping @Sendable (SessionEvent) -> Void
    ) {
        self.clock = clock
        self.handler = handler
        self.plan = plan
        begun = clock.now
        queues = Dictionary(
            uniqueKeysWithValues: plan.hooks.keys.map { ($0, Monitor(HookQueue(of: $0))) })
    }

    var isEmpty: Bool { queues.isEmpty }

    /// Starts the threads.
    func begin() {
        let (deliver, folder) = (plan.deliver, plan.configuration.folder)
        let (clock, handler) = (clock, handler)
        let threads = plan.hooks.compactMap { trigger, job in
            queues[trigger].map { queue in
                HostThread(name: "hook") {
                    while let event = Self.nextEvent(in: queue, clock) {
                        let result = deliver(event, job, folder)
                        let lines = queue.change { $0.ended(result, at: clock.now) }
                        for line in lines { Self.warn(line, of: trigger, handler) }
                    }
                }
            }
        }
        self.threads.withLock { $0 = threads }
    }

    /// The report of each hook, in the order of the documentation.
    var reports: [SessionReport.Hook] {
        HookTrigger.allCases.compactMap { trigger in
            queues[trigger]?.withLock { $0.report }
        }
    }

    /// Queues an event for its hook, if it has one. [any]
    func add(_ event: SessionEvent) {
        guard let (trigger, about) = event.trigger, queues[trigger] != nil else { return }
        var variables: [String: String] = [:]
        switch event {
        case .fileFinished(_, let file): variables["GREENROOM_FILE"] = file
        case .participantJoined(_, let name), .participantLeft(_, let name):
            variables["GREENROOM_PARTICIPANT"] = name
        default: variables["GREENROOM_ROLE"] = about
        }
        add(event.record, to: trigger, about: about, variables)
    }

    /// Queues the session's end, and waits until each event is delivered or dropped.
    ///
    /// - Parameter report: The session's report; nil if an output could not be opened.
    func finish(_ report: SessionReport?) {
        guard !isEmpty else { return }
        var record = EventRecord(event: .ended)
        let outcome = report?.outcome.rawValue ?? EventRecord.outputFailed
        record.outcome = outcome
        record.failedPlugin = report?.failedPlugin
        record.real = report?.accounts.compactMapValues(\.realPercent)
        record.summary = report?.summary
        add(record, to: .ended, about: nil, ["GREENROOM_OUTCOME": outcome])
        for queue in queues.values { queue.change { $0.close(at: clock.now) } }
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    private func add(
        _ record: EventRecord, to trigger: HookTrigger, about: String?,
        _ variables: [String: String]
    ) {
        guard let queue = queues[trigger] else { return }
        let now = clock.now
        let text = record.text(at: Double(now - begun) / 1e9, of: plan.configuration.runningName)
        var variables = variables
        variables["GREENROOM_EVENT"] = trigger.rawValue
        variables["GREENROOM_SESSION"] = plan.configuration.name
        let event = HookEvent(
            id: Self.newIdentifier(), text: text, about: about,
            variables: variables.mapValues { $0.replacingNULs })
        let line = queue.change { $0.add(event, at: now) }
        if let line { Self.warn(line, of: trigger, handler) }
    }

    private static func newIdentifier() -> String {
        let random = UInt128.random(in: 0...UInt128.max)
        let digits = String(random, radix: 16)
        return "msg_" + String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// Waits for the next attempt; nil after the last one.
    private static func nextEvent(in queue: Monitor<HookQueue>, _ clock: HostClock) -> HookEvent? {
        while true {
            let event: HookEvent?? = queue.wait(until: { $0.next }, on: clock) { queue in
                if queue.isFinished { return .some(nil) }
                return queue.attempt(at: clock.now).map { .some($0) }
            }
            // Without a value the next attempt has become due.
            if let event { return event }
        }
    }

    private static func warn(
        _ line: String, of trigger: HookTrigger, _ handler: (SessionEvent) -> Void
    ) {
        handler(.pluginLog(role: "on.\(trigger.rawValue)", level: .warning, text: line))
    }
}

extension SessionEvent {
    /// The hook that wants the event, and the event's subject; nil if none does.
    var trigger: (HookTrigger, about: String)? {
        switch self {
        case .fileFinished(_, let file): (.fileFinished, file)
        case .participantJoined(_, let name): (.guestJoined, name)
        case .participantLeft(_, let name): (.guestLeft, name)
        case .pluginLost(let role, _): (.lost, role)
        case .pluginGaveUp(let role, let status, _): status == .ok ? nil : (.lost, role)
        case .outputFailed(let output, _): (.lost, output)
        case .outputState(let role, .lost, _): (.lost, role)
        default: nil
        }
    }
}

extension String {
    /// An environment can't contain NULs.
    fileprivate var replacingNULs: String {
        String(decoding: utf8.map { $0 == 0 ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }
}
