import GreenroomLifecycle
internal import FoundationEssentials
import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel

/// The input of one check's process.
struct CheckRequest: Codable, Sendable {
    /// The requesting process: the worker's parent.
    var host = getpid()
    var check: String
    var library: String
    /// The plugin's id; nil if the library cannot be loaded.
    var plugin: String?
    /// The plugin's descriptor from the scan, serialised.
    var descriptor: Data?
    /// The user's settings, by name.
    var settings: [String: String]
    var folder: String
    var runner: String
    var read: [String]
    var write: [String]
    var devices: [String]
    var network: Bool
    var connect: [String] = []
    var display = false
    var pipewire = false
    var seed: UInt64
    var isStill: Bool
    /// The steps that another check has found to hang.
    var hanging: [LifecycleStep] = []
}

/// The output of one check's process.
struct CheckResponse: Codable, Sendable {
    var outcome: Outcome
    var text: String
    var details: [String]
    var costs: [ConformanceReport.Cost]
    /// The check that names the fault, if it finds one.
    var suspect: String?
    /// Whether the check could not run and found no fault of its own.
    var isHindered: Bool
    /// The accesses that the sandbox denied, each once.
    var refusals: [String]
    /// The steps that did not return in time.
    var hanging: [LifecycleStep]

    /// Creates a response. Truncates text that the plugin may influence.
    init(_ verdict: Verdict, refusals: [String], hanging: Set<LifecycleStep>) {
        self.hanging = Array(hanging)
        outcome = verdict.outcome
        text = Self.readable(verdict.text, most: 2000)
        details = verdict.details.prefix(50).map { Self.readable($0, most: 300) }
        costs = verdict.costs
        suspect = verdict.suspect
        isHindered = verdict.isHindered
        self.refusals = refusals.map { Self.readable($0, most: 300) }
    }

    private static func readable(_ text: String, most: Int) -> String {
        String(text.prefix(most)).printable
    }
}

/// The process of one check: reads its request, runs the check, and writes its response.
package enum CheckWorker {
    /// The hidden command of `greenroom` that runs a check.
    package static let command = "check-worker"

    /// Runs the requested check.
    ///
    /// - Parameter request: The request that ``Validator`` has written.
    /// - Returns: The response; nil if the request is invalid.
    package static func run(_ request: [UInt8]) -> [UInt8]? {
        guard let request = try? JSONDecoder().decode(CheckRequest.self, from: Data(request)),
            let check = Catalogue.check(request.check),
            // If the parent has exited, nothing reads the response.
            request.host == getppid()
        else { return nil }
        let progress = CheckProgress()
        let found = Monitor<Verdict?>(nil)
        // The process abandons the thread if it does not end.
        _ = HostThread(name: "check") {
            let verdict = verdict(of: check, request, progress)
            found.change { $0 = verdict }
        }
        let deadline = MonotonicClock.deadline(after: Int64(check.limitSeconds * 1e9))
        let last =
            found.wait(until: deadline) { $0 } ?? progress.verdict(afterSeconds: check.limitSeconds)
        // A check of parameters makes the plugin open other files, so ignore the refusals.
        let refusals = check.group == "parameter" ? [] : progress.refusals
        let response = CheckResponse(last, refusals: refusals, hanging: progress.hanging)
        return (try? JSONEncoder().encode(response)).map { Array($0) }
    }

    /// Runs a task that a check cannot do in its own process: runs a plugin in this process, or
    /// stops the check's process for a while.
    ///
    /// Call this while the process has one thread, because the task may enter the sandbox.
    ///
    /// - Returns: Whether the request is valid. If so, the response has been written.
    package static func perform(_ request: String) -> Bool {
        InProcessRun.perform(request) || ProcessFreezer.perform(request)
    }

    private static func verdict(
        of check: Check, _ request: CheckRequest, _ progress: CheckProgress
    ) -> Verdict {
        guard !check.needsLibrary || !ScriptInterpreter.runs(request.library) else {
            return .skipped("the check is for libraries, and the plugin is a script")
        }
        do throws(Verdict) {
            switch check.way {
            case .plugin(let run): return try run(try Examination(request, progress))
            case .library(let run): return try run(LibraryExamination(request))
            }
        } catch {
            return error
        }
    }
}

extension PluginDescriptor {
    /// Reads a serialised descriptor; nil if it breaks a rule.
    fileprivate init?(written bytes: Data) {
        var reader = WireReader(Array(bytes))
        guard let descriptor = try? reader.readDescriptor() else { return nil }
        self = descriptor
    }

    /// The descriptor as bytes.
    var written: Data {
        var writer = WireWriter()
        writer.write(self)
        return Data(writer.bytes)
    }
}

extension CheckRequest {
    var confinement: Confinement {
        Confinement(
            program: runner,
            plan: IsolationPlan(
                grants: Grants(
                    read: read, write: write, devices: devices, network: network, connect: connect,
                    display: display, pipewire: pipewire)),
            hasProbe: true,
            interpreter: ScriptInterpreter.runs(library)
                ? try? ScriptInterpreter(
                    of: library, named: nil, programs: Validator.folder(of: runner))
                : nil)
    }
}

extension LibraryExamination {
    init(_ request: CheckRequest) {
        self.init(path: request.library, confinement: request.confinement)
    }
}

extension Examination {
    convenience init(_ request: CheckRequest, _ progress: CheckProgress) throws(Verdict) {
        guard let bytes = request.descriptor, let descriptor = PluginDescriptor(written: bytes)
        else {
            throw .skipped("no plugin is named")
        }
        let (settings, _) = descriptor.check(
            settings: descriptor.values(of: request.settings), relativeTo: request.folder)
        self.init(
            library: request.library, descriptor: descriptor, settings: settings,
            confinement: request.confinement, seed: request.seed, isStill: request.isStill,
            request: request, progress: progress)
    }
}
