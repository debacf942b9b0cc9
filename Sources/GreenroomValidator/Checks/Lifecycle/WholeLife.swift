import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    static let wholeLife = Check(
        "lifecycle.whole-life", "a whole life, step by step",
        rule: "Every step of a life answers GR_STATUS_OK.",
        why: "plugin.h promises this order, and all other checks build on it.",
        measured: """
            create, initialize, start-send, half a second of sending, stop-send, \
            uninitialize, destroy. A source must have sent something that was accepted, or \
            have called give_up.
            """,
        fix: """
            Run the plugin with greenroom preview, and read the reason of the first \
            refused step.
            """
    ) { examination throws(Verdict) in
        try examination.onItsClock { fixture throws(Verdict) in
            try fixture.create()
            try fixture.initialize()
            try fixture.startSend()
            try fixture.wait(seconds: 0.5)
            let sends = fixture.isSource ? try fixture.sends(within: 5) : true
            try fixture.end()
            if sends, fixture.isSource, fixture.accepted == 0 {
                return .warning(
                    "called give_up before a frame or block was accepted: its sending could not be "
                        + "checked")
            }
            if sends { return .passed() }
            return .failed(
                "nothing that it sent in 5 s after start-send was accepted"
                    + "\(fixture.refusals): a source sends from start-send on, until stop-send")
        }
    }
}
