import GreenroomABI
import GreenroomHarness
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let parameterUnknown = Check(
        "parameter.unknown", "unknown parameters are refused",
        rule: "Unknown parameters are refused.",
        why: """
            A later host may ask for a parameter that an older plugin lacks, and must \
            learn that.
            """,
        measured: """
            greenroom.live-parameters/1 with unknown names and with names that are not \
            live, after create, after initialize and while sending. It must not answer \
            GR_STATUS_OK; GR_STATUS_BAD_SETTING is best.
            """,
        fix: "Return GR_STATUS_BAD_SETTING for every other name."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        let (asked, address) = fixture.pluginHarness.ask(forExtension: GR_EXT_LIVE_PARAMETERS)
        guard asked == .done, address != nil else { throw .skipped("has no live parameters") }
        let settings = unknownSettings(examination)
        try fixture.refuse(settings, "after create")
        try fixture.initialize(fixture.pluginHarness.smallOffer())
        try fixture.refuse(settings, "after initialize")
        try fixture.startSend()
        try fixture.wait(seconds: 0.1)
        try fixture.refuse(settings, "while it sends")
        try fixture.end(after: "unknown parameters")
        return .passed()
    }

    private static func unknownSettings(
        _ examination: Examination
    ) -> [(setting: PluginSetting, why: String)] {
        let parameters = examination.descriptor.parameters
        let names =
            ["no-such-setting", "", String(repeating: "x", count: 4096)]
            + parameters.prefix(3).flatMap { ["\($0.name)-", $0.name.uppercased()] }
        let unknown = names.filter { name in !parameters.contains { $0.name == name } }.map {
            name in
            // A value of a type whose members may all be read.
            (PluginSetting(name: name, type: .string, value: .string("1")), "has no such parameter")
        }
        let fixed = examination.settings.filter { setting in
            parameters.contains { $0.name == setting.name && !$0.isLive }
        }
        return unknown + fixed.map { ($0, "that parameter is not live") }
    }
}

extension Fixture {
    /// Sets a parameter that cannot be set.
    fileprivate func refuse(
        _ settings: [(setting: PluginSetting, why: String)], _ when: String
    ) throws(Verdict) {
        for (setting, why) in settings {
            switch pluginHarness.setUnchecked(setting) {
            case .refused: continue
            case .done:
                throw .failed(
                    "set(\(setting.name.quoted)) \(when) is answered with OK, and \(why). Answer "
                        + "GR_STATUS_BAD_SETTING.")
            case let end: try require("set", end, after: setting.name.quoted)
            }
        }
    }
}
