import GreenroomDecisions
import GreenroomModel
import GreenroomLifecycle
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomVideo
import TestSupport
import Testing

@testable import GreenroomSession

/// The session's decisions about its plugins: each row is an event at a time, in milliseconds, and its effects.
@Suite struct SessionStateTests {
    typealias Facts = PluginEntry.Facts

    /// An event, and the effects that are expected, in words.
    private struct Row {
        var milliseconds: Int64
        var event: SessionState.Event
        var effects: [String]

        init(_ milliseconds: Int64, _ event: SessionState.Event, _ effects: [String]) {
            self.milliseconds = milliseconds
            self.event = event
            self.effects = effects
        }
    }

    private static let camera = Facts(role: "camera", track: .camera, isSource: true)
    private static let crash = PluginFailure(fault: "crashed: SIGSEGV")

    private func expect(
        _ state: inout SessionState, _ rows: [Row],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for row in rows {
            let effects = state.handle(row.event, at: row.milliseconds * 1_000_000)
            #expect(
                effects.map(\.description) == row.effects, "\(row.milliseconds) ms: \(row.event)",
                sourceLocation: sourceLocation)
        }
    }

    private func running(_ plugins: [Int: Facts]) -> SessionState {
        var state = SessionState(plugins, at: 0)
        state.start()
        return state
    }

    // MARK: The first start and the end

    /// A plugin of each kind, and a program that connects later.
    private static let everyKind = [
        0: camera,
        1: Facts(role: "microphone", isSource: true),
        2: Facts(role: "stage", track: .stage, isSource: true, takesTracks: true),
        3: Facts(role: "camera.pre-processors[0]"),
        4: Facts(role: "outputs[0]", takesTracks: true, onFailure: .off),
        5: Facts(role: "call", isCall: true, takesTracks: true),
        6: Facts(role: "share", isSource: true, connects: true),
    ]

    @Test func `outputs and composers answer before sources get an offer, and start first`() {
        var state = SessionState(Self.everyKind, at: 0)
        _ = state.handle(.listens(6), at: 0)
        expect(
            &state,
            [
                Row(
                    0, .quiet, ["prepare create"] + (0...5).map { "create \($0)" }),
                Row(0, .quiet, ["prepare initializeOutputs", "initialize 4", "initialize 5"]),
                Row(0, .quiet, ["prepare describeToOutputs", "track 4", "track 5"]),
                Row(0, .quiet, ["prepare initializeComposers", "initialize 2"]),
                Row(0, .quiet, ["prepare describeToComposers", "track 2"]),
                // No output takes its video.
                Row(0, .idle(2, true), []),
                Row(0, .quiet, ["prepare initializeSources", "initialize 0", "initialize 1"]),
                // It does not start with the others, and not yet again.
                Row(
                    0, .lost(1, Self.crash), ["give up 1: failed", "microphone restarts in 0.5 s"]),
                Row(900, .timer, []),
                Row(900, .quiet, ["prepare initializeFilters", "initialize 3"]),
                Row(900, .quiet, ["prepare describeAgain", "track 2", "track 4", "track 5"]),
                Row(900, .quiet, []),
                Row(900, .quiet, []),
                Row(900, .opened(true), []),
                Row(900, .quiet, ["prepare startOutputs", "start-send 4", "start-send 5"]),
                Row(900, .quiet, ["prepare startFilters", "start-send 3"]),
                Row(900, .quiet, ["prepare startSources", "start-send 0"]),
                Row(900, .quiet, []),
                Row(900, .quiet, []),
                Row(900, .timer, ["create 1"]),
            ])
        #expect(state.phase == .running)
    }

    @Test func `a failure before the outputs open ends the session without them`() {
        let wrong = PluginFailure(step: "no", cause: .badSettings)
        for stages in 0..<StartStage.allCases.count {
            var state = SessionState([0: Self.camera], at: 0)
            for _ in 0..<stages { _ = state.handle(.quiet, at: 0) }
            if stages > 8 { _ = state.handle(.opened(true), at: 0) }
            _ = state.handle(.lost(0, wrong), at: 0)
            #expect(state.handle(.quiet, at: 0).isEmpty)
            #expect(state.phase == (stages > 8 ? .running : .ending(.stopPlugins)))
        }
    }

    @Test func `a stop before the outputs open ends only the plugins`() {
        var state = SessionState([0: Self.camera], at: 0)
        _ = state.handle(.quiet, at: 0)
        expect(
            &state,
            [
                Row(
                    0, .settled(.init(stop: .interrupted)),
                    ["stopping: stop requested", "end: stop requested"]),
                Row(0, .quiet, ["perform stopPlugins"]),
                Row(0, .quiet, ["perform uninitializePlugins"]),
                Row(0, .quiet, ["perform destroyPlugins"]),
                Row(0, .quiet, ["perform finishOutputs"]),
                Row(0, .quiet, ["perform tellOfEmptyOutputs"]),
                Row(0, .quiet, []),
            ])
    }

    @Test func `tracks are finished after the sources stop and before other plugins stop`() {
        var state = running([0: Self.camera])
        _ = state.handle(.settled(.init(stop: .interrupted)), at: 0)
        var steps: [String] = []
        while state.phase != .ending(nil) {
            steps += state.handle(.quiet, at: 0).map(\.description)
        }
        #expect(
            steps == [
                "perform stopSources", "perform followParticipants", "perform finishTracks",
                "perform finishPluginSinks", "perform stopPlugins", "perform uninitializePlugins",
                "perform destroyPlugins", "perform finishOutputs", "perform tellOfEmptyOutputs",
            ])
    }

    // MARK: Rules

    @Test func `a crashed source shows a slate until its restart sends`() {
        var state = running([0: Self.camera])
        expect(
            &state,
            [
                Row(
                    1000, .lost(0, Self.crash),
                    ["give up 0: failed", "camera restarts in 0.5 s"]),
                // It is found again by each look.
                Row(1000, .lost(0, Self.crash), []),
                Row(1499, .timer, []),
                Row(1500, .timer, ["create 0"]),
                Row(1600, .done(.create, 0), ["initialize 0"]),
                Row(1700, .done(.initialize, 0), ["start-send 0"]),
                Row(2000, .timer, ["slate restarting"]),
                Row(2100, .sends(0), ["camera is back after 1.1 s"]),
                Row(2100, .done(.startSend, 0), []),
            ])
        #expect(state.next == nil && state.reasonToEnd == nil)
        #expect(state.losses.all.map(\.evidence) == ["crashed: SIGSEGV"])
        #expect(state.losses.all.map(\.awaySeconds) == [1.1])
    }

    @Test func `a source that is back within a second shows no slate`() {
        var state = running([0: Self.camera])
        expect(
            &state,
            [
                Row(0, .lost(0, Self.crash), ["give up 0: failed", "camera restarts in 0.5 s"]),
                Row(500, .timer, ["create 0"]),
                Row(600, .done(.create, 0), ["initialize 0"]),
                Row(600, .done(.initialize, 0), ["start-send 0"]),
                Row(700, .done(.startSend, 0), ["camera is back after 0.7 s"]),
                Row(5000, .timer, []),
            ])
    }

    @Test func `a source that a command stopped restarts without start-send`() {
        var state = running([0: Self.camera])
        expect(
            &state,
            [
                Row(0, .stopped(0, true), []),
                Row(0, .lost(0, Self.crash), ["give up 0: failed", "camera restarts in 0.5 s"]),
                Row(500, .timer, ["create 0"]),
                Row(600, .done(.create, 0), ["initialize 0"]),
                Row(700, .done(.initialize, 0), ["camera is back after 0.7 s"]),
                Row(5000, .timer, []),
            ])
    }

    @Test func `an output gets to know its tracks before it starts`() {
        var state = running([0: Facts(role: "output", takesTracks: true), 1: Self.camera])
        _ = state.handle(.lost(0, Self.crash), at: 0)
        expect(
            &state,
            [
                Row(500, .timer, ["create 0"]),
                Row(600, .done(.create, 0), ["initialize 0"]),
                Row(600, .done(.initialize, 0), ["track 0"]),
                Row(600, .done(.track, 0), ["start-send 0"]),
            ])
    }

    @Test
    func `a plugin that fails at its start restarts ever later, and then stays off`() {
        var state = running([0: Self.camera])
        var now: Int64 = 0
        for delay in ["0.5", "1.0", "2.0", "4.0", "8.0"] {
            expect(
                &state,
                [
                    Row(
                        now, .lost(0, PluginFailure(step: "no device")),
                        ["give up 0: failed", "camera restarts in \(delay) s"])
                ])
            now += 8000
            expect(
                &state, [Row(now, .timer, ["create 0"] + (now == 8000 ? ["slate restarting"] : []))]
            )
        }
        expect(
            &state,
            [
                Row(
                    now, .lost(0, PluginFailure(step: "no device")),
                    [
                        "give up 0: failed",
                        "note camera: failed 6 times within a minute; not restarting",
                        "leave 0", "stop-send 0", "camera is dropped",
                    ]),
                Row(now + 1000, .timer, ["slate lost"]),
                Row(now + 1000, .lost(0, Self.crash), []),
            ])
        #expect(state.reasonToEnd?.outcome == .pluginFailed(role: nil))
        #expect(state.losses.all.map(\.policy) == Array(repeating: .restart, count: 5) + [.off])
    }

    /// A plugin, its failure, what follows while the session runs, and the reason to end then.
    @Test(
        arguments: [
            (
                Facts(role: "a", isSource: true, onFailure: .end), SessionStateTests.crash, [],
                "a failed"
            ),
            (
                Facts(role: "a", isSource: true, onFailure: .off), SessionStateTests.crash,
                ["leave 0", "stop-send 0", "a is dropped"], "every source has ended"
            ),
            (
                Facts(role: "a", takesTracks: true, onFailure: .off), SessionStateTests.crash,
                ["leave 0", "stop-send 0", "a is dropped"], nil
            ),
            (
                Facts(role: "a", takesTracks: true), PluginFailure(step: "no", cause: .badSettings),
                [
                    "note a: cannot use its settings; not restarting", "leave 0", "stop-send 0",
                    "a is dropped",
                ], nil
            ),
            (
                Facts(role: "a", takesTracks: true), PluginFailure(step: "no", cause: .brokenRule),
                [
                    "note a: breaks a rule of the interface; not restarting", "leave 0",
                    "stop-send 0", "a is dropped",
                ], nil
            ),
            (
                Facts(role: "a", isSource: true, onFailure: .end),
                PluginFailure(step: "no", cause: .brokenRule), [],
                "a breaks a rule of the interface"
            ),
            (
                Facts(role: "a", isCall: true, takesTracks: true, isNeeded: true),
                SessionStateTests.crash, [],
                "the call failed"
            ),
            (
                Facts(role: "a", isCall: true, takesTracks: true, isNeeded: true),
                PluginFailure(fault: "gone", hasBeenLive: true),
                ["give up 0: failed", "a restarts in 0.5 s"], nil
            ),
        ] as [(Facts, PluginFailure, [String], String?)])
    func `a failure has the effect of the plugin's failure policy`(
        facts: Facts, failure: PluginFailure, effects: [String], end: String?
    ) {
        // Another source keeps the session, unless the plugin is a source itself.
        var state = running(facts.isSource ? [0: facts] : [0: facts, 1: Self.camera])
        expect(&state, [Row(1000, .lost(0, failure), effects), Row(1000, .lost(0, failure), [])])
        #expect(state.reasonToEnd?.text == end)
        #expect(state.losses.all.count == 1)
    }

    /// A failure that a new life does not cure ends a session that starts.
    @Test(arguments: [
        (PluginFailure.Cause.badSettings, "camera has a wrong setting"),
        (.brokenRule, "camera breaks a rule of the interface"),
        (.noProcess, "camera failed"),
    ])
    func `a session does not start with a plugin that can't run`(
        cause: PluginFailure.Cause, reason: String
    ) {
        for policy in [FailurePolicy.restart, .end, .off] {
            let camera = Facts(role: "camera", isSource: true, onFailure: policy)
            // Without a process, the session may continue without the plugin.
            guard cause != .noProcess || policy != .off else { continue }
            var state = SessionState([0: camera], at: 0)
            expect(&state, [Row(0, .lost(0, PluginFailure(step: "no", cause: cause)), [])])
            #expect(state.reasonToEnd?.text == reason, "\(policy)")
        }
    }

    @Test func `a plugin that gives up ends in order, or restarts after an error`() {
        var state = running([
            0: Facts(role: "share", isSource: true, onFailure: .off), 1: Self.camera,
        ])
        let plea = PluginFailure(plea: "unplugged")
        expect(
            &state,
            [
                Row(0, .gaveUp(0, isInOrder: true, plea), ["stop-send 0"]),
                Row(0, .gaveUp(0, isInOrder: true, plea), []),
                Row(0, .done(.stopSend, 0), ["uninitialize 0"]),
                Row(0, .done(.uninitialize, 0), ["destroy 0"]),
                Row(0, .done(.destroy, 0), ["rest 0", "leave 0", "stop-send 0"]),
                Row(
                    0, .gaveUp(1, isInOrder: false, plea),
                    ["give up 1: failed", "camera restarts in 0.5 s"]),
            ])
        #expect(state.losses.all.map(\.evidence) == ["unplugged"])
        #expect(state.reasonToEnd == nil)
        // Its life has ended.
        expect(&state, [Row(0, .gaveUp(1, isInOrder: true, plea), [])])
    }

    /// An output, a composer, a filter and a call.
    private static let slowPlugins = [
        Facts(role: "output", takesTracks: true, onFailure: .off),
        Facts(role: "stage", track: .stage, isSource: true, takesTracks: true, onFailure: .off),
        Facts(role: "camera.pre-processors[0]", onFailure: .off),
        Facts(role: "call", isCall: true, takesTracks: true, onFailure: .off),
    ]

    @Test(arguments: slowPlugins, [true, false])
    func `a plugin whose stop takes 8 s delays no restart, no slate and no command`(
        slow: Facts, isInOrder: Bool
    ) {
        let share = Facts(role: "share", track: .share, isSource: true)
        var state = running([0: Self.camera, 1: slow, 2: share])
        let failure = PluginFailure(plea: "the disk is full")
        expect(
            &state,
            [
                Row(1000, .gaveUp(1, isInOrder: isInOrder, failure), ["stop-send 1"]),
                Row(
                    2000, .lost(0, Self.crash),
                    ["give up 0: failed", "camera restarts in 0.5 s"]),
                Row(2100, .stopped(2, true), []),
                Row(2200, .settled(SessionEnd.Causes()), []),
                Row(2500, .timer, ["create 0"]),
                Row(3000, .timer, ["slate restarting"]),
                Row(3100, .done(.create, 0), ["initialize 0"]),
                Row(3200, .done(.initialize, 0), ["start-send 0"]),
                Row(3300, .sends(0), ["camera is back after 1.3 s"]),
                Row(9000, .done(.stopSend, 1), ["uninitialize 1"]),
                Row(9000, .done(.uninitialize, 1), ["destroy 1"]),
                Row(
                    9000, .done(.destroy, 1),
                    (isInOrder ? ["rest 1"] : []) + ["leave 1", "stop-send 1"]
                        + (isInOrder ? [] : ["\(slow.role) is dropped"])),
            ])
        #expect(state.isStopped(2) && state.reasonToEnd == nil)
        #expect(
            state.losses.all.map(\.evidence)
                == ["crashed: SIGSEGV"] + (isInOrder ? [] : ["the disk is full"]))
    }

    @Test func `a plugin that hangs or crashes while it stops leaves the session`() {
        for isInOrder in [true, false] {
            for event in [
                SessionState.Event.lost(0, Self.crash),
                .hangs(0, .lifecycle(.stopSend), 10_000_000_000, PluginFailure()),
            ] {
                var state = running([
                    0: Facts(role: "output", takesTracks: true, onFailure: .off), 1: Self.camera,
                ])
                _ = state.handle(.gaveUp(0, isInOrder: isInOrder, PluginFailure(plea: "x")), at: 0)
                _ = state.handle(event, at: 10_000_000_000)
                #expect(state.plugins[0]?.state == .left(wasLost: !isInOrder))
                // Later results change nothing.
                #expect(state.handle(.done(.destroy, 0), at: 10_000_000_000).isEmpty)
            }
        }
    }

    @Test func `a broadcast may connect, leave and connect again`() {
        var state = SessionState(
            [
                0: Facts(
                    role: "share", track: .share, isSource: true, onFailure: .off, connects: true)
            ],
            at: 0)
        expect(
            &state,
            [
                Row(0, .listens(0), [])
            ])
        state.start()
        expect(
            &state,
            [
                Row(1000, .timer, ["slate waiting"]),
                Row(1500, .connected(0), ["create 0"]),
                Row(1500, .connected(0), []),
                Row(1600, .done(.create, 0), ["initialize 0"]),
                Row(1600, .done(.initialize, 0), ["start-send 0"]),
                Row(
                    1600, .done(.startSend, 0), ["expect 0", "note share: connected"]),
                Row(
                    2000, .lost(0, Self.crash),
                    [
                        "give up 0: disconnected",
                        "note share: disconnected; waiting for it to reconnect",
                    ]),
                Row(2000, .lost(0, Self.crash), []),
                Row(2100, .connected(0), ["create 0"]),
            ])
    }

    @Test func `a setting that a plugin has missed reaches its next life`() {
        func setting(_ name: String, _ value: Int64) -> PluginSetting {
            PluginSetting(name: name, type: .integer, value: .integer(value))
        }
        var state = running([0: Self.camera])
        _ = state.handle(.lost(0, Self.crash), at: 0)
        expect(
            &state,
            [
                Row(500, .timer, ["create 0"]),
                Row(500, .changed(setting("gain", 2), 0), ["remember gain 0"]),
                // The newer one holds.
                Row(500, .missed(setting("gain", 1), 0), []),
                Row(500, .missed(setting("zoom", 3), 0), ["remember zoom 0"]),
                Row(600, .done(.create, 0), ["initialize 0"]),
                Row(600, .done(.initialize, 0), ["start-send 0"]),
                Row(
                    600, .done(.startSend, 0),
                    ["camera is back after 0.6 s", "set zoom 0", "set gain 0"]),
            ])
    }

    @Test func `a plugin whose callback hangs is given up and restarted`() {
        var state = running([0: Self.camera])
        expect(
            &state,
            [
                Row(
                    0, .hangs(0, .lifecycle(.setParameter), 2_500_000_000, PluginFailure()),
                    [
                        "camera hangs in set-parameter for 2.5 s",
                        "give up 0: hangs in set-parameter", "give up 0: failed",
                        "camera restarts in 0.5 s",
                    ]),
                // A look finds the fault again, and another step of the same life hangs, too.
                Row(0, .lost(0, PluginFailure(fault: "hangs in set-parameter")), []),
                Row(
                    0,
                    .hangs(
                        0, .lifecycle(.startSend), 0,
                        PluginFailure(fault: "hangs in set-parameter")), []),
            ])
        #expect(state.losses.all.map(\.evidence) == ["hangs in set-parameter"])
    }

    @Test func `a filter that is added during a session starts at once, without an event`() {
        var state = running([0: Self.camera])
        expect(
            &state,
            [
                Row(100, .added(7, Facts(role: "call.pre-processors[0]")), []),
                Row(100, .timer, ["create 7"]),
                Row(200, .done(.create, 7), ["initialize 7"]),
                Row(200, .done(.initialize, 7), ["start-send 7"]),
                Row(200, .done(.startSend, 7), []),
                Row(
                    300, .lost(7, Self.crash),
                    ["give up 7: failed", "call.pre-processors[0] restarts in 0.5 s"]),
            ])
    }

    @Test func `a composer without an output is not started, and shows no slate`() {
        let stage = Facts(role: "stage", track: .stage, isSource: true, takesTracks: true)
        var state = running([0: Self.camera, 1: stage])
        expect(
            &state,
            [
                Row(0, .idle(1, true), []),
                Row(0, .lost(1, Self.crash), ["give up 1: failed", "stage restarts in 0.5 s"]),
                Row(500, .timer, ["create 1"]),
                Row(500, .done(.create, 1), ["initialize 1"]),
                Row(500, .done(.initialize, 1), ["track 1"]),
                Row(500, .done(.track, 1), ["stage is back after 0.5 s"]),
                Row(5000, .timer, []),
                // It makes no media of its own.
                Row(5000, .gaveUp(0, isInOrder: true, PluginFailure()), ["stop-send 0"]),
                Row(5000, .done(.destroy, 0), ["rest 0", "leave 0", "stop-send 0"]),
            ])
        #expect(state.reasonToEnd?.outcome == .finished)
    }

    /// The causes of an end, and the end; a plugin's cause counts first.
    @Test(
        arguments: [
            (nil, SessionEnd.Causes(), nil),
            (nil, .init(stop: .interrupted), "stop requested"),
            (nil, .init(isOver: true, stop: .interrupted), "the duration is over"),
            (nil, .init(hasLostEveryOutput: true, isOver: true), "every output failed"),
            (SessionStateTests.crash, .init(hasLostEveryOutput: true), "a failed"),
        ] as [(PluginFailure?, SessionEnd.Causes, String?)])
    func `of several causes, the most important one ends the session once`(
        failure: PluginFailure?, causes: SessionEnd.Causes, end: String?
    ) {
        var state = running([0: Facts(role: "a", isSource: true, onFailure: .end)])
        if let failure { _ = state.handle(.lost(0, failure), at: 0) }
        expect(
            &state,
            [
                Row(
                    0, .settled(causes),
                    end.map {
                        [
                            "stopping: \($0)", "end: \($0)", "perform tellEvents",
                            "perform finishAudio", "perform closeIngests",
                        ]
                    } ?? []),
                Row(0, .settled(causes), []),
            ])
        #expect(state.phase.isEnding == (end != nil))
    }

    /// A broadcast's address may be wrong, or taken.
    @Test(arguments: [
        (PluginFailure.Cause.badSettings, SessionOutcome.badSetting(role: "share")),
        (.other, .pluginFailed(role: "share")),
    ])
    func `a session does not start without its broadcast's socket`(
        cause: PluginFailure.Cause, outcome: SessionOutcome
    ) {
        var state = SessionState([0: Facts(role: "share", isSource: true, connects: true)], at: 0)
        expect(&state, [Row(0, .failedToListen(0, PluginFailure(step: "no", cause: cause)), [])])
        #expect(state.reasonToEnd?.outcome == outcome)
        #expect(state.losses.all.map(\.policy) == [.end])
    }

    @Test func `no plugin restarts while the session ends`() {
        var state = running([0: Self.camera, 1: Facts(role: "microphone", isSource: true)])
        _ = state.handle(.lost(1, Self.crash), at: 0)
        _ = state.handle(.settled(.init(stop: .interrupted)), at: 0)
        expect(
            &state,
            [
                Row(100, .lost(0, Self.crash), ["give up 0: failed"]),
                Row(1000, .timer, []),
                Row(1000, .done(.create, 1), []),
            ])
        #expect(state.losses.all.map(\.policy) == [.restart, .off])
    }

    // MARK: Any events

    /// The lives that the effects make, as the plugins of a session would have them.
    private struct Lives {
        var isAlive: [Bool]
        var created: [Int]
        var ended: [Int]
        var hasLeft: [Bool]

        init(_ count: Int, alive: (Int) -> Bool) {
            isAlive = (0..<count).map(alive)
            created = isAlive.map { $0 ? 1 : 0 }
            ended = Array(repeating: 0, count: count)
            hasLeft = Array(repeating: false, count: count)
        }

        mutating func end(_ plugin: Int) {
            guard isAlive[plugin] else { return }
            isAlive[plugin] = false
            ended[plugin] += 1
        }

        /// - Returns: Whether the effect concerns a life that there is.
        mutating func perform(_ effect: SessionState.Effect) -> Bool {
            switch effect {
            case .begin(.create, let plugin):
                guard !isAlive[plugin], !hasLeft[plugin] else { return false }
                isAlive[plugin] = true
                created[plugin] += 1
            // A last step of a life that has ended does nothing.
            case .begin(.stopSend, _), .begin(.uninitialize, _): break
            case .begin(.destroy, let plugin): end(plugin)
            case .begin(_, let plugin), .set(_, let plugin), .expectFrames(let plugin):
                return isAlive[plugin]
            case .giveUp(let plugin, _): end(plugin)
            case .leave(let plugin):
                guard !hasLeft[plugin] else { return false }
                hasLeft[plugin] = true
            case .prepare, .perform, .rest, .remember, .show, .send, .end: break
            }
            return true
        }
    }

    /// A session with the state's effects performed at once.
    private struct Simulation {
        static let count = 5
        /// The number of a filter that begins later.
        static let added = 4

        let seed: UInt64
        let facts: [Facts]
        var random: SeededGenerator
        var state: SessionState
        var lives: Lives
        var now: Int64 = 0
        var ends = 0
        /// The last steps that run.
        var ending: [(step: LifecycleStep, plugin: Int)] = []

        init(seed: UInt64) {
            var random = SeededGenerator(seed: seed)
            facts = (0..<Self.count).map { number in
                Facts(
                    role: "\(number)", track: number == 0 ? .camera : nil, isSource: number < 2,
                    isCall: number == 3, takesTracks: number == 2 || number == 3,
                    onFailure: FailurePolicy.allCases.randomElement(using: &random) ?? .end,
                    connects: number == 1 && Bool.random(using: &random),
                    isNeeded: number == 3 && Bool.random(using: &random))
            }
            let first = facts.prefix(Self.added).enumerated().map { ($0, $1) }
            state = SessionState(Dictionary(uniqueKeysWithValues: first), at: 0)
            lives = Lives(Self.count) { [facts] in $0 != Self.added && !facts[$0].connects }
            self.seed = seed
            self.random = random
        }

        mutating func happens(_ event: SessionState.Event) {
            for effect in state.handle(event, at: now) {
                let isLegal = lives.perform(effect)
                #expect(isLegal, "\(seed): \(event): \(effect)")
                switch effect {
                case .begin(let step, let plugin) where LifecycleStep.ending.contains(step):
                    ending.append((step, plugin))
                case .end: ends += 1
                default: break
                }
            }
        }

        /// Ends the oldest last step.
        mutating func finishStep() {
            let (step, plugin) = ending.removeFirst()
            happens(.done(step, plugin))
        }

        /// Lets something happen that can happen now.
        mutating func step() {
            now += Int64.random(in: 0..<700_000_000, using: &random)
            let plugin = Int.random(in: 0..<Self.count, using: &random)
            let isAlive = lives.isAlive[plugin]
            let cause: PluginFailure.Cause =
                Int.random(in: 0..<8, using: &random) == 0 ? .badSettings : .other
            let steps: [LifecycleStep] = [.create, .initialize, .track, .startSend]
            switch Int.random(in: 0..<14, using: &random) {
            case 12...13 where !ending.isEmpty: finishStep()
            case 0 where isAlive:
                // Its process is lost.
                lives.end(plugin)
                happens(.lost(plugin, PluginFailure(fault: "crashed", cause: cause)))
            case 1 where isAlive:
                happens(.lost(plugin, PluginFailure(step: "refused", cause: cause)))
            case 2 where isAlive:
                let isInOrder = Bool.random(using: &random)
                happens(
                    .gaveUp(plugin, isInOrder: isInOrder, PluginFailure(plea: "it said so")))
            case 3 where isAlive:
                happens(.hangs(plugin, .lifecycle(.startSend), 2_000_000_000, PluginFailure()))
            case 4: happens(.connected(plugin))
            case 5: happens(.stopped(plugin, Bool.random(using: &random)))
            case 6 where state.plugins[Self.added] == nil:
                happens(.added(Self.added, facts[Self.added]))
            case 7: happens(.settled(SessionEnd.Causes()))
            case 8...9 where isAlive:
                happens(.done(steps.randomElement(using: &random) ?? .create, plugin))
            default: happens(.timer)
            }
        }
    }

    @Test(arguments: UInt64(0)..<200)
    func `in random sequences every plugin's life and the session end exactly once`(
        seed: UInt64
    ) {
        var session = Simulation(seed: seed)
        for plugin in 0..<Simulation.added where session.facts[plugin].connects {
            session.happens(.listens(plugin))
        }
        session.state.start()
        for _ in 0..<200 { session.step() }
        session.happens(.settled(SessionEnd.Causes(stop: .interrupted)))
        for _ in 0..<50 { session.step() }
        while !session.ending.isEmpty { session.finishStep() }
        #expect(session.ends == 1 && session.state.phase.isEnding, "\(seed)")
        // The end calls each life that is left.
        for plugin in 0..<Simulation.count { session.lives.end(plugin) }
        #expect(session.lives.created == session.lives.ended, "\(seed)")
        #expect(
            session.state.losses.all.allSatisfy { !$0.evidence.isEmpty && $0.seconds >= 0 })
    }
}

extension SessionState {
    /// Makes the first start, in which every step ends at once.
    fileprivate mutating func start() {
        while phase.isStarting {
            _ = handle(phase == .starting(.open) ? .opened(true) : .quiet, at: 0)
        }
    }
}
