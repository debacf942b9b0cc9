import GreenroomHarness

extension Catalogue {
    static let outputCalls = Check(
        "output.calls", "values, states and ceilings are accepted", of: .outputs,
        rule: "An output's reports, states and ceilings are valid, so that the host accepts them.",
        why: "After a refusal, the value, the state or the ceiling is missing in the session.",
        measured: "2 s of media; the answer to each `report`, `state` and `set_ceiling`.",
        fix: "Read the refusal's text: it names the argument and the allowed values."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.startOutput()
        try fixture.wait(seconds: 2)
        try fixture.end()
        let calls = fixture.record.calls.filter(\.isOfOutputControl)
        let refused = calls.filter { $0.refusal != nil }
        guard let first = refused.first, let refusal = first.refusal else {
            return calls.isEmpty ? .passed() : .passed("\(calls.count) calls")
        }
        return .failed(
            "\(refused.count) of \(calls.count) calls of report, state and set_ceiling are refused. "
                + "The first, \(first.name): \(refusal)")
    }
}

extension TracedCall {
    /// Whether the call reports a value, a state or a ceiling.
    fileprivate var isOfOutputControl: Bool {
        switch request {
        case .report, .setCeiling, .outputState: true
        default: false
        }
    }
}
