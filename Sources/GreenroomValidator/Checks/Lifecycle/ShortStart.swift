import Glibc
import GreenroomHost

extension Catalogue {
    static let shortStart = Check(
        "lifecycle.short-start", "a stop right after a start",
        proving: """
            stop-send 0 to 10 ms after start-send, before the plugin's threads have come far: it \
            returns in time, and nothing is sent after it. A thread that says itself that it runs \
            forgets a stop that came before it had said so.
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
            try bench.uninitialize()
            try bench.destroy()
        }
        return .passed()
    }
}
