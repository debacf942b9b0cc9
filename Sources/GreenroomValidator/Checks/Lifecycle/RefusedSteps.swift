import GreenroomModel
import CLinux
import Glibc
import GreenroomHarness
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let refusedSteps = Check(
        "lifecycle.refused-steps", "initialize and start-send fail half-way",
        rule: "initialize and start-send either work or leave nothing behind.",
        why: """
            "A failed initialize or start_send leaves the state unchanged".
            """,
        measured: """
            The steps run without free descriptors, and with the path of each path setting \
            missing. No thread or descriptor may remain, and the step must then succeed. \
            Dispatch and Foundation are excused.
            """,
        fix: "Release in reverse order everything that the step made."
    ) { examination throws(Verdict) in
        let verdict = try examination.onItsClock { fixture throws(Verdict) in
            do throws(Verdict) {
                return try liveWithoutDescriptors(fixture)
            } catch {
                guard error.outcome == .crashed,
                    let part = fixture.process.crashedRuntime(examination.library)
                else {
                    throw error
                }
                return .skipped(
                    "where nothing can be opened \(part) ends the process itself, whatever the "
                        + "plugin does", [error.text])
            }
        }
        guard !verdict.outcome.isFault else { return verdict }
        for setting in examination.settings where setting.type == .path {
            try live(without: setting.name, examination)
        }
        return verdict
    }

    /// Runs the whole lifecycle, with an initialize and start-send that can open nothing.
    private static func liveWithoutDescriptors(_ fixture: Fixture) throws(Verdict) -> Verdict {
        try fixture.create()
        var notes: [String] = []
        for step in [LifecycleStep.initialize, .startSend] {
            if let note = try refuse(step, fixture) { notes.append(note) }
        }
        try fixture.wait(seconds: 0.3)
        if fixture.isSource, try !fixture.sends(within: 5) {
            return .failed(
                "sends nothing after an initialize or start-send during which nothing could be "
                    + "opened\(fixture.refusals): the next attempt must work like the first"
            ).unless("lifecycle.whole-life")
        }
        try fixture.end()
        return .passed(notes.joined(separator: "; "))
    }

    /// Runs a step while nothing can be opened, and repeats it if it is refused.
    ///
    /// - Returns: The refused step; nil if it succeeded.
    private static func refuse(_ step: LifecycleStep, _ fixture: Fixture) throws(Verdict) -> String?
    {
        let offer = step == .initialize ? fixture.pluginHarness.nextOffer() : nil
        let before = ProcessSnapshot(of: fixture.process.process)
        let end = withoutDescriptors(fixture.process.process, before) { fixture.make(step, offer) }
        let name = "\(step) while nothing can be opened"
        switch end {
        case .done, .pumps: return nil
        case .refused(.badAnswer, _): throw fixture.ordinary(step, end)
        case .refused(let status, _):
            if let left = left(in: fixture.process.process, since: before) {
                throw .failed(
                    "\(name) answers \(status) and leaves \(left): undo what was done before the "
                        + "failure")
            }
            let again = fixture.make(
                step, step == .initialize ? fixture.pluginHarness.nextOffer() : nil)
            guard again == .done || again == .pumps else {
                throw Verdict(
                    outcome: again.isLoss ? .crashed : .failed,
                    text: "\(step) failed once, and called again "
                        + fixture.verdict(on: "it", again).text, suspect: "lifecycle.whole-life")
            }
            return "\(name) was refused with \(status)"
        case .hangs, .illegal: throw fixture.ordinary(step, end, as: name)
        case .lost:
            throw Verdict(
                outcome: .crashed, text: "in \(name) \(fixture.crash().text)",
                details: fixture.process.lines, suspect: "lifecycle.whole-life")
        }
    }

    /// Runs a body while a process can open no descriptor.
    private static func withoutDescriptors(
        _ process: Int32, _ snapshot: ProcessSnapshot, _ body: () -> PluginHarness.StepEnd
    ) -> PluginHarness.StepEnd {
        // Open descriptors stay usable; limit the lowest free number.
        let lowest = (0...).first { snapshot.descriptors[$0] == nil } ?? 0
        let own = greenroom_descriptor_limit(process)
        guard own > 0, greenroom_limit_descriptors(process, UInt64(lowest)) == 0 else {
            return body()
        }
        defer { _ = greenroom_limit_descriptors(process, UInt64(own)) }
        return body()
    }

    /// The additional threads and descriptors of a process, after time for threads to end; nil if
    /// none.
    private static func left(in process: Int32, since before: ProcessSnapshot) -> String? {
        for _ in 0..<30 {
            let now = ProcessSnapshot(of: process)
            guard
                now.threads.count > before.threads.count
                    || now.descriptors.count > before.descriptors.count
            else { return nil }
            usleep(10_000)
        }
        let now = ProcessSnapshot(of: process)
        let threads = now.threads.count - before.threads.count
        return threads > 0
            ? "\(threads) threads"
            : now.opened(since: before).joined(separator: ", ")
    }

    /// Runs an instance with a missing file, and another instance beside it.
    private static func live(
        without name: String, _ examination: Examination
    ) throws(Verdict) {
        let settings = examination.settings.map { setting in
            var setting = setting
            if setting.name == name { setting.value = .string("/there/is/no/such/file") }
            return setting
        }
        let fixture = try examination.fixture(settings: settings)
        let before = ProcessSnapshot(of: fixture.process.process)
        var made: [LifecycleStep] = []
        for step in [LifecycleStep.create, .initialize, .startSend] {
            let offer = step == .initialize ? fixture.pluginHarness.nextOffer() : nil
            let end = fixture.make(step, offer)
            switch end {
            case .done, .pumps:
                made.append(step)
                continue
            case .lost, .hangs:
                let verdict = fixture.verdict(on: "\(step) without \(name)", end)
                throw Verdict(
                    outcome: verdict.outcome,
                    text: "with \(name) pointing to a missing file \(verdict.text)",
                    details: verdict.details)
            case .refused, .illegal: break
            }
            break
        }
        if made.last == .startSend { try fixture.stopSend() }
        if made.contains(.initialize) { try fixture.uninitialize() }
        if made.contains(.create) { try fixture.destroy() }
        if let left = left(in: fixture.process.process, since: before) {
            throw .failed(
                "a life with \(name) pointing to a missing file leaves \(left): undo what was done before the "
                    + "failure")
        }
        let other = examination.fixture(beside: fixture, number: 1)
        try other.start()
        try other.wait(seconds: 0.2)
        try other.end()
    }
}

