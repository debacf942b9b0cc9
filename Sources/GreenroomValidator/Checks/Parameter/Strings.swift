import GreenroomLifecycle
import GreenroomHarness
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let parameterStrings = Check(
        "parameter.strings", "texts and paths may hold anything",
        rule: "Texts and paths may contain anything.",
        why: "People write session files, and mistakes are common.",
        measured: """
            Each text and path of create: empty, 4 KB, format directives, control \
            characters, other scripts; a missing file, a folder, another type. The plugin \
            may refuse with a reason, but not crash or hang.
            """,
        fix: "Check the value, and never use it as a format string."
    ) { examination throws(Verdict) in
        let parameters = examination.descriptor.parameters.filter {
            $0.type == .string || $0.type == .path
        }
        guard !parameters.isEmpty else { throw .skipped("has no text or path parameters") }
        let first = try examination.fixture()
        var number = 0
        var remarks: [String] = []
        for parameter in parameters {
            for text in parameter.hostileTexts(examination) {
                number += 1
                let setting = PluginSetting(parameter, .string(text))
                let fixture = examination.fixture(
                    beside: first, number: number,
                    settings: examination.settings.with(.string(text), for: parameter))
                if let remark = try fixture.endureShortly(setting) { remarks.append(remark) }
            }
        }
        guard let remark = remarks.first else { return .passed("\(number) texts") }
        return .warning(remark, Array(remarks.dropFirst()))
    }
}

extension Parameter {
    /// The hostile texts for the parameter; empty if it is neither a text nor a path.
    func hostileTexts(_ examination: Examination) -> [String] {
        switch type {
        case .string: Self.hostileTexts
        case .path: Self.hostilePaths + [examination.library]
        case .boolean, .integer, .number, .choice: []
        }
    }

    private static let hostileTexts = [
        "", " ", String(repeating: "x", count: 4096), "%s%n%d%x", "../../../../etc/passwd",
        "\u{1}\u{1B}[2J\r\n\t", "Ünï\u{301} 漢字 🎬 \u{202E}abc", "\"'`$(exit 1);\\", "-1", "null",
    ]

    private static let hostilePaths = [
        "/nowhere/at-all/\u{1F3AC}.file", "/", "/\(String(repeating: "x", count: 4095))",
        "/\(String(repeating: "y/", count: 1000))z", "/dev/null", "/%s%n",
    ]
}

extension Fixture {
    /// Runs the plugin while it accepts the value.
    ///
    /// - Returns: A hint for the author; nil if none.
    fileprivate func endureShortly(_ setting: PluginSetting) throws(Verdict) -> String? {
        let cause = setting.words
        if let remark = try endure("create", pluginHarness.create(), cause) { return remark.text }
        if let remark = try endure(
            "initialize", pluginHarness.initialize(pluginHarness.smallOffer()), cause)
        {
            try require("destroy", pluginHarness.destroy(), after: cause)
            return remark.text
        }
        if let remark = try endure("start-send", pluginHarness.startSend(), cause) {
            try require("uninitialize", pluginHarness.uninitialize(), after: cause)
            try require("destroy", pluginHarness.destroy(), after: cause)
            return remark.text
        }
        if let fault = pluginHarness.wait(nanoseconds: 100_000_000) {
            try require("sending", .lost(fault), after: cause)
        }
        try end(after: cause)
        return nil
    }

    /// - Returns: Set if the plugin refused; the text if it gave no reason.
    private func endure(
        _ step: String, _ end: PluginHarness.StepEnd, _ cause: String
    ) throws(Verdict) -> (text: String?, ())? {
        guard case .refused(let status, let reason) = end else {
            try require(step, end, after: cause)
            return nil
        }
        return (
            reason.isMissing
                ? "\(step) answers \(status) to \(cause) without a reason. Give the reason with set_error."
                : nil, ()
        )
    }
}
