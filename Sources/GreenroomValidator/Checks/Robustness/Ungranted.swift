import Glibc
import GreenroomModel
import GreenroomLifecycle
import GreenroomIsolation

extension Catalogue {
    static let ungranted = Check(
        "robustness.ungranted", "uses only granted resources",
        proving: """
            From create to destroy, with two seconds of sending in real time, and in all other \
            checks but those of parameters, the plugin must open no file, device or socket without a \
            grant, and try nothing else that its sandbox refuses. A warning, as a plugin may try \
            and do without; but operators should know what it wants. Grant with --allow-read and the \
            like, as a session file does.
            """
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