extension SharedProcess {
    /// The part of Swift's runtime in which the process crashed; nil if it crashed elsewhere, such
    /// as in the plugin's own code. Dispatch and Foundation stop if they get no descriptor, and a
    /// plugin that uses them cannot prevent that.
    ///
    /// - Parameter library: The plugin's library, which may contain the runtime.
    fileprivate func crashedRuntime(_ library: String) -> String? {
        let own = library.split(separator: "/").last ?? ""
        for frame in crashFrames {
            let file = frame.prefix { $0 != "(" }
            // A fatalError is the fault of its caller.
            if file == "libswiftCore.so" { continue }
            let shared = ["libdispatch.so", "libFoundation.so", "libFoundationEssentials.so"]
            if shared.contains(String(file)) { return String(file) }
            guard file == own else { return nil }
            let place = frame.dropFirst(file.count + 1).prefix { $0 != ")" }
            switch LinkedRuntime(place, in: library) {
            case .core: continue
            case .part(let name): return "\(name), linked into the plugin,"
            case .unnamed: return "code linked into the plugin, as Dispatch is,"
            case nil: return nil
            }
        }
        return nil
    }
}

/// A place in Swift's runtime that was linked into a plugin with `-static-stdlib`.
private enum LinkedRuntime {
    /// The standard library, which stops for its caller.
    case core
    /// Dispatch or Foundation.
    case part(String)
    /// A place without a name, in a library that contains Dispatch.
    case unnamed

    private static let prefixes: [(part: String?, prefixes: [String])] = [
        ("Dispatch", ["_dispatch_", "dispatch_", "$s8Dispatch", "_firehose_", "firehose_"]),
        ("Foundation", ["$s10Foundation", "$s20FoundationEssentials", "_CF", "__CF", "CF"]),
        (nil, ["$ss", "$sS", "swift_", "_swift_"]),
    ]

    /// - Parameters:
    ///   - place: The place, such as `name+0x12`, or `+0x1234` from the library's beginning.
    ///   - library: The path of the library.
    init?(_ place: Substring, in library: String) {
        let parts = place.split(separator: "+", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("0x") else { return nil }
        var name = String(parts[0])
        if name.isEmpty {
            guard let offset = UInt64(parts[1].dropFirst(2), radix: 16),
                let file = try? ELFFile.read(library).get()
            else { return nil }
            guard let found = file.function(at: offset) else {
                guard file.contains("BUG IN CLIENT OF LIBDISPATCH") else { return nil }
                self = .unnamed
                return
            }
            name = found
        }
        guard
            let known = Self.prefixes.first(where: { $0.prefixes.contains(where: name.hasPrefix) })
        else { return nil }
        self = known.part.map(LinkedRuntime.part) ?? .core
    }
}

extension PluginHarness.StepEnd {
    /// Whether the plugin's answer is outside the offer.
    var isBadAnswer: Bool { if case .refused(.badAnswer, _) = self { true } else { false } }

    /// Whether the process is lost.
    var isLoss: Bool { if case .lost = self { true } else { false } }
}
