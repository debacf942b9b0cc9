import GreenroomHarness
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let parameterFuzz = Check(
        "parameter.fuzz", "random values while sending",
        rule: "Live parameters may change at any time.",
        why: "The control thread changes them while other threads run.",
        measured: """
            Some fifty random allowed values each, a few milliseconds apart, and the texts \
            of parameter.strings. The plugin must keep sending and end cleanly. Texts, \
            paths and unbounded numbers may be refused; other refusals are a warning.
            """,
        fix: "Guard shared values with a lock."
    ) { examination throws(Verdict) in
        let live = try examination.liveParameters()
        return try examination.onItsClock { fixture throws(Verdict) in
            try fixture.startSmall()
            try fixture.wait(seconds: 0.3)
            let before = fixture.accepted
            var refusals = Refusals()
            try fixture.fuzz(live.filter(\.isClosed), examination.random(1), &refusals)
            // Restore all values: some may mean to show or play nothing.
            for setting in examination.settings
            where live.contains(where: { $0.name == setting.name }) {
                if case .lost = fixture.pluginHarness.set(setting) {
                    throw fixture.crash().unless("lifecycle.whole-life")
                }
            }
            if before > 0, fixture.kind.offerRule != .upTo { try fixture.mustGoOn() }
            try fixture.fuzz(live.filter { !$0.isClosed }, examination.random(2), &refusals)
            for parameter in live {
                for text in parameter.hostileTexts(examination) {
                    try fixture.endure(
                        PluginSetting(parameter, .string(text)), of: parameter, &refusals)
                }
            }
            try fixture.end(after: "random values")
            let remarks = refusals.remarks
            guard let remark = remarks.first else { return .passed() }
            return .warning(remark, Array(remarks.dropFirst()))
        }
    }
}

/// Refused values of each parameter.
private struct Refusals {
    private var ofParameter: [String: (first: String, count: Int)] = [:]

    /// - Parameter words: The first refusal, for the author.
    mutating func add(_ words: String, of parameter: Parameter) {
        ofParameter[parameter.name, default: (words, 0)].count += 1
    }

    /// The remarks, one per parameter.
    var remarks: [String] {
        ofParameter.sorted { $0.key < $1.key }.map { _, refusal in
            refusal.count == 1
                ? refusal.first : "\(refusal.first), and so are \(refusal.count - 1) other values"
        }
    }
}

extension Fixture {
    /// The number of times that each parameter is set.
    private static let times = 50

    /// Sets parameters to random values while time passes.
    fileprivate func fuzz(
        _ parameters: [Parameter], _ random: SeededRandom, _ refusals: inout Refusals
    ) throws(Verdict) {
        var random = random
        var refused: (words: String, parameter: Parameter)?
        for _ in 0..<Self.times * parameters.count {
            guard let parameter = parameters.randomElement(using: &random),
                let value = parameter.randomValue(&random)
            else { continue }
            let setting = PluginSetting(parameter, value)
            switch pluginHarness.set(setting) {
            case .refused(let status, let reason):
                let words = "\(setting.words) answers \(status): \(reason)"
                if parameter.isClosed, status == .badSetting || reason.isMissing {
                    refused = refused ?? (words, parameter)
                } else if parameter.isClosed || reason.isMissing {
                    // A value may need a missing device or another setting.
                    refusals.add(words, of: parameter)
                }
            case let end: try require("set", end, after: setting.words)
            }
            if let fault = pluginHarness.wait(
                nanoseconds: Int64.random(in: 0...8_000_000, using: &random))
            {
                try require("sending", .lost(fault), after: setting.words)
            }
            if kind.isFilter { try editOne(after: setting.words) }
        }
        guard let (words, parameter) = refused else { return }
        for value in parameter.edges {
            if case .refused = pluginHarness.set(PluginSetting(parameter, value)) {
                throw .hindered(by: "parameter.bounds", "does not accept all values")
            }
        }
        throw .failed(
            "\(words). Its table allows that: accept the value, or narrow the table.")
    }

    /// Sets a hostile text, and runs the plugin with it.
    fileprivate func endure(
        _ setting: PluginSetting, of parameter: Parameter, _ refusals: inout Refusals
    ) throws(Verdict) {
        do throws(Verdict) {
            switch pluginHarness.set(setting) {
            case .refused(let status, let reason):
                guard reason.isMissing else { return }
                refusals.add(
                    "\(setting.words) answers \(status) without a reason: give one with "
                        + "set_error", of: parameter)
                return
            case let end: try require("set", end, after: setting.words)
            }
            // Enough time for some frames or blocks.
            if let fault = pluginHarness.wait(nanoseconds: 80_000_000) {
                try require("sending", .lost(fault), after: setting.words)
            }
            if kind.isFilter { try editOne(after: setting.words) }
        } catch {
            // The text may also be too much at create.
            throw error.unless("parameter.strings")
        }
    }

    /// Calls the plugin to edit a frame.
    private func editOne(after cause: String) throws(Verdict) {
        let info = FrameInfo(ptsNanoseconds: clock.now)
        let size = FrameSize(width: 640, height: 360)
        let cpuDeadline = CPUTimeDeadline(process.process)
        guard
            let edit = pluginHarness.edit(size, info: info, fill: { $0.fillWithRamp(number: 0) })
        else { return }
        if case .overdue = edit {
            throw cpuDeadline.doubt
                ?? .failed("with \(cause), process has not returned after 2 s")
        }
        if let fault = pluginHarness.fault {
            try require("process", .lost(fault), after: cause)
        }
    }

    /// Waits until something new is sent.
    fileprivate func mustGoOn() throws(Verdict) {
        guard isSource else { return }
        let before = accepted
        for _ in 0..<10 {
            try wait(seconds: 0.5)
            if accepted > before { return }
        }
        let verdict = Verdict.failed(
            "5 s after random values were set and restored, it has sent nothing "
                + "more\(pluginHarness.gaveUp.map { ": it gave up (\($0.reason))" } ?? "").")
        throw hasFullQueue ? verdict.unless("audio.back-pressure") : verdict
    }
}
