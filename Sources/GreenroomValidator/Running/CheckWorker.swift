internal import FoundationEssentials
import Glibc
import GreenroomIPC
import GreenroomRuntime
import GreenroomSession
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel

/// What the process of one check is told.
struct CheckRequest: Codable, Sendable {
    /// Who asks: the judge's parent.
    var host = getpid()
    var check: String
    var library: String
    /// Its id; nil if the library can't be loaded.
    var plugin: String?
    /// The plugin as the library was found to describe it, in the bytes that processes tell each
    /// other.
    var descriptor: Data?
    /// The user's, by name.
    var settings: [String: String]
    var folder: String
    var runner: String
    var read: [String]
    var write: [String]
    var devices: [String]
    var network: Bool
    var seed: UInt64
    var isStill: Bool
}

/// What the process of one check answers.
struct CheckResponse: Codable, Sendable {
    var outcome: Outcome
    var text: String
    var details: [String]
    var costs: [ConformanceReport.Cost]
    /// The check that names the fault, if it finds one.
    var suspect: String?
    /// Whether the check could not look, and found no fault of its own.
    var isHindered: Bool
    /// What the sandbox refused the plugin, each once.
    var refusals: [String]

    /// What a plugin may have a part in is cut to what people read.
    init(_ verdict: Verdict, refusals: [String]) {
        outcome = verdict.outcome
        text = Self.readable(verdict.text, most: 2000)
        details = verdict.details.prefix(50).map { Self.readable($0, most: 300) }
        costs = verdict.costs
        suspect = verdict.suspect
        isHindered = verdict.isHindered
        self.refusals = refusals.map { Self.readable($0, most: 300) }
    }

    private static func readable(_ text: String, most: Int) -> String {
        String(text.prefix(most)).repaired
    }
}

/// The process of one check: it reads its order, makes the check, and writes its answer.
package enum CheckWorker {
    /// Makes the check that an order names.
    ///
    /// - Parameter order: As ``Validator`` writes it.
    /// - Returns: The answer for it; nil if the order is none.
    package static func judge(_ order: [UInt8]) -> [UInt8]? {
        guard let order = try? JSONDecoder().decode(CheckRequest.self, from: Data(order)),
            let check = Catalogue.check(order.check),
            // Without its parent, which is gone, it has nobody to answer.
            order.host == getppid()
        else { return nil }
        let progress = CheckProgress()
        let found = Monitor<Verdict?>(nil)
        // Left behind if it does not come to an end.
        _ = HostThread(name: "check") {
            let verdict = verdict(of: check, order, progress)
            found.change { $0 = verdict }
        }
        let deadline = MonotonicClock.deadline(after: Int64(check.limitSeconds * 1e9))
        let last =
            found.wait(until: deadline) { $0 } ?? progress.verdict(afterSeconds: check.limitSeconds)
        // What a check of parameters has the plugin open is not the plugin's wish.
        let refusals = check.group == "parameter" ? [] : progress.refusals
        return (try? JSONEncoder().encode(CheckResponse(last, refusals: refusals)))
            .map { Array($0) }
    }

    /// Does what a judge can't do itself, as its order says: leads a life of a plugin in this
    /// process, or stops the judge for a while.
    ///
    /// Call it while the process has one thread: it may go into the sandbox.
    ///
    /// - Returns: Whether the order is one; the answer has been written then.
    package static func perform(_ order: String) -> Bool {
        InProcessRun.perform(order) || ProcessFreezer.perform(order)
    }

    private static func verdict(
        of check: Check, _ order: CheckRequest, _ progress: CheckProgress
    ) -> Verdict {
        do throws(Verdict) {
            switch check.way {
            case .plugin(let run): return try run(try Examination(order, progress))
            case .library(let run): return try run(LibraryExamination(order))
            }
        } catch {
            return error
        }
    }
}

extension PluginDescriptor {
    /// Reads one that was written; nil if it breaks a rule.
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
                grants: Grants(read: read, write: write, devices: devices, network: network)),
            hasProbe: true)
    }
}

extension LibraryExamination {
    init(_ order: CheckRequest) {
        self.init(path: order.library, confinement: order.confinement)
    }
}

extension Examination {
    convenience init(_ order: CheckRequest, _ progress: CheckProgress) throws(Verdict) {
        guard let bytes = order.descriptor, let descriptor = PluginDescriptor(written: bytes) else {
            throw .skipped("no plugin is named")
        }
        let (settings, _) = descriptor.check(
            settings: descriptor.values(of: order.settings), relativeTo: order.folder)
        self.init(
            library: order.library, descriptor: descriptor, settings: settings,
            confinement: order.confinement, seed: order.seed, isStill: order.isStill,
            order: order, progress: progress)
    }
}
