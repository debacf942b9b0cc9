import Glibc
import GreenroomHost

extension Catalogue {
    static let shortStart = Check(
        "lifecycle.short-start", "a stop right after a start",
        proving: """
            stop-send 0 to 10 ms after start-send, six times, before the plugin's threads have come \
            far: it returns in time, and nothing is sent in the tenth of a second after it (of real \
            time, and of the session's). A thread that says itself that it runs forgets a stop that \
            came before it had said so.
            """
    ) { examination throws(Verdict) in
        var random = examination.random()
        for round in 0..<6 {
            let bench = try examination.bench()
            try bench.create()
            try bench.initialize(bench.rehearsal.nextOffer(maximum: .small))
            try bench.startSend()
            let milliseconds = round == 0 ? 0 : Double.random(in: 0...10, using: &random)
            // In turns: threads get that far in real time, or in time of the session.
            if round.isMultiple(of: 2) {
                usleep(UInt32(milliseconds * 1000))
            } else {
                try bench.wait(seconds: milliseconds / 1000)
            }
            let end = bench.make("stop-send")
            guard end == .done else {
                let name = "stop-send \(milliseconds.short) ms after start-send"
                return end == .hangs
                    ? bench.ordinary("stop-send", end, as: name) : bench.verdict(on: name, end)
            }
            let before = bench.record.calls.count
            usleep(100_000)
            try bench.wait(seconds: 0.1)
            let later = bench.record.calls[before...].filter(\.isSend)
            if let call = later.first {
                return .failed(
                    "it called \(call.name) \(later.count) times after a stop-send that came "
                        + "\(milliseconds.short) ms after start-send had returned: stop-send joins a "
                        + "thread that has hardly begun, too"
                ).unless("lifecycle.silent-after-stop")
            }
            try bench.uninitialize()
            try bench.destroy()
        }
        return .passed()
    }
}
