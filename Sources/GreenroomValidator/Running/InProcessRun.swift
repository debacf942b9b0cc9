internal import FoundationEssentials
import Glibc
import GreenroomHarness
import GreenroomNegotiation
import GreenroomModel
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import SystemPackage

/// A run of a plugin in its host's process, as in a session without isolation. The run uses a
/// separate sandboxed process, so that nothing else is at risk.
enum InProcessRun {
    /// The input of the run's process.
    struct Request: Codable {
        /// The check's process.
        var host = getpid()
        var check: CheckRequest
        var nanoseconds: Int64
    }

    /// The output of the run's process.
    struct Answer: Codable {
        var digest: MediaDigest?
        /// The reason that there is no digest; nil if there is one.
        var problem: String?
        var isOffClock = false
        /// A description of the frame to which an output wrote; nil if none.
        var writtenFrame: String?
    }

    /// The start of the output line.
    private static let heading = "greenroom-digest: "

    // MARK: The process

    /// Runs the plugin as requested, and writes the response to standard output.
    ///
    /// Call this while the process has one thread.
    static func perform(_ text: String) -> Bool {
        guard let request = try? JSONDecoder().decode(Request.self, from: Data(text.utf8)) else {
            return false
        }
        let answer = answer(request)
        guard let data = try? JSONEncoder().encode(answer) else { return false }
        let line = Array("\n\(heading)".utf8) + Array(data) + Array("\n".utf8)
        return (try? FileDescriptor.standardOutput.writeAll(line)) != nil
    }

    private static func answer(_ request: Request) -> Answer {
        let check = request.check
        if let problem = ConfinedProcess.enter(
            check.confinement, library: check.library, host: request.host)
        {
            return Answer(problem: problem)
        }
        let library: PluginLibrary
        do throws(LoadError) {
            library = try PluginLibrary(onThisThread: check.library)
        } catch {
            return Answer(problem: error.explanation)
        }
        guard let descriptor = library.descriptors.first(where: { $0.id == check.plugin }) else {
            return Answer(problem: "not in the library")
        }
        let (settings, _) = descriptor.check(
            settings: descriptor.values(of: check.settings), relativeTo: check.folder)
        let record = Record()
        let pluginHarness = PluginHarness(
            SourcePlan(factory: library, descriptor: descriptor, settings: settings),
            on: HarnessClock(.virtual), hanging: Set(check.hanging),
            sinks: PluginHarness.Sinks(
                onFrame: { record.take($0, at: $1) }, onAudio: { record.take($0) }))
        let (digest, problem) = pluginHarness.performWhole(record, nanoseconds: request.nanoseconds)
        return Answer(
            digest: problem == nil ? digest : nil, problem: problem,
            isOffClock: pluginHarness.clock.isOffClock(), writtenFrame: pluginHarness.writtenFrame)
    }

    // MARK: The check's side

    /// Runs a process that creates a digest.
    static func make(
        _ request: CheckRequest, nanoseconds: Int64
    ) throws(Verdict) -> Answer {
        var request = request
        // Omit the descriptor: the process reads the library itself, and arguments have a length
        // limit.
        request.descriptor = nil
        guard
            let data = try? JSONEncoder().encode(Request(check: request, nanoseconds: nanoseconds)),
            let program = ownProgramFile
        else { throw .notProven("no process could be started") }
        let end = ConfinedProcess.run(
            program, [CheckWorker.command, String(decoding: data, as: UTF8.self)],
            in: request.confinement,
            library: request.library, seconds: 30)
        switch end {
        case .failed(let text): throw .notProven("no process could be started: \(text)")
        case .timedOut: throw .failed("in its host's own process, it hangs: see where it waits")
        case .lost(let evidence): throw .crashed("in its host's own process: \(evidence)")
        case .ended(let output):
            let lines = output.split(separator: UInt8(ascii: "\n"))
            guard let line = lines.last(where: { $0.starts(with: heading.utf8) }),
                let answer = try? JSONDecoder().decode(
                    Answer.self, from: Data(line.dropFirst(heading.utf8.count)))
            else {
                throw .crashed(
                    "in its host's own process it ends that process: exit is the host's to call")
            }
            return answer
        }
    }
}

extension PluginHarness {
    /// Runs the plugin through its whole lifecycle.
    ///
    /// - Returns: The digest, and the first failed step.
    func performWhole(
        _ record: Record, nanoseconds: Int64
    ) -> (digest: MediaDigest, problem: String?) {
        var digest = MediaDigest()
        let steps: [(String, () -> StepEnd)] = [
            ("create", { self.create() }),
            ("initialize", { self.initialize(self.smallOffer()) }),
            (
                "sending",
                {
                    let made = self.perform(record, nanoseconds: nanoseconds)
                    digest = made.digest
                    return made.end
                }
            ),
            ("uninitialize", { self.uninitialize() }),
            ("destroy", { self.destroy() }),
        ]
        for (name, step) in steps {
            switch step() {
            case .done: continue
            case .pumps: return (digest, "start-send does not return")
            case .hangs: return (digest, "\(name) does not return")
            case .refused(let status, let text):
                return (digest, "\(name) answers \(status): \(text)")
            case .illegal(let state): return (digest, "\(name): it is \(state.rawValue)")
            case .lost(let evidence): return (digest, evidence)
            }
        }
        return (digest, nil)
    }
}
