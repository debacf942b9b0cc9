import GreenroomModel
import GreenroomABI
import GreenroomHarness
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    static let withheldExtension = Check(
        "lifecycle.withheld-extension", "a host without extensions",
        of: .pausing,
        rule: "A share works under a host without greenroom.broadcast/1.",
        why: """
            "Call get_extension; NULL means no": older hosts have fewer extensions.
            """,
        measured: """
            A host that returns NULL for this extension. Outputs and calls are excused, \
            because only hosts that offer their extension load them.
            """,
        fix: "Test the pointer before each use."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture(withholding: GR_EXT_BROADCAST)
        let cure = "accept NULL from get_extension, and work without it"
        for step in [LifecycleStep.create, .initialize, .startSend] {
            let offer = step == .initialize ? fixture.pluginHarness.nextOffer() : nil
            let end = fixture.make(step, offer)
            if end == .done || end == .pumps { continue }
            try throwCrash(fixture)
            if case .refused(let status, let text) = end {
                return .warning(
                    "\(step) answers \(status) without \(GR_EXT_BROADCAST): \(text). Hosts that "
                        + "have no such extension can't use it"
                ).unless("lifecycle.whole-life")
            }
            return fixture.ordinary(step, end, as: "\(step) without \(GR_EXT_BROADCAST)")
        }
        _ = fixture.pluginHarness.wait(nanoseconds: 1_500_000_000)
        try throwCrash(fixture)
        guard try fixture.sends(within: 5) else {
            return .failed("sends nothing without \(GR_EXT_BROADCAST): \(cure)")
                .unless("lifecycle.whole-life")
        }
        for step in LifecycleStep.ending {
            let end = fixture.make(step)
            if end == .done { continue }
            try throwCrash(fixture)
            return fixture.ordinary(step, end, as: "\(step) without \(GR_EXT_BROADCAST)")
        }
        return .passed()
    }

    private static func throwCrash(_ fixture: Fixture) throws(Verdict) {
        guard fixture.pluginHarness.fault != nil else { return }
        let crash = fixture.crash()
        throw Verdict(
            outcome: .crashed,
            text: "without \(GR_EXT_BROADCAST) \(crash.text): accept NULL from get_extension",
            details: crash.details, suspect: "lifecycle.whole-life")
    }
}
