import ArgumentParser
import Glibc
import GreenroomHost
import GreenroomIsolation
import GreenroomLoading
import GreenroomMedia
import GreenroomValidator

/// `greenroom validate PLUGIN`.
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Find out whether a plugin keeps the rules of the interface.",
        discussion: """
            Each check runs in a process of its own, the plugin in another one that is sandboxed, and \
            both are ended when the check's time is over. Exit codes: 0 no check found a fault, 69 one \
            did, 65 there is no such plugin. What a whole run found is shown by greenroom plugins \
            until the library changes.
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

    @Flag(help: "Tell what each check proves, and which rule it stands for; no plugin is needed.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "Make these checks alone; a group's name stands for all of it.",
            valueName: "id,id,..."))
    var only: String?

    @Option(help: "How the results are printed: table, json or junit.")
    var format = Format.table

    @Option(
        help: """
            What everything random is made from; the results name it. Without it each run has \
            another one.
            """)
    var seed: UInt64?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("A setting of the plugin.", valueName: "name=value"))
    var assignments: [String] = []

    @OptionGroup var grants: GrantOptions

    @Flag(help: "The picture stands still, or is of one colour, on purpose.")
    var still = false

    func run() throws {
        guard !list else { return printList() }
        guard let plugin else {
            throw ValidationError("Name a plugin: greenroom validate ./libMyCamera.so")
        }
        let printing = Printing()
        let reports: [ConformanceReport]
        do {
            reports = try validate(plugin, printing)
        } catch let problem as Validator.Problem {
            throw Failure(.badFile, problem.description)
        }
        switch format {
        case .table: printSummary(of: reports)
        case .json: print(ConformanceReport.json(reports), terminator: "")
        case .junit: print(ConformanceReport.junit(reports), terminator: "")
        }
        guard fflush(nil) == 0, !printing.hasFailed else {
            throw Failure(.outputFailed, "the results can't be written.")
        }
        guard reports.allSatisfy(\.conforms) else { throw Failure(explained: .pluginFailed) }
    }

    private func validate(
        _ plugin: String, _ printing: Printing
    ) throws -> [ConformanceReport] {
        guard only == nil || only?.contains(where: { $0 != "," && $0 != " " }) == true else {
            throw Failure(
                .usage, "--only: name checks or groups, such as --only lifecycle,video.rate.")
        }
        var options = Validator.Options()
        options.only = only.map { $0.split(separator: ",").map(String.init) } ?? []
        options.seed = seed ?? UInt64.random(in: 1...999_999)
        options.isStill = still
        options.settings = try settings()
        grants.apply(to: &options)
        let (path, name) = try place(of: plugin)
        options.plugin = name
        let isTable = format == .table
        let titles = Dictionary(uniqueKeysWithValues: Validator.checks.map { ($0.id, $0.title) })
        let reports = try Validator().validate(path, options) { plugin, result in
            guard isTable, let lines = result.lines(titled: titles[result.check] ?? "") else {
                return
            }
            printing.show(lines, of: plugin)
        }
        keep(reports, at: path)
        return reports
    }

    private func settings() throws -> [String: String] {
        var settings: [String: String] = [:]
        for assignment in assignments {
            let parts = assignment.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw Failure(
                    .usage, "--set \(assignment): needs NAME=VALUE, such as --set frequency=440.")
            }
            settings[String(parts[0])] = String(parts[1])
        }
        return settings
    }

    /// The library, and the plugin in it that is meant; nil for all.
    private func place(of plugin: String) throws -> (path: String, name: String?) {
        // A library in this folder is meant by its file's name alone: no plugin's name has a dot.
        if plugin.contains("/") || plugin.contains(".so") {
            let parts = plugin.split(separator: "#", maxSplits: 1).map(String.init)
            return (parts.first ?? plugin, parts.count == 2 ? parts[1] : nil)
        }
        let locator = PluginLocator.ofThisProcess
        locator.printWarnings()
        do throws(LoadError) {
            let (library, descriptor) = try locator.find(plugin, kind: nil, relativeTo: ".")
            return (library.path, descriptor.id)
        } catch {
            throw Failure(.badFile, "\(error)")
        }
    }

    /// Only a whole look at a plugin is one to show.
    private func keep(_ reports: [ConformanceReport], at path: String) {
        guard let cache = ReportCache.ofThisUser, let path = resolvedPath(path) else { return }
        for report in reports where report.isComplete {
            cache.keep(Array(report.json.utf8), of: report.plugin, at: path)
        }
    }

    // MARK: What is printed

    private func printList() {
        for check in Validator.checks {
            let kinds = check.kinds.count == 5 ? "" : " [\(check.kinds.joined(separator: ", "))]"
            print("\(check.id): \(check.title)\(kinds)")
            print(check.explanation.wrapped(at: 96, indent: "    "))
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
                print("  processor time for each frame: " + costs.joined(separator: ", "))
            }
            print(
                "\(report.name) \(report.version): \(report.conforms ? "conforms" : "DOES NOT CONFORM"): "
                    + "\(counts.joined(separator: ", ")) (seed \(report.seed))")
        }
    }
}

/// What the plugin may do in its sandbox.
struct GrantOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file or folder that the plugin may read; paths in settings are granted.",
            valueName: "path"))
    var allowRead: [String] = []

    @Option(help: ArgumentHelp("A file or folder that it may write.", valueName: "path"))
    var allowWrite: [String] = []

    @Option(help: ArgumentHelp("A device that it may use.", valueName: "path"))
    var allowDevice: [String] = []

    @Flag(help: "It may use the network.")
    var allowNetwork = false

    func apply(to options: inout Validator.Options) {
        let here = resolvedPath(".") ?? "/"
        options.read = allowRead.map { absolutePath($0, from: here) }
        options.write = allowWrite.map { absolutePath($0, from: here) }
        options.devices = allowDevice.map { absolutePath($0, from: here) }
        options.network = allowNetwork
    }
}

/// What is printed while checks are made.
private final class Printing: Sendable {
    private let state = Monitor((plugin: "", hasFailed: false))

    /// Whether something could not be written.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }

    /// Prints lines, below the name of the plugin that they are about.
    func show(_ lines: String, of plugin: String) {
        state.withLock { state in
            if state.plugin != plugin { print("\(plugin):") }
            state.plugin = plugin
            print(lines)
            if fflush(nil) != 0 { state.hasFailed = true }
        }
    }
}

extension ReportCache {
    /// Where this user's caches are.
    static var ofThisUser: ReportCache? {
        ReportCache(
            cacheHome: environmentVariable("XDG_CACHE_HOME"), home: environmentVariable("HOME"))
    }
}

extension CheckResult {
    /// The result for people; nil for a check that was not even begun.
    fileprivate func lines(titled title: String) -> String? {
        guard !(outcome == .skipped && seconds == 0) else { return nil }
        let outcome = outcome.rawValue.padded(to: 9)
        let time = "\(Int(seconds * 10) / 10).\(Int(seconds * 10) % 10) s"
        var lines = "  \(outcome)  \(check.padded(to: 34))  \(title.padded(to: 40))  \(time)"
        if !text.isEmpty { lines += "\n" + text.wrapped(at: 96, indent: "             ") }
        if self.outcome.isFault {
            for line in details { lines += "\n               | \(line)" }
        }
        return lines
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }

    /// In lines of a width at most, if the words allow it.
    fileprivate func wrapped(at width: Int, indent: String) -> String {
        var lines: [String] = []
        var line = indent
        for word in split(separator: " ") {
            if line.count + word.count + 1 > width, line != indent {
                lines.append(line)
                line = indent
            }
            line += line == indent ? "\(word)" : " \(word)"
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
