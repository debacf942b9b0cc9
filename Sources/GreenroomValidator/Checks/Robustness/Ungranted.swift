import Glibc
import GreenroomSession
import GreenroomIsolation

extension Catalogue {
    static let ungranted = Check(
        "robustness.ungranted", "it asks for nothing that was not granted",
        proving: """
            From create to destroy, with a second of sending, the plugin opens no file, device or \
            socket that nobody has granted, and tries nothing else that its sandbox refuses. A \
            warning, for a plugin may ask and do without; whoever puts it on air should know what \
            it wants. Grants are made with --allow-read and the like, as a session file makes them.
            """
    ) { examination throws(Verdict) in
        try examination.onItsClock { fixture throws(Verdict) in
            try fixture.start()
            try fixture.wait(seconds: 1)
            try fixture.end()
            // What was refused may be told a little later.
            usleep(100_000)
            let attempts = fixture.process.refusals
            guard let attempt = attempts.first else { return .passed() }
            return .warning(attempt, Array(attempts.dropFirst()))
        }
    }
}
