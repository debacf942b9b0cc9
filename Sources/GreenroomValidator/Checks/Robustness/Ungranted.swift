import Glibc
import GreenroomSession
import GreenroomIsolation

extension Catalogue {
    static let ungranted = Check(
        "robustness.ungranted", "it uses only what was granted",
        proving: """
            From create to destroy, with a second of sending, the plugin must open no file, device \
            or socket without a grant, and try nothing else that its sandbox refuses. A warning, \
            as a plugin may try and do without; but operators should know what it wants. Grant \
            with --allow-read and the like, as a session file does.
            """
    ) { examination throws(Verdict) in
        try examination.onItsClock { fixture throws(Verdict) in
            try fixture.start()
            try fixture.wait(seconds: 1)
            try fixture.end()
            // Refusals may arrive slightly later.
            usleep(100_000)
            let attempts = fixture.process.refusals
            guard let attempt = attempts.first else { return .passed() }
            return .warning(attempt, Array(attempts.dropFirst()))
        }
    }
}
