import GreenroomModel
import Glibc
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let shortStart = Check(
        "lifecycle.short-start", "stop-send right after start-send",
        rule: "stop-send works immediately after start-send.",
        why: """
            A thread that sets its flag "running" itself overwrites an earlier stop, and \
            sends for ever.
            """,
        measured: """
            Six times, 0 to 10 ms after start-send: stop-send must return in time, and \
            nothing may be sent for 0.1 s of real and session time.
            """,
        fix: "Set the flag in start-send, before the thread starts."
    ) { examination throws(Verdict) in
        var random = examination.random()
        for round in 0..<6 {
            let fixture = try examination.fixture()
            try fixture.initializeSmall()
            try fixture.startSend()
            let milliseconds = round == 0 ? 0 : Double.random(in: 0...10, using: &random)
            // Alternate: threads advance in real time, or in session time.
            if round.isMultiple(of: 2) {
                usleep(UInt32(milliseconds * 1000))
            } else {
                try fixture.wait(seconds: milliseconds / 1000)
            }
            let end = fixture.make(.stopSend)
            guard end == .done else {
                let name = "stop-send \(milliseconds.short) ms after start-send"
                return end == .hangs
                    ? fixture.ordinary(.stopSend, end, as: name) : fixture.verdict(on: name, end)
            }
            let before = fixture.record.calls.count
            usleep(100_000)
            try fixture.wait(seconds: 0.1)
            let later = fixture.record.calls[before...].filter(\.isSend)
            if let call = later.first {
                return .failed(
                    "called \(call.name) \(later.count) times after a stop-send that came "
                        + "\(milliseconds.short) ms after start-send had returned: stop-send joins a "
                        + "thread that has hardly begun, too"
                ).unless("lifecycle.silent-after-stop")
            }
            try fixture.uninitialize()
            try fixture.destroy()
        }
        return .passed()
    }
}
