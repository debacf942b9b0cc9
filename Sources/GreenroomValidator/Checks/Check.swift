import GreenroomMedia

/// A rule for plugins, and the function that checks it.
struct Check: Sendable {
    /// The subject of a check.
    enum Way: Sendable {
        /// A plugin of a loadable library.
        case plugin(@Sendable (Examination) throws(Verdict) -> Verdict)
        /// A library, loadable or not.
        case library(@Sendable (LibraryExamination) throws(Verdict) -> Verdict)
    }

    /// The group and the name, e.g. `lifecycle.restart`.
    var id: String
    /// A short title.
    var title: String
    /// The behaviour that a plugin must have.
    var rule: String
    /// The reason for the rule.
    var why: String
    /// The samples and the limits of the check.
    var measured: String
    /// The usual change that satisfies the rule.
    var fix: String
    /// The kinds of plugins that the check applies to.
    var kinds: Set<PluginKind>
    /// The check's time limit, in seconds of real time on a busy machine.
    var limitSeconds: Double
    /// Whether the check has no meaning for a script, which no host loads into its process.
    var needsLibrary: Bool
    /// Runs the check.
    var way: Way

    init(
        _ id: String, _ title: String, of kinds: Set<PluginKind> = Set(PluginKind.allCases),
        limitSeconds: Double = 60, needsLibrary: Bool = false, rule: String, why: String,
        measured: String, fix: String,
        run: @escaping @Sendable (Examination) throws(Verdict) -> Verdict
    ) {
        self.id = id
        self.title = title
        self.rule = rule
        self.why = why
        self.measured = measured
        self.fix = fix
        self.kinds = kinds
        self.limitSeconds = limitSeconds
        self.needsLibrary = needsLibrary
        way = .plugin(run)
    }

    /// Creates a check of a library, loadable or not.
    init(
        ofLibrary id: String, _ title: String, limitSeconds: Double = 60,
        rule: String, why: String, measured: String, fix: String,
        run: @escaping @Sendable (LibraryExamination) throws(Verdict) -> Verdict
    ) {
        self.id = id
        self.title = title
        self.rule = rule
        self.why = why
        self.measured = measured
        self.fix = fix
        kinds = Set(PluginKind.allCases)
        self.limitSeconds = limitSeconds
        needsLibrary = true
        way = .library(run)
    }

    /// Whether the check applies to a library that cannot be loaded.
    var isOfLibrary: Bool {
        if case .library = way { true } else { false }
    }

    /// The check's group, such as `lifecycle`.
    var group: String { String(id.prefix { $0 != "." }) }
}

extension Set<PluginKind> {
    /// Kinds that edit frames.
    static var filters: Self { Self(PluginKind.allCases.filter(\.isFilter)) }
    /// Kinds that edit audio.
    static var audioFilters: Self { Self(PluginKind.allCases.filter(\.isAudioFilter)) }
    /// Kinds that receive the session's media.
    static var outputs: Self { Self(PluginKind.allCases.filter(\.isOutput)) }
    /// Kinds that add participants.
    static var calls: Self { Self(PluginKind.allCases.filter(\.isCall)) }
    /// Kinds that choose one of the rows of an offer.
    static var cameras: Self { Self(PluginKind.allCases.filter { $0.offerRule == .rows }) }
    /// Kinds that choose any size up to an offer's.
    static var shares: Self { Self(PluginKind.allCases.filter { $0.offerRule == .upTo }) }
    /// Kinds that may announce a pause.
    static var pausing: Self { Self(PluginKind.allCases.filter(\.facts.canPause)) }
    /// Kinds that send video.
    static var videoSources: Self { Self(PluginKind.allCases.filter { $0.sender == .video }) }
    /// Kinds that send audio.
    static var audioSources: Self { Self(PluginKind.allCases.filter { $0.sender == .audio }) }
    /// Kinds that send.
    static var senders: Self { videoSources.union(audioSources) }
}

/// The result of a check, thrown early or returned.
struct Verdict: Error, Sendable {
    var outcome: Outcome
    var text: String
    var details: [String] = []
    var costs: [ConformanceReport.Cost] = []
    /// The check that names the fault. If that check finds the fault, this check was only blocked.
    var suspect: String?
    /// Whether the check could not run and found no fault of its own.
    var isHindered = false

    /// The verdict, unless another check finds a fault: then that fault caused this one.
    func unless(_ check: String) -> Verdict {
        var verdict = self
        verdict.suspect = check
        return verdict
    }

    static func passed(_ text: String = "") -> Verdict { Verdict(outcome: .passed, text: text) }
    static func failed(_ text: String, _ details: [String] = []) -> Verdict {
        Verdict(outcome: .failed, text: text, details: details)
    }
    static func warning(_ text: String, _ details: [String] = []) -> Verdict {
        Verdict(outcome: .warning, text: text, details: details)
    }
    static func skipped(_ text: String, _ details: [String] = []) -> Verdict {
        Verdict(outcome: .skipped, text: text, details: details)
    }
    static func notProven(_ text: String) -> Verdict { Verdict(outcome: .notProven, text: text) }
    static func crashed(_ evidence: String, _ details: [String] = []) -> Verdict {
        Verdict(outcome: .crashed, text: evidence, details: details)
    }

    /// The verdict if the check could not run because of a fault that another check names. If that
    /// check finds nothing, the result is unknown.
    static func hindered(by check: String, _ fault: String) -> Verdict {
        var verdict = Verdict(outcome: .failed, text: fault).unless(check)
        verdict.isHindered = true
        return verdict
    }
}
