import Glibc
import GreenroomModel
import GreenroomLifecycle
import GreenroomIsolation

extension Catalogue {
    static let ungranted = Check(
        "robustness.ungranted", "uses only granted resources",
        rule: "A plugin uses only what it was granted.",
        why: "Operators should know a plugin's needs. It may do without, so this check only warns.",
        measured: """
            Two seconds of real time from create to destroy, and all checks except those \
            of parameters: files, devices, sockets, and anything else that the sandbox \
            refuses.
            """,
        fix: "Grant with --allow-read and the like, or do without."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture(on: .real)
        try fixture.start()
        try fixture.wait(seconds: 2)
        try fixture.end()
        // Refusals may arrive slightly later.
        usleep(100_000)
        return verdict(onRefusals: fixture.process.refusals)
    }

    /// The verdict on accesses that the sandbox denied.
    static func verdict(onRefusals refusals: [String]) -> Verdict {
        guard let first = refusals.first else { return .passed() }
        return .warning(first, Array(refusals.dropFirst().prefix(50)))
    }
}
