import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let stopInTime = Check(
        "lifecycle.stop-in-time", "stop-send returns in time",
        proving: """
            stop-send must return within 2 s, including the join of the plugin's threads, at any \
            moment. wait_until_ns and a blocking send return as soon as stop-send begins; a thread \
            that sleeps with sleep() or polls a flag ends late or never.
            """
    ) { examination throws(Verdict) in
        var random = examination.random()
        for seconds in [0.5, Double.random(in: 0.02...0.1, using: &random), 1.25] {
            let fixture = try examination.fixture()
            try fixture.start()
            try fixture.wait(seconds: seconds)
            let end = fixture.make(.stopSend)
            guard end != .done else { continue }
            guard end == .hangs, !fixture.hangsInMedia else {
                return fixture.ordinary(.stopSend, end)
            }
            return .failed(
                "stop-send has not returned 2 s after it was called, \(seconds.short) s after "
                    + "start-send: have its thread wait with wait_until_ns, end it when that is not "
                    + "GR_STATUS_OK, and join it")
        }
        return .passed()
    }
}

extension Double {
    /// The number with two decimals, without trailing zeros.
    var short: String {
        let hundredths = Int((self * 100).rounded())
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}
