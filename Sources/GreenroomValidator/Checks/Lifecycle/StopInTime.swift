import GreenroomModel
import GreenroomHarness
import GreenroomLifecycle

extension Catalogue {
    static let stopInTime = Check(
        "lifecycle.stop-in-time", "stop-send returns in time",
        rule: "stop-send returns within 2 s, including the join of the plugin's threads.",
        why: "The host counts a plugin that takes longer as hanging, and kills its process.",
        measured: "stop-send at several moments of sending.",
        fix: """
            Wait with wait_until_ns or a blocking send, because both return as soon as \
            stop-send begins. sleep() and polled flags end late or never.
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
