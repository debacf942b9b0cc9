import GreenroomModel
import Glibc
import GreenroomHarness
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let quiet = Check(
        "load.quiet", "loading has no side effects", needsLibrary: true,
        rule: "Loading has no side effects.",
        why: "Hosts load libraries just to list them.",
        measured: """
            After loading and reading the descriptors: no new thread, open file, socket or \
            device, no caught or ignored signal, and no call that the sandbox refused. A \
            granted resource that is opened and closed in between is not seen.
            """,
        fix: "Open from initialize on what the plugin needs."
    ) { examination throws(Verdict) in
        let process = try examination.emptyProcess()
        let before = ProcessSnapshot(of: process.process)
        try examination.load(into: process)
        let after = ProcessSnapshot(of: process.process)
        let started = after.threads.subtracting(before.threads).count
        guard started == 0 else {
            throw .failed(
                "loading it starts \(started) thread\(started == 1 ? "" : "s"). Start them in "
                    + "start_send, and end them in stop_send.")
        }
        let opened = after.opened(since: before)
        guard opened.isEmpty else {
            throw .failed(
                "loading it opens \(opened.listed(most: 3)), and leaves it open. Open what is "
                    + "needed in initialize or start_send.", opened)
        }
        let signals = [
            (after.caughtSignals & ~before.caughtSignals, "catches"),
            (after.ignoredSignals & ~before.ignoredSignals, "ignores"),
        ]
        for (mask, verb) in signals where mask != 0 {
            throw .failed(
                "loading it changes signal handling: the process \(verb) signal \(mask.trailingZeroBitCount + 1). "
                    + "Signals are the host's: leave them as they are.")
        }
        // Refusals and output may arrive slightly later than the answer.
        usleep(20_000)
        // Drop the grant in the line, which would not help.
        let attempts = process.refusals.map { line in
            String(line[..<(line.firstRange(of: ": ")?.lowerBound ?? line.endIndex)])
        }
        if let attempt = attempts.first {
            throw .failed(
                "while it is loaded, \(attempt). Do nothing before initialize.", attempts)
        }
        let remarks =
            after.dataFiles.subtracting(before.dataFiles).sorted().map { "loading it maps \($0)." }
            + process.lines.map { "while it is loaded, it writes: \($0)" }
        guard let first = remarks.first else { return .passed() }
        return .warning(first, Array(remarks.dropFirst()))
    }

    static let steadfast = Check(
        "load.steadfast", "descriptors never change",
        rule: "The entry and the descriptors never change.",
        why: """
            The host keeps pointers to them: they stay valid and unchanged for as long as \
            the process lives.
            """,
        measured: "Three processes, a second call, and an instance's whole life.",
        fix: "Use static constants."
    ) { examination throws(Verdict) in
        for _ in 0..<2 { _ = try examination.load(into: try examination.emptyProcess()) }
        let process = try examination.emptyProcess()
        let first = try examination.load(into: process)
        try Self.compare(first, with: process, "asked again")
        let fixture = examination.fixture(in: process)
        try fixture.create()
        try Self.compare(first, with: process, "asked after create")
        try fixture.initialize()
        try fixture.startSend()
        try fixture.wait(seconds: 0.5)
        try fixture.stopSend()
        let end = fixture.make(.uninitialize)
        guard end == .done else {
            return fixture.ordinary(.uninitialize, end).unless("lifecycle.initialize-only")
        }
        try fixture.destroy()
        try Self.compare(first, with: process, "asked after destroy")
        return .passed()
    }

    private static func compare(
        _ first: LibraryDescription, with process: SharedProcess, _ when: String
    ) throws(Verdict) {
        let again: LibraryDescription
        do throws(LoadError) {
            again = try process.load()
        } catch {
            throw .failed("\(when), it breaks a rule that it followed before: \(error.explanation)")
        }
        guard let difference = first.difference(from: again) else { return }
        throw .failed(
            "\(when), its description changed: \(difference). Keep what a descriptor points "
                + "to in static memory, and never write to it.")
    }
}

extension LibraryDescription {
    /// A difference from another description; nil if none.
    fileprivate func difference(from other: LibraryDescription) -> String? {
        guard descriptors.count == other.descriptors.count else {
            return "\(descriptors.count) plugins became \(other.descriptors.count)"
        }
        for (before, after) in zip(descriptors, other.descriptors) where before != after {
            let texts = [
                ("id", before.id, after.id), ("name", before.name, after.name),
                ("version", before.version, after.version),
                ("summary", before.summary, after.summary),
                ("kind", before.kind.name, after.kind.name),
            ]
            for (name, before, after) in texts where before != after {
                return "the \(name) \"\(before)\" became \"\(after)\""
            }
            let pair = zip(before.parameters, after.parameters).first { $0 != $1 }
            return pair.map { "the parameter \($0.0.name) changed" }
                ?? "\(before.name) has other parameters, or another vendor or url"
        }
        return minorVersion == other.minorVersion
            ? nil : "abi_minor \(minorVersion) became \(other.minorVersion)"
    }
}
