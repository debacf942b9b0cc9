import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let parameterDefaults = Check(
        "parameter.defaults", "create's values are in effect",
        rule: "The values that create received are in effect.",
        why: "Otherwise the table describes another default than the plugin uses.",
        measured: """
            Each live parameter is set to create's value before initialize, after it and \
            while sending. It must answer GR_STATUS_OK and must not change the output.
            """,
        fix: "Apply all values in create, and use the table's defaults nowhere else."
    ) { examination throws(Verdict) in
        let live = try examination.liveParameters()
        let first = try examination.fixture()
        let plain = try first.digest(setting: [])
        // Other checks cover the rest of the run.
        if first.clock.isOffClock() {
            throw .skipped("does not use the session clock, so nothing can be compared")
        }
        let settings = live.compactMap { parameter in
            examination.settings.first { $0.name == parameter.name }
        }
        let again = try examination.fixture().digest(setting: [])
        guard plain.difference(from: again) == nil else {
            return .passed("its output differs each time and was not compared")
        }
        guard try examination.lastingDifference(from: plain, setting: settings) != nil else {
            return .passed()
        }
        for setting in settings {
            let found = try examination.lastingDifference(from: plain, setting: [setting])
            guard let difference = found else { continue }
            throw .failed(
                "setting \(setting.words), as create received it, changes its output: "
                    + "\(difference). Apply all settings in create."
            ).unless(first.checkOfLateWriting)
        }
        throw .failed("setting all live parameters to their current values changes its output.")
            .unless(first.checkOfLateWriting)
    }
}

extension Examination {
    /// A difference from a run without changes, present in every attempt; nil if none. A very busy
    /// machine occasionally loses a frame.
    fileprivate func lastingDifference(
        from plain: MediaDigest, setting settings: [PluginSetting]
    ) throws(Verdict) -> String? {
        let made = try fixture().digest(setting: settings)
        guard let difference = plain.difference(from: made) else { return nil }
        let again = try fixture().digest(setting: settings)
        return again.difference(from: made) == nil ? difference : nil
    }
}

extension Fixture {
    /// The check for writes to released frames, which occasionally change other frames.
    fileprivate var checkOfLateWriting: String {
        kind.isFilter ? "pre-processor.planes" : "video.lease-end"
    }

    /// The digest of a run in which parameters are set to their current values.
    fileprivate func digest(setting settings: [PluginSetting]) throws(Verdict) -> MediaDigest {
        try create()
        try set(settings, "after create")
        try initialize(pluginHarness.smallOffer())
        try set(settings, "after initialize")
        let (end, digest) = pluginHarness.perform(record, nanoseconds: 300_000_000)
        if case .lost = end { throw crash() }
        try uninitialize()
        try destroy()
        return digest
    }

    private func set(_ settings: [PluginSetting], _ when: String) throws(Verdict) {
        for setting in settings {
            // A named file may be missing, which is no fault of the parameter.
            let end = pluginHarness.set(setting)
            if case .refused(let status, let text) = end, setting.type != .path {
                throw .failed(
                    "setting \(setting.words) \(when), which is what it has, is answered with "
                        + "\(status): \(text)")
            }
            if case .refused = end { continue }
            try require("set", end, after: setting.words)
        }
    }
}
