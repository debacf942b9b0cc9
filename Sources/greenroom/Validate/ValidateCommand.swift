import ArgumentParser
import Glibc
import GreenroomConfig
import GreenroomRuntime
import GreenroomSchema
import GreenroomHost
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomSystem
import GreenroomValidator

/// `greenroom validate PLUGIN`.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check a plugin against the interface's rules.",
        discussion: """
            Each check runs in a separate process, and the plugin in another, sandboxed one; both \
            are killed at the check's time limit. Exit codes: 0 the plugin conforms, 69 a check found \
            a fault, 75 no check found a fault, but one could not decide, 65 no such plugin, 64 \
            wrong arguments, 130 interrupted. greenroom plugins shows the result of a complete run \
            until the library or Greenroom changes.
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case table
        case json
        case junit
    }

    @Argument(
        help: """
            The path of a library (PATH#NAME for one plugin of several), or a plugin's name or id.
            """)
    var plugin: String?

    @Flag(
        help: """
            Describe the checks: rule, reason and fix of each. As a table or as JSON; needs no \
            plugin.
            """)
    var list = false

    @Flag(help: "With --list: also describe how each check measures.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Run only these checks; the name of a group selects all its checks. May be repeated.",
            valueName: "id,id,..."))
    var only: [String] = []

    @Option(help: "The format of the results: table, json or junit.")
    var format = Format.table

    @Option(
        help: """
            The seed of all random input; the results name it. By default each run has another \
            seed.
            """)
    var seed: UInt64?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("A setting of the plugin; may be repeated.", valueName: "name=value"))
    var assignments: [String] = []

    @OptionGroup var grants: GrantOptions

    @Flag(help: "The video is a still image or of one colour on purpose.")
    var still = false

    func run() throws {
        let checks = try wishes()
        guard !list else { return try printList(of: checks) }
        guard let plugin else {
            throw ValidationError("Name a plugin: greenroom validate ./libMyCamera.so")
        }
        let printing = Printing()
        let reports: [ConformanceReport]
        do {
            reports = try validate(plugin, checks, printing)
        } catch let problem as ValidatorError {
            throw ExitError(problem.code == .badOptions ? .usage : .badFile, problem.description)
        } catch is CancellationError {
            throw ExitError(
                .interrupted, "interrupted: partial results are not reported.")
        }
        switch format {
        case .table: printSummary(of: reports)
        case .json: Console.write(json: String(ConformanceReport.json(reports).dropLast()))
        case .junit: Console.write(ConformanceReport.junit(reports).lines)
        }
        guard Console.flush() == nil, !printing.hasFailed else {
            throw ExitError(.outputFailed, "cannot write the results")
        }
        let conclusions = reports.map(\.conclusion)
        if conclusions.contains(.doesNotConform) { throw ExitError(explained: .pluginFailed) }
        if conclusions.contains(.notProven) { throw ExitError(explained: .notProven) }
    }

    /// - Parameter checks: The ids and groups; empty if all.
    private func validate(
        _ plugin: String, _ checks: [String], _ printing: Printing
    ) throws -> [ConformanceReport] {
        Signals.blockEndings()
        let validator = try Validator()
        Signals.handle {
            // Exit at once: before the first check there is nothing to end, and a library that
            // hangs while loading must not keep the process alive.
            if !validator.cancel() { _exit(ExitStatus.interrupted.rawValue) }
        }
        var options = Validator.Options()
        options.only = checks
        options.seed = seed ?? UInt64.random(in: 1...999_999)
        options.isStill = still
        options.settings = try settings()
        grants.apply(to: &options)
        let (path, name) = try place(of: plugin)
        options.plugin = name
        let isTable = format == .table
        let titles = Dictionary(uniqueKeysWithValues: Validator.checks.map { ($0.id, $0.title) })
        let reports = try validator.validate(path, options) { plugin, result in
            guard isTable, let lines = result.lines(titled: titles[result.check] ?? "") else {
                return
            }
            printing.show(lines, of: plugin)
        }
        keep(reports, at: path)
        return reports
    }

    /// The ids and groups of `--only`; empty if all.
    private func wishes() throws -> [String] {
        guard !only.isEmpty else { return [] }
        let wishes = only.flatMap { $0.split { $0 == "," || $0 == " " }.map(String.init) }
        guard !wishes.isEmpty else {
            throw ExitError(
                .usage, "--only: name checks or groups, such as --only lifecycle,video.rate.")
        }
        for wish in wishes where Validator.checks(of: [wish]).isEmpty {
            let meant = Validator.checkName(near: wish).map { " Did you mean \"\($0)\"?" } ?? ""
            throw ExitError(
                .usage,
                "--only \(wish): unknown check or group.\(meant) greenroom validate "
                    + "--list shows all.")
        }
        return wishes
    }

    private func settings() throws -> [String: String] {
        var settings: [String: String] = [:]
        for assignment in assignments {
            let parts = assignment.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ExitError(
                    .usage, "--set \(assignment): needs NAME=VALUE, such as --set frequency=440.")
            }
            settings[String(parts[0])] = String(parts[1])
        }
        return settings
    }

    /// The library, and the selected plugin; nil if all plugins.
    private func place(of plugin: String) throws -> (path: String, name: String?) {
        let plugin = PluginArgument(plugin)
        if let file = plugin.file { return (file, plugin.nameInFile) }
        let locator = Installation.ofThisProgram.locator()
        locator.printWarnings()
        let (library, descriptor) = try locator.find(plugin, relativeTo: ".")
        // A camera and a microphone may share a name.
        return (library.path, plugin.place == descriptor.name ? descriptor.name : descriptor.id)
    }

    /// Stores the reports of a complete validation.
    private func keep(_ reports: [ConformanceReport], at path: String) {
        guard let cache = ReportCache.ofThisUser, let path = resolvedPath(path) else { return }
        for report in reports where report.isComplete {
            cache.store(Array(report.json.utf8), of: report.plugin, at: path)
        }
    }

    // MARK: Printed output

    private func printList(of wishes: [String]) throws {
        let checks = Validator.checks(of: wishes)
        switch format {
        case .table:
            for check in checks {
                let isOfAll = check.kinds.count == PluginKind.allCases.count
                let kinds = isOfAll ? "" : " [\(check.kinds.joined(separator: ", "))]"
                Console.write("\(check.id): \(check.title)\(kinds)")
                for (name, text) in check.parts where verbose || name != "Measured" {
                    Console.write("\(name): \(text)".wrapped(at: 96, indent: "    ").lines)
                }
            }
        case .json:
            Console.write(json: JSON.array(checks.map(\.json)).text)
        case .junit:
            throw ExitError(
                .usage,
                "--list --format junit: JUnit is a format of results, and a list has none. Use --format "
                    + "json.")
        }
    }

    private func printSummary(of reports: [ConformanceReport]) {
        for report in reports {
            let counts = Outcome.allCases.compactMap { outcome -> String? in
                let count = report.count(of: outcome)
                return count > 0 ? "\(count) \(outcome.rawValue)" : nil
            }
            let costs = report.costs.map {
                "\($0.row) \(($0.millisecondsPerFrame * 100).rounded() / 100) ms"
            }
            if !costs.isEmpty {
                Console.write("  processor time for each frame: " + costs.joined(separator: ", "))
            }
            let blocking = report.results.compactMap { $0.seconds > 0 ? $0.blockedBy : nil }
            for check in report.results.map(\.check) where blocking.contains(check) {
                let count = blocking.count { $0 == check }
                Console.write(
                    "  \(count) check\(count == 1 ? " is" : "s are") skipped because of \(check); "
                        + "--format json lists them")
            }
            Console.write(
                "\(report.name) \(report.version): \(report.conclusion.text): "
                    + "\(counts.joined(separator: ", ")) (seed \(report.seed))")
        }
    }
}

/// The output while checks run.
private final class Printing: Sendable {
    private let state = Monitor((plugin: "", hasFailed: false))

    /// Whether writing failed.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Prints lines under the name of their plugin.
    func show(_ lines: [String], of plugin: String) {
        state.withLock { state in
            if state.plugin != plugin { Console.write("\(plugin):") }
            state.plugin = plugin
            Console.write(lines)
            if Console.flush() != nil { state.hasFailed = true }
        }
    }
}

extension Validator {
    /// The checks with these ids and groups; all if `wishes` is empty.
    fileprivate static func checks(of wishes: [String]) -> [Description] {
        checks.filter { wishes.isEmpty || wishes.contains($0.id) || wishes.contains($0.group) }
    }

    /// The check or group with the most similar name, with or without its group; nil if none is
    /// similar.
    fileprivate static func checkName(near wish: String) -> String? {
        let groups = Set(checks.map(\.group)).sorted()
        if let name = nearestName(to: wish, among: groups + checks.map(\.id)) { return name }
        let names = checks.map { String($0.id.dropFirst($0.group.count + 1)) }
        let meant = nearestName(
            to: wish.split(separator: ".").last.map(String.init) ?? wish, among: names)
        return zip(names, checks).first { $0.0 == meant }?.1.id
    }
}

extension Validator.Description {
    /// The parts of the text, each with its name.
    fileprivate var parts: [(name: String, text: String)] {
        [("Rule", rule), ("Why", why), ("Measured", measured), ("Fix", fix)]
    }

    /// The check as JSON.
    fileprivate var json: JSON {
        [
            "id": .string(id), "title": .string(title), "kinds": .array(kinds.map { .string($0) }),
            "rule": .string(rule), "why": .string(why), "measured": .string(measured),
            "fix": .string(fix),
        ]
    }
}

extension ReportCache {
    /// The current user's cache.
    static var ofThisUser: ReportCache? {
        ReportCache(
            cacheHome: environmentVariable("XDG_CACHE_HOME"), home: environmentVariable("HOME"))
    }
}

extension ConformanceReport.Conclusion {
    /// The conclusion in the summary.
    fileprivate var text: String {
        switch self {
        case .conforms: "conforms"
        case .notProven: "NOT PROVEN"
        case .doesNotConform: "DOES NOT CONFORM"
        }
    }
}

extension CheckResult {
    /// The result as text; nil if the check did not start or another check blocks it.
    fileprivate func lines(titled title: String) -> [String]? {
        guard !(outcome == .skipped && (seconds == 0 || blockedBy != nil)) else { return nil }
        let outcome = outcome.rawValue.padded(to: 9)
        let time = "\(Int(seconds * 10) / 10).\(Int(seconds * 10) % 10) s"
        var lines = ["  \(outcome)  \(check.padded(to: 34))  \(title.padded(to: 40))  \(time)"]
        if !text.isEmpty { lines += text.wrapped(at: 96, indent: "             ").lines }
        if self.outcome.isFault || self.outcome == .warning {
            lines += details.map { "               | \($0)" }
        }
        return lines
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
