import GreenroomMedia

/// A rule that plugins keep, and how to find out whether one does.
struct Check: Sendable {
    /// What is looked at.
    enum Way: Sendable {
        /// A plugin of a library that can be loaded.
        case plugin(@Sendable (Examination) throws(Verdict) -> Verdict)
        /// A library, whether it can be loaded or not.
        case library(@Sendable (LibraryExamination) throws(Verdict) -> Verdict)
    }

    /// Group and name, e.g. `lifecycle.restart`.
    var id: String
    /// What it is about, in a few words.
    var title: String
    /// What it proves, and which rule it stands for.
    var explanation: String
    /// What plugins it concerns.
    var kinds: Set<PluginKind>
    /// How long it may take, in seconds of real time on a machine that is busy with other things.
    var limitSeconds: Double
    /// Finds out.
    var way: Way

    init(
        _ id: String, _ title: String, of kinds: Set<PluginKind> = Set(PluginKind.allCases),
        limitSeconds: Double = 60, proving explanation: String,
        run: @escaping @Sendable (Examination) throws(Verdict) -> Verdict
    ) {
        self.id = id
        self.title = title
        self.explanation = explanation
        self.kinds = kinds
        self.limitSeconds = limitSeconds
        way = .plugin(run)
    }

    /// Makes a check of a library, whatever is in it.
    init(
        ofLibrary id: String, _ title: String, limitSeconds: Double = 60,
        proving explanation: String,
        run: @escaping @Sendable (LibraryExamination) throws(Verdict) -> Verdict
    ) {
        self.id = id
        self.title = title
        self.explanation = explanation
        kinds = Set(PluginKind.allCases)
        self.limitSeconds = limitSeconds
        way = .library(run)
    }

    /// Whether it can be made of a library that can't be loaded.
    var isOfLibrary: Bool {
        if case .library = way { true } else { false }
    }

    /// `lifecycle`, …
    var group: String { String(id.prefix { $0 != "." }) }
}

extension Set<PluginKind> {
    /// Kinds that edit frames.
    static var filters: Self { Self(PluginKind.allCases.filter(\.isFilter)) }
    /// Kinds that choose one of the rows of an offer.
    static var cameras: Self { Self(PluginKind.allCases.filter { $0.offerRule == .rows }) }
    /// Kinds that choose any size up to an offer's.
    static var shares: Self { Self(PluginKind.allCases.filter { $0.offerRule == .upTo }) }
    /// Kinds that may say that nothing new comes for now.
    static var pausing: Self { Self(PluginKind.allCases.filter(\.facts.canPause)) }
    /// Those that send pictures.
    static var pictures: Self { Self(PluginKind.allCases.filter { $0.sender == .video }) }
    /// Those that send sound.
    static var sounds: Self { Self(PluginKind.allCases.filter { $0.sender == .audio }) }
    /// Those that send.
    static var senders: Self { pictures.union(sounds) }
}

/// What a check found, early or at its end.
struct Verdict: Error, Sendable {
    var outcome: Outcome
    var text: String
    var details: [String] = []
    var costs: [ConformanceReport.Cost] = []
    /// The check that names the fault, if it finds one: this one was only hindered by it then.
    var suspect: String?
    /// Whether the check could not look, and found no fault of its own.
    var isHindered = false

    /// The same, unless another check finds a fault, which is what this one has met then.
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
    static func crashed(_ evidence: String, _ details: [String] = []) -> Verdict {
        Verdict(outcome: .crashed, text: evidence, details: details)
    }

    /// The check could not look because of a fault that another check names. If that one has found
    /// nothing, nobody knows whether the plugin is sound.
    static func hindered(by check: String, _ fault: String) -> Verdict {
        var verdict = Verdict(outcome: .failed, text: fault).unless(check)
        verdict.isHindered = true
        return verdict
    }
}
