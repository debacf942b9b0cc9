import GreenroomModel
import GreenroomNegotiation
import GreenroomMedia
import GreenroomRuntime
import Synchronization
import TestSupport

@testable import GreenroomSession

/// A whole session in the process of the test, on the virtual clock: the plan that
/// `greenroom run` would make of a session file, but with fake plugins.
struct InProcessSession {
    /// What to run.
    var plan: SessionPlan
    private let folder: TemporaryFolder

    /// What a session left behind.
    struct Result {
        var report: SessionReport
        var events: [SessionEvent]

        /// What went wrong with a plugin's steps, as `ROLE: STEP STATUS: REASON`.
        var failures: [String] {
            events.compactMap { event -> String? in
                guard case .stepFailed(let role, let step, let status, let reason) = event else {
                    return nil
                }
                return "\(role): \(step) \(status): \(reason)"
            }
        }

        /// The plugins without which the session went on.
        var dropped: [String] {
            events.compactMap { event -> String? in
                if case .pluginDropped(let role) = event { role } else { nil }
            }
        }

        func picture(_ track: String) -> SessionReport.Video? {
            report.pictures.first { $0.track == track }
        }

        func plugin(_ role: String) -> SessionReport.Plugin? {
            report.plugins.first { $0.role == role }
        }
    }

    /// A session that records into a folder of its own.
    init(
        camera: SourcePlan? = nil, share: SourcePlan? = nil, milliseconds: Int64? = 800
    ) throws {
        folder = try TemporaryFolder()
        plan = SessionPlan(name: "in-process")
        plan.maximum = VideoCapability(width: 320, height: 180, fps: 15)
        plan.clock = .virtual
        plan.durationNanoseconds = milliseconds.map { $0 * 1_000_000 }
        plan.callbackDeadlineNanoseconds = 30_000_000_000
        plan.slots = [(SessionRole.camera, camera), (.share, share)].compactMap { role, source in
            source.map { SessionSlot(role, $0) }
        }
        plan.outputs = [
            Recording(folder: folder("recording"), video: VideoSinkWant(), overwrite: false)
        ]
    }

    /// The path of a file of the recording.
    func recorded(_ name: String) -> String { "\(recordingFolder)/\(name)" }
    var recordingFolder: String { folder("recording") }

    /// Runs it to its end.
    func run() throws -> Result {
        let events = Events()
        let session = Session(plan: plan) { event in events.all.withLock { $0.append(event) } }
        let report = try session.run()
        return Result(report: report, events: events.all.withLock { $0 })
    }

    private final class Events: Sendable {
        let all = Mutex<[SessionEvent]>([])
    }
}

extension SessionReport.VideoOutput {
    /// How many frames are in it.
    var frames: Int { delivered + repeated + black + slate }
}
