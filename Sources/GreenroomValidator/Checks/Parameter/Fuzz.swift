import GreenroomHost
import GreenroomIsolation
import GreenroomLoading
import GreenroomMedia

extension Catalogue {
    static let parameterFuzz = Check(
        "parameter.fuzz", "any value at any time while it sends",
        proving: """
            While it sends, each live parameter is set to some fifty random values of those that \
            its table allows, in random order, a few milliseconds apart. The plugin takes them, \
            goes on sending, and ends in order. Texts are set too, and may be refused. The host \
            changes live parameters on the control thread while the plugin's own threads are at \
            work: what both use has to be guarded.
            """
    ) { examination throws(Verdict) in
        let live = try examination.liveParameters()
        return try examination.onItsClock { bench throws(Verdict) in
            try bench.startSmall()
            try bench.wait(seconds: 0.3)
            let before = bench.accepted
            try bench.fuzz(live.filter(\.isClosed), examination.random(1))
            // As it was: a value may well have meant to show or to play nothing.
            for setting in examination.settings
            where live.contains(where: { $0.name == setting.name }) {
                if case .lost = bench.rehearsal.set(setting) {
                    throw bench.crash().unless("lifecycle.whole-life")
                }
            }
            if before > 0, bench.kind != .shareSource { try bench.mustGoOn() }
            try bench.fuzz(live.filter { !$0.isClosed }, examination.random(2))
            try bench.end(after: "random values")
            return .passed()
        }
    }
}

extension Bench {
    /// How often each parameter is set.
    private static let times = 50

    /// Sets parameters to random values while time passes.
    fileprivate func fuzz(_ parameters: [Parameter], _ random: SeededRandom) throws(Verdict) {
        var random = random
        var refused: (words: String, parameter: Parameter)?
        for _ in 0..<Self.times * parameters.count {
            guard let parameter = parameters.randomElement(using: &random),
                let value = parameter.randomValue(&random)
            else { continue }
            let setting = Setting(parameter, value)
            switch rehearsal.set(setting) {
            case .refused(let status, let text):
                guard parameter.isClosed, status == .badSetting else { continue }
                refused =
                    refused ?? ("\(setting.words) is answered with \(status): \(text)", parameter)
            case let end: try require("set", end, after: setting.words)
            }
            if let fault = rehearsal.wait(
                nanoseconds: Int64.random(in: 0...8_000_000, using: &random))
            {
                try require("sending", .lost(fault), after: setting.words)
            }
            if kind == .preProcessor { try editOne(after: setting.words) }
        }
        guard let (words, parameter) = refused else { return }
        for value in parameter.edges {
            if case .refused = rehearsal.set(Setting(parameter, value)) {
                throw .hindered(by: "parameter.bounds", "it does not take all values")
            }
        }
        throw .failed(
            "\(words). Its table allows that: take the value, or have the table say what is legal.")
    }

    /// Has a frame edited.
    private func editOne(after cause: String) throws(Verdict) {
        let info = FrameInfo(ptsNanoseconds: clock.now)
        let size = FrameSize(width: 640, height: 360)
        let patience = Patience(process.process)
        guard let edit = rehearsal.edit(size, info: info, fill: { $0.fillForEditing(number: 0) })
        else { return }
        if case .late = edit {
            throw patience.doubt
                ?? .failed("with \(cause), process has not returned after 2 s: it has to")
        }
        if let fault = rehearsal.fault {
            try require("process", .lost(fault), after: cause)
        }
    }

    /// Waits for something new to be sent.
    fileprivate func mustGoOn() throws(Verdict) {
        guard kind != .preProcessor else { return }
        let before = accepted
        for _ in 0..<10 {
            try wait(seconds: 0.5)
            if accepted > before { return }
        }
        let verdict = Verdict.failed(
            "5 s after random values were set, and all are what they were again, it has sent nothing "
                + "more\(rehearsal.gaveUp.map { ": it gave up (\($0.reason))" } ?? "").")
        throw hasFullQueue ? verdict.unless("sound.back-pressure") : verdict
    }
}
