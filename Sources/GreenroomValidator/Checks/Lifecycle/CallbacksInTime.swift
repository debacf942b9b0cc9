import GreenroomModel
import GreenroomHarness
import GreenroomMedia
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomPluginInterface

extension Catalogue {
    static let callbacksInTime = Check(
        "lifecycle.callbacks-in-time", "every callback returns in time",
        rule: """
            create, initialize, property_change, a setting, uninitialize and destroy \
            return within 2 s.
            """,
        why: "A plugin that takes longer counts as hanging and is restarted.",
        measured: """
            Each callback, if possible while the plugin sends; live parameters are set to \
            their current values. Time that the machine spends on other processes does not \
            count.
            """,
        fix: "Move slow work to the plugin's thread."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        for step in [LifecycleStep.create, .initialize, .startSend] {
            let end = fixture.make(step, fixture.offerIfAny(for: step))
            if end == .pumps {
                return fixture.ordinary(.startSend, end)
            }
            try check(fixture, step, end)
        }
        try fixture.wait(seconds: 0.2)
        if Set.videoSources.union(Set.filters).contains(fixture.kind),
            let offer = fixture.pluginHarness.nextOffer()
        {
            try check(
                fixture, .propertyChange,
                fixture.timed(.propertyChange) { $0.propertyChange(offer) }, as: "property_change")
        }
        for parameter in fixture.pluginHarness.descriptor.parameters where parameter.isLive {
            guard
                let setting = fixture.pluginHarness.settings.first(where: {
                    $0.name == parameter.name
                })
            else { continue }
            try check(
                fixture, .setParameter, fixture.timed(.setParameter) { $0.set(setting) },
                as: "set of \(setting.name)")
        }
        for step in LifecycleStep.ending {
            try check(fixture, step, fixture.make(step))
        }
        return .passed()
    }

    private static func check(
        _ fixture: Fixture, _ step: LifecycleStep, _ end: PluginHarness.StepEnd,
        as name: String? = nil
    ) throws(Verdict) {
        switch end {
        case .done: return
        // Another check reports whether the plugin accepts the value.
        case .refused where step != .create && step != .initialize && step != .startSend: return
        case .hangs where step == .startSend || step == .stopSend:
            throw fixture.ordinary(step, end)
        case .hangs:
            throw .failed(
                "\(name ?? step.rawValue) has not returned after 2 s: do slow work on a thread of the "
                    + "plugin's own")
        case .lost where step == .propertyChange:
            throw fixture.crash().unless(
                fixture.kind.isFilter ? "pre-processor.property-change" : "negotiation.change")
        case .lost where step == .setParameter:
            throw fixture.crash().unless("parameter.fuzz")
        default: throw fixture.ordinary(step, end, as: name)
        }
    }
}

extension Fixture {
    /// The offer of a 1920x1080@30 session for a step; nil if the step has no offer.
    fileprivate func offerIfAny(for step: LifecycleStep) -> Offer? {
        step == .initialize ? pluginHarness.nextOffer() : nil
    }
}
