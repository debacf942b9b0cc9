import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let parameterBounds = Check(
        "parameter.bounds", "every boundary value works",
        rule: "Every value that the table allows works.",
        why: "Session files rely on the table.",
        measured: """
            Minimum, maximum, both booleans and each choice: in create with a short life, \
            and live while sending. A refusal with a reason is a warning, but BAD_SETTING \
            has to name a given file.
            """,
        fix: "Narrow the bounds in the table to what the plugin accepts."
    ) { examination throws(Verdict) in
        guard examination.descriptor.parameters.contains(where: { !$0.edges.isEmpty }) else {
            throw .skipped("has no bounded parameters, booleans or choices")
        }
        let files = examination.settings.compactMap { setting -> String? in
            guard setting.type == .path, case .string(let path) = setting.value, !path.isEmpty
            else { return nil }
            return path
        }
        let first = try examination.fixture()
        try first.startSmall()
        // Another check stops directly after the start.
        try first.wait(seconds: 0.1)
        var remarks: [String] = []
        for parameter in examination.descriptor.parameters where parameter.isLive {
            for value in parameter.edges {
                let setting = PluginSetting(parameter, value)
                try first.take(
                    "set", first.pluginHarness.set(setting), of: setting, files, &remarks)
                if let fault = first.pluginHarness.wait(nanoseconds: 50_000_000) {
                    try first.require("sending", .lost(fault), after: setting.words)
                }
            }
        }
        try first.end(after: "every value at an edge")
        var number = 0
        for parameter in examination.descriptor.parameters {
            for value in parameter.edges {
                number += 1
                let setting = PluginSetting(parameter, value)
                let fixture = examination.fixture(
                    beside: first, number: number,
                    settings: examination.settings.with(value, for: parameter))
                try fixture.liveShortly(with: setting, files, &remarks)
            }
        }
        guard let remark = remarks.first else {
            return .passed("\(number) value\(number == 1 ? "" : "s")")
        }
        return .warning(remark, Array(remarks.dropFirst()))
    }
}

extension Fixture {
    /// Runs a plugin with an allowed value, to its end or until the plugin refuses with a reason.
    fileprivate func liveShortly(
        with setting: PluginSetting, _ files: [String], _ remarks: inout [String]
    ) throws(Verdict) {
        let steps: [(String, () -> PluginHarness.StepEnd)] = [
            ("create", { [pluginHarness] in pluginHarness.create() }),
            (
                "initialize",
                { [pluginHarness] in pluginHarness.initialize(pluginHarness.smallOffer()) }
            ),
            ("start-send", { [pluginHarness] in pluginHarness.startSend() }),
        ]
        for (index, (name, step)) in steps.enumerated() {
            guard try take(name, step(), of: setting, files, &remarks) else {
                if index > 0 { try leave(from: index, after: setting.words) }
                return
            }
        }
        if let fault = pluginHarness.wait(nanoseconds: 100_000_000) {
            try require("sending", .lost(fault), after: setting.words)
        }
        try end(after: setting.words)
    }

    private func leave(from step: Int, after cause: String) throws(Verdict) {
        if step > 1 { try require("uninitialize", pluginHarness.uninitialize(), after: cause) }
        try require("destroy", pluginHarness.destroy(), after: cause)
    }

    /// Checks a step with an allowed value.
    ///
    /// - Parameter files: The paths in the settings. A value may not fit a file, such as a time after its end.
    /// - Returns: Whether it was accepted; if not, adds a remark.
    @discardableResult
    fileprivate func take(
        _ step: String, _ end: PluginHarness.StepEnd, of setting: PluginSetting, _ files: [String],
        _ remarks: inout [String]
    ) throws(Verdict) -> Bool {
        guard case .refused(let status, let reason) = end else {
            try require(step, end, after: setting.words)
            return true
        }
        // A value may need a missing device, file or other setting.
        let doesNotFit = files.contains { "\(reason)".contains($0) }
        guard status != .badSetting || doesNotFit, !reason.isMissing else {
            throw .failed(
                "\(step) answers \(status) to \(setting.words), which its table allows (\(reason)). "
                    + "Take the value, or have the table say what is legal.")
        }
        remarks.append("\(step) answers \(status) to \(setting.words): \(reason)")
        return false
    }
}
