import GreenroomDecisions
import GreenroomModel
import GreenroomNegotiation
import GreenroomMedia
import GreenroomRuntime
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomSession

/// A whole session in the test's process, on the virtual clock: the plan that `greenroom run` makes
/// of a session file, with fake plugins.
struct InProcessSession {
    /// What to run.
    var plan: SessionPlan
    /// Times what may hang.
    var host = HostClock.real
    private let folder: TemporaryFolder

    /// The result of a session.
    struct Result {
        var report: SessionReport
        var events: [SessionEvent]
        /// Lives as long as the result.
        fileprivate var folder: TemporaryFolder

        /// The folder of the recording.
        var recording: String { folder("recording") }

        /// Failed steps of plugins, as `ROLE: STEP STATUS: REASON`.
        var failures: [String] {
            events.compactMap { event -> String? in
                guard case .stepFailed(let role, let step, let status, let reason) = event else {
                    return nil
                }
                return "\(role): \(step) \(status): \(reason)"
            }
        }

        /// The plugins without which the session continued.
        var dropped: [String] {
            events.compactMap { event -> String? in
                if case .pluginDropped(let role) = event { role } else { nil }
            }
        }

        /// The callbacks that were told as hanging, as `ROLE: CALLBACK`.
        var hangs: [String] {
            events.compactMap { event -> String? in
                guard case .callbackHangs(let role, let callback, _) = event else { return nil }
                return "\(role): \(callback)"
            }
        }

        /// What was told of a plugin that ends nothing.
        func notes(_ role: String) -> [String] {
            events.compactMap { event -> String? in
                guard case .note(role, let text) = event else { return nil }
                return text
            }
        }

        func picture(_ track: String) -> SessionReport.Video? {
            report.videoTracks.first { $0.track == track }
        }

        func plugin(_ role: String) -> SessionReport.Plugin? {
            report.plugins.first { $0.role == role }
        }
    }

    /// A session that records into its own folder.
    init(
        camera: SourcePlan? = nil, filters: [SourcePlan] = [], share: SourcePlan? = nil,
        milliseconds: Int64? = 800
    ) throws {
        folder = try TemporaryFolder()
        var configuration = SessionConfiguration(name: "in-process")
        configuration.maximum = VideoCapability(width: 320, height: 180, fps: 15)
        configuration.clock = .virtual
        configuration.duration = milliseconds.map { .milliseconds($0) }
        configuration.callbackDeadline = .seconds(30)
        configuration.outputs = [.record(folder: folder("recording"))]
        plan = SessionPlan(
            configuration,
            slots: [(SessionRole.camera, camera), (.share, share)].compactMap { role, source in
                source.map { SessionSlot(role, $0, filters: role == .camera ? filters : []) }
            })
    }

    /// Stops the camera for some time of the session.
    mutating func stopCamera(milliseconds stop: Int64, until start: Int64) {
        plan.configuration.timeline = [
            (stop, SessionCommand.stop(.camera)), (start, .start(.camera)),
        ].map {
            TimelineEntry(time: .milliseconds($0), command: $1, origin: "test")
        }
    }

    /// The path of a file of the recording.
    func recorded(_ name: String) -> String { "\(recordingFolder)/\(name)" }
    var recordingFolder: String { folder("recording") }

    /// Runs it to its end, and expects that its accounts add up.
    ///
    /// - Parameters:
    ///   - begun: Receives the session before it runs.
    ///   - isLast: Whether the session is asked to end after an event.
    func run(
        begun: (Session) -> Void = { _ in },
        stoppingAfter isLast: @escaping @Sendable (SessionEvent) -> Bool = { _ in false },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Result {
        let running = Running()
        let session = Session(plan: plan, host: host) { event in
            running.events.withLock { $0.append(event) }
            if isLast(event) { running.session.withLock { $0 }?.stop() }
        }
        begun(session)
        session.keepJournal { line in running.journal.withLock { $0.append(line) } }
        running.session.withLock { $0 = session }
        defer { running.session.withLock { $0 = nil } }
        let report = try session.run()
        report.expectAdditive(on: plan.configuration.clock, sourceLocation)
        let journal = running.journal.withLock { $0 }
        #expect(throws: Never.self, sourceLocation: sourceLocation) {
            _ = try SessionState.replay(journal.joined(separator: "\n"))
        }
        try JournalTests.keep(journal)
        return Result(
            report: report, events: running.events.withLock { $0 }, folder: folder)
    }

    private final class Running: Sendable {
        let events = Mutex<[SessionEvent]>([])
        let journal = Mutex<[String]>([])
        let session = Mutex<Session?>(nil)
    }
}

extension SessionReport {
    /// Expects that each period and each frame is of one kind, and that outputs have as many. On the
    /// real clock an output may take a participant's track later than the track begins.
    fileprivate func expectAdditive(
        on clock: ClockKind, _ sourceLocation: SourceLocation
    ) {
        let own = Set(videoTracks.map(\.track))
        for video in videoTracks + (participants ?? []).flatMap({ $0.tracks.compactMap(\.video) }) {
            let mayBeginLater = clock == .real && !own.contains(video.track)
            let account = video.account
            #expect(
                account.kinds == account.total, "\(video.track): \(account)",
                sourceLocation: sourceLocation)
            for output in video.outputs
            where output.failure == nil && output.unwanted == 0
                && video.capability.hasSuffix("@\(output.rate)")
            {
                #expect(
                    mayBeginLater
                        ? account.total >= output.frames : account.total == output.frames,
                    "\(video.track), \(output.output): \(account), \(output)",
                    sourceLocation: sourceLocation)
            }
        }
        for sound in audioTracks + (participants ?? []).flatMap({ $0.tracks.compactMap(\.audio) }) {
            let account = sound.account
            #expect(
                account.kinds == account.total
                    && account.real + (account.unedited ?? 0) == sound.played
                    && account.concealed == sound.concealed
                    && account.total == sound.played + sound.concealed + sound.idle + sound.muted,
                "\(sound)", sourceLocation: sourceLocation)
        }
    }
}

extension SessionReport.RealAccount {
    /// The sum of all kinds.
    var kinds: Int {
        real + missing + stopped
            + [late, unedited, repeated, slate, concealed].compactMap(\.self).reduce(0, +)
    }
}

extension SessionReport.VideoOutput {
    /// Number of frames in the recording.
    var frames: Int { delivered + repeated + black + slate }
}
