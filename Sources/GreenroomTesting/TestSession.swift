public import GreenroomModel
import GreenroomLifecycle
public import GreenroomMedia
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomRuntime
public import GreenroomSession
import Synchronization

/// A session of plugins in the test's process, on a clock that the test advances.
///
/// ```swift
/// let session = try TestSession([TestPlugin(FakeCamera.self), TestPlugin(MyFilter.self)])
/// session.advance(by: .seconds(1))
/// #expect(session.takeFrames(of: "camera").allSatisfy { $0.luma(x: 0, y: 0) == 235 })
/// ```
///
/// The session is the one that `greenroom run` starts: it negotiates sizes, converts and mixes, restarts
/// nothing, and reports. Its clock stands still between two calls of ``advance(by:)``, so a test sees the
/// same media in each run, on any machine. Plugins must wait with the host's clock, never with `sleep()`.
///
/// Threads: one thread uses it.
public final class TestSession: Sendable {
    private let session: Session
    private let hand: SessionHand
    private let collection: (number: Int64, collection: MediaCollection)
    private let log: Log
    private let thread: HostThread
    private let time = Mutex<Int64>(0)

    /// The events of the session.
    private final class Log: Sendable {
        struct State {
            var events: [SessionEvent] = []
            var isStarted = false
            var end: Result<SessionReport, TestSessionError>?
        }

        let state = Monitor(State())
    }

    /// Starts a session, and returns when its plugins send.
    ///
    /// - Parameters:
    ///   - plugins: Each takes the place of its kind: cameras, microphones, shares and their audio, a
    ///     stage, a call, outputs; video filters edit the camera and audio filters the microphone, in their
    ///     order. The other places stay empty.
    ///   - maximum: The largest size and rate that sources are offered.
    /// - Throws: `TestSessionError` if the session does not start: a refused setting, or the text
    ///   of a failed plugin.
    public init(
        _ plugins: [TestPlugin],
        maximum: VideoCapability = VideoCapability(width: 640, height: 360, fps: 30)
    ) throws(TestSessionError) {
        collection = MediaCollection.make()
        let collector = TestPlugin(
            MediaCollector.self, settings: ["collection": .integer(collection.number)])
        let plan: SessionPlan
        do throws(TestSessionError) {
            plan = try Self.plan(plugins, collector, maximum)
        } catch {
            MediaCollection.remove(collection.number)
            throw error
        }
        let log = Log()
        self.log = log
        let hand = Monitor<SessionHand?>(nil)
        let session = Session(plan: plan) { event in
            // Time stands still before the test learns that the session has started.
            switch event {
            case .started: hand.withLock { $0 }?.hold()
            case .stopping: hand.withLock { $0 }?.release()
            default: break
            }
            log.state.change { state in
                state.events.append(event)
                if case .started = event { state.isStarted = true }
            }
        }
        self.session = session
        let held = SessionHand(on: session.clock)
        hand.change { $0 = held }
        self.hand = held
        thread = HostThread(name: "session") {
            let end = Result { try session.run() }
                .mapError { TestSessionError("\($0)") }
            held.release()
            log.state.change { $0.end = end }
        }
        let failure: TestSessionError?? = log.state.wait(until: nil) { state in
            if state.isStarted { return .some(nil) }
            return state.end.map { end in
                if case .failure(let error) = end { return error }
                let lines = state.events.compactMap(\.line)
                return TestSessionError(
                    "the session did not start: \(lines.joined(separator: "; "))")
            }
        }
        if let failure, let failure {
            MediaCollection.remove(collection.number)
            throw failure
        }
    }

    deinit { finish() }

    /// Lets session time pass; returns when everything up to then is done, or the session has ended.
    ///
    /// Outputs get a frame after its period, and audio 100 ms late.
    public func advance(by duration: Duration) {
        let target = time.withLock { time in
            time = max(time, session.clock.now) + max(duration.nanoseconds, 0)
            return time
        }
        guard !hand.advance(to: target) else { return }
        let _: Bool? = log.state.wait(until: nil) { $0.end == nil ? nil : true }
    }

