import GreenroomNegotiation
import GreenroomSession
import GreenroomPluginInterface

extension Catalogue {
    static let callbacksInTime = Check(
        "lifecycle.callbacks-in-time", "every callback returns in time",
        proving: """
            create, initialize, property_change, setting each live parameter to its current value, \
            uninitialize and destroy must return within 2 s of real time, while the plugin sends \
            where possible. Time that the machine spends on other processes does not count.
            """
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        for step in ["create", "initialize", "start-send"] {
            let end = fixture.make(step, fixture.offerIfAny(for: step))
            if end == .pumps {
                return fixture.ordinary("start-send", end)
            }
            try check(fixture, step, end)
        }
        try fixture.wait(seconds: 0.2)
        if Set.pictures.contains(fixture.kind), let offer = fixture.pluginHarness.nextOffer() {
            try check(
                fixture, "property_change",
                fixture.timed("property-change") { $0.propertyChange(offer) })
        }
        for parameter in fixture.pluginHarness.descriptor.parameters where parameter.isLive {
            guard
                let setting = fixture.pluginHarness.settings.first(where: {
                    $0.name == parameter.name
                })
            else { continue }
            try check(
                fixture, "set of \(setting.name)",
                fixture.timed("set-parameter") { $0.set(setting) })
        }
        for step in ["stop-send", "uninitialize", "destroy"] {
            try check(fixture, step, fixture.make(step))
        }
        return .passed()
    }

    private static func check(
        _ fixture: Fixture, _ step: String, _ end: PluginHarness.StepEnd
    ) throws(Verdict) {
        switch end {
        case .done: return
        // Whether it takes what it is told is judged elsewhere.
        case .refused where step != "create" && step != "initialize" && step != "start-send": return
        case .hangs where step == "start-send" || step == "stop-send":
            throw fixture.ordinary(step, end)
        case .hangs:
            throw .failed(
                "\(step) has not returned after 2 s: do slow work on a thread of the "
                    + "plugin's own")
        case .lost where step == "property_change":
            throw fixture.crash().unless("negotiation.change")
        case .lost where step.hasPrefix("set of"):
            throw fixture.crash().unless("parameter.fuzz")
        default: throw fixture.ordinary(step, end)
        }
    }
}

extension Fixture {
    /// What a session of 1920x1080 at 30 would offer in a step; nil for one without.
    fileprivate func offerIfAny(for step: String) -> Offer? {
        step == "initialize" ? pluginHarness.nextOffer() : nil
    }
}
