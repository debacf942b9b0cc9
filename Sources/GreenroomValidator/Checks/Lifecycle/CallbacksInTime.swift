import GreenroomHost
import GreenroomLoading

extension Catalogue {
    static let callbacksInTime = Check(
        "lifecycle.callbacks-in-time", "every callback returns in time",
        proving: """
            create, initialize, property_change, the change of each live parameter to the value that \
            it has, uninitialize and destroy return within their deadline of 2 s of real time, while \
            the plugin is sending where that is possible. What the machine takes of that time for \
            others is not counted.
            """
    ) { examination throws(Verdict) in
        let bench = try examination.bench()
        for step in ["create", "initialize", "start-send"] {
            let end = bench.make(step, bench.offerIfAny(for: step))
            if end == .pumps {
                return bench.ordinary("start-send", end)
            }
            try check(bench, step, end)
        }
        try bench.wait(seconds: 0.2)
        if Set.pictures.contains(bench.kind), let offer = bench.rehearsal.nextOffer() {
            try check(
                bench, "property_change",
                bench.timed("property-change") { $0.propertyChange(offer) })
        }
        for parameter in bench.rehearsal.descriptor.parameters where parameter.isLive {
            guard
                let setting = bench.rehearsal.settings.first(where: { $0.name == parameter.name })
            else { continue }
            try check(
                bench, "set of \(setting.name)", bench.timed("set-parameter") { $0.set(setting) })
        }
        for step in ["stop-send", "uninitialize", "destroy"] {
            try check(bench, step, bench.make(step))
        }
        return .passed()
    }

    private static func check(
        _ bench: Bench, _ step: String, _ end: Rehearsal.StepEnd
    ) throws(Verdict) {
        switch end {
        case .done: return
        // Whether it takes what it is told is judged elsewhere.
        case .refused where step != "create" && step != "initialize" && step != "start-send": return
        case .hangs where step == "start-send" || step == "stop-send":
            throw bench.ordinary(step, end)
        case .hangs:
            throw .failed(
                "\(step) has not returned after 2 s: what takes long belongs to a thread of the "
                    + "plugin's own")
        case .lost where step == "property_change":
            throw bench.crash().unless("negotiation.change")
        case .lost where step.hasPrefix("set of"):
            throw bench.crash().unless("parameter.fuzz")
        default: throw bench.ordinary(step, end)
        }
    }
}

extension Bench {
    /// What a session of 1920x1080 at 30 would offer in a step; nil for one without.
    fileprivate func offerIfAny(for step: String) -> Offer? {
        step == "initialize" ? rehearsal.nextOffer() : nil
    }
}