    /// Removes the frames that a track has carried since the last call, and returns them.
    ///
    /// - Parameter track: `camera`, `share`, `stage`, or a participant's `ana-camera`.
    public func takeFrames(of track: String) -> [TestFrame] {
        collection.collection.takeFrames(of: track)
    }

    /// Removes the audio that a track has carried since the last call, and returns it: 48 kHz stereo,
    /// interleaved.
    ///
    /// - Parameter track: `microphone`, `share-audio`, `mix`, `full-mix`, or a participant's `ana-microphone`.
    public func takeSamples(of track: String) -> [Int16] {
        collection.collection.takeSamples(of: track)
    }

    /// The values that an output has set for the report, by name.
    ///
    /// - Parameter output: `outputs[0]` for the first output, or `call`.
    public func reportedValues(of output: String) -> [String: Double] {
        session.instances.first { $0.role == output }?.feed?.reportedValues ?? [:]
    }

    /// Executes a command at the current time: a ceiling, a stop or a start, a live setting.
    ///
    /// - Throws: If the session can't execute it.
    public func perform(_ command: SessionCommand) throws(CommandError) {
        try session.perform(command, origin: "test")
    }

    /// Every event so far.
    public var events: [SessionEvent] { log.state.withLock { $0.events } }

    /// Whether the session still runs: it ends by itself when a plugin of it fails.
    public var isRunning: Bool { log.state.withLock { $0.end == nil } }

    /// Stops the session, and ends its plugins.
    ///
    /// - Returns: The report, which counts every frame and callback.
    /// - Throws: If an output could not be opened.
    @discardableResult
    public func end() throws(TestSessionError) -> SessionReport {
        finish()
        let end: Result<SessionReport, TestSessionError>? = log.state.withLock { $0.end }
        guard let end else { throw TestSessionError("the session did not end") }
        return try end.get()
    }

    private func finish() {
        session.stop(isPlanned: true)
        hand.release()
        thread.join()
        MediaCollection.remove(collection.number)
    }

    // MARK: The plan

    private static func plan(
        _ plugins: [TestPlugin], _ collector: TestPlugin, _ maximum: VideoCapability
    ) throws(TestSessionError) -> SessionPlan {
        var configuration = SessionConfiguration(name: "test")
        configuration.maximum = maximum
        configuration.clock = .virtual
        // A machine that is busy must not end a plugin.
        configuration.callbackDeadline = .seconds(60)
        var (slots, outputs): ([SessionSlot<SourcePlan>], [SourcePlan]) = ([], [])
        var (filters, call): ([SessionRole: [SourcePlan]], SourcePlan?) = ([:], nil)
        for plugin in plugins {
            let plugin = try plugin.load()
            switch PluginAddress(of: plugin.descriptor.kind) {
            case .source(let role):
                guard slots[role] == nil else {
                    throw TestSessionError("two plugins for the role \(role.rawValue)")
                }
                slots.append(SessionSlot(role, plugin))
            case .filter(_, let role): filters[role, default: []].append(plugin)
            case .call:
                guard call == nil else { throw TestSessionError("two plugins for the call") }
                call = plugin
            case .output, .callFilter: outputs.append(plugin)
            }
        }
        for (role, filters) in filters {
            guard let place = slots.firstIndex(where: { $0.role == role }) else {
                throw TestSessionError(
                    "\(filters[0].descriptor.name) edits the \(role.rawValue), and the session has none. "
                        + "Add a fake one")
            }
            slots[place].filters = filters
        }
        outputs.append(try collector.load())
        configuration.outputs = outputs.map { .plugin(PluginConfiguration($0.descriptor.name)) }
        if let call {
            outputs.append(call)
            configuration.outputs.append(.call(PluginConfiguration(call.descriptor.name)))
        }
        return SessionPlan(
            configuration, slots: slots,
            outputs: Dictionary(uniqueKeysWithValues: outputs.enumerated().map { ($0, $1) }))
    }
}
