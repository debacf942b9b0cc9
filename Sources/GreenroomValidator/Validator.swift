import GreenroomModel
internal import FoundationEssentials
import Glibc
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomSystem
import Synchronization
import SystemPackage

/// Checks a plugin against the interface's rules.
///
/// Each check runs in a separate process, and the plugin in another, sandboxed process, so a plugin
/// harms only its own process.
///
/// ```swift
/// let reports = try Validator().validate("/path/to/libMyCamera.so")
/// #expect(reports.allSatisfy(\.conforms))
/// ```
public struct Validator: Sendable {
    /// The description of a check.
    public struct Description: Sendable {
        /// The check's id, e.g. `lifecycle.restart`.
        public var id: String
        /// A short title.
        public var title: String
        /// The behaviour that a plugin must have.
        public var rule: String
        /// The reason for the rule.
        public var why: String
        /// The samples and the limits of the check.
        public var measured: String
        /// The usual change that satisfies the rule.
        public var fix: String
        /// The names of the kinds of plugins that the check applies to.
        public var kinds: [String]

        /// The check's group, e.g. `lifecycle`.
        public var group: String { String(id.prefix { $0 != "." }) }
    }

    /// The plugin to validate, and the options.
    public struct Options: Sendable {
        /// The name or id of a plugin of the library; nil if all plugins.
        public var plugin: String?
        /// The ids of checks or groups (`lifecycle`); empty if all.
        public var only: [String] = []
        /// The seed of all random input.
        public var seed: UInt64 = 1
        /// The plugin's settings by name, as text. All other settings have their defaults.
        public var settings: [String: String] = [:]
        /// The absolute paths of files and folders that the plugin may read. Paths in settings need
        /// no grant.
        public var read: [String] = []
        /// The absolute paths of files and folders that the plugin may write.
        public var write: [String] = []
        /// The absolute paths of devices that the plugin may use.
        public var devices: [String] = []
        /// Whether the plugin may use the network.
        public var network = false
        /// The absolute paths of Unix sockets to which the host connects the plugin.
        public var connect: [String] = []
        /// Whether the host connects the plugin to the X server or the Wayland compositor.
        public var display = false
        /// Whether the host connects the plugin to PipeWire.
        public var pipewire = false
        /// Whether the video is intentionally a still image or of one colour.
        public var isStill = false
        /// The number of checks that run in parallel.
        public var parallelism = 2

        /// The grants, for the report.
        fileprivate var grants: [String] {
            read.map { "read \($0)" } + write.map { "write \($0)" }
                + devices.map { "device \($0)" } + (network ? ["network"] : [])
                + connect.map { "connect \($0)" } + (display ? ["display"] : [])
                + (pipewire ? ["pipewire"] : [])
        }

        /// Makes options for all checks of all plugins in a library.
        public init() {}
    }

    private let program: String
    private let workers = CheckWorkers()

    /// - Parameter program: The absolute path of the `greenroom` program, with `greenroom-runner`
    ///   beside it; nil to use `GREENROOM_PROGRAM` or the program beside this one.
    /// - Throws: ``ValidatorError`` if the program does not exist.
    public init(program: String? = nil) throws {
        self.program = try program ?? Self.findProgram()
        guard access(self.program, X_OK) == 0, access(runner, X_OK) == 0 else {
            throw ValidatorError(
                "\(self.program): this must be the greenroom program, with "
                    + "greenroom-runner beside it. Build both, or name the program in "
                    + "GREENROOM_PROGRAM.")
        }
    }

    private static func findProgram() throws -> String {
        if let named = environmentVariable("GREENROOM_PROGRAM") { return named }
        let own = ownProgramFile ?? ""
        if own.hasSuffix("/greenroom") { return own }
        return String(own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex)) + "/greenroom"
    }

    private var runner: String { "\(program)-runner" }

    /// All checks, in the order of running and reporting.
    public static var checks: [Description] {
        Catalogue.checks.map { check in
            Description(
                id: check.id, title: check.title, rule: check.rule, why: check.why,
                measured: check.measured, fix: check.fix,
                kinds: PluginKind.allCases.filter(check.kinds.contains).map(\.name))
        }
    }

    /// Validates a library. Some checks take a minute.
    ///
    /// - Parameters:
    ///   - library: The path of the library.
    ///   - options: The plugin to validate, and the options.
    ///   - tell: Receives each result in the order of the checks, on any thread, one at a time.
    /// - Returns: A report for each selected plugin.
    /// - Throws: ``ValidatorError`` if there is no such file, plugin, check or setting, and
    ///   `CancellationError` after ``cancel()``.
    public func validate(
        _ library: String, _ options: Options = Options(),
        tell: @escaping @Sendable (_ plugin: String, CheckResult) -> Void = { _, _ in }
    ) throws -> [ConformanceReport] {
        let path = try absolute(library)
        let checks = try chosenChecks(options.only)
        guard let hash = LibraryHash.hexadecimal(of: path) else {
            throw ValidatorError("\(library): cannot read it")
        }
        let description: LibraryDescription
        do throws(LoadError) {
            let interpreter =
                ScriptInterpreter.runs(path)
                ? try ScriptInterpreter(of: path, named: nil, programs: Self.folder(of: runner))
                : nil
            description = try PluginScanner(program: runner).examine(path, with: interpreter)
        } catch {
            let file = ELFFile.read(path)
            guard file.isLibrary, error.code != .notFound, error.code != .noRunner else {
                throw ValidatorError("\(error)")
            }
            return [
                try report(on: library, path, hash, that: error, file, checks, options, tell: tell)
            ]
        }
        let plugins = description.descriptors.filter {
            options.plugin == nil || $0.name == options.plugin || $0.id == options.plugin
        }
        guard !plugins.isEmpty else {
            let known = description.descriptors.map(\.name).joined(separator: ", ")
            throw ValidatorError(
                "\(library): no plugin \(options.plugin ?? "") in the library. It has: "
                    + "\(known).")
        }
        let concerned = plugins.filter { plugin in
            checks.contains { $0.kinds.contains(plugin.kind) }
        }
        guard !concerned.isEmpty else {
            let kinds = Set(plugins.map(\.kind.name)).sorted().joined(separator: ", ")
            throw ValidatorError(
                "\(library): none of these checks applies to a \(kinds). greenroom "
                    + "validate --list shows the kinds of each.", code: .badOptions)
        }
        return try concerned.map { descriptor in
            let checks = checks.filter { $0.kinds.contains(descriptor.kind) }
            let requests = try requests(for: descriptor, at: path, checks, options)
            let outcomes = try run(requests, checks, parallelism: options.parallelism) {
                tell(descriptor.name, $0)
            }
            guard LibraryHash.hexadecimal(of: path) == hash else {
                throw ValidatorError(
                    "\(library): it changed during the validation. Run it again.")
            }
            return ConformanceReport(
                plugin: descriptor.id, name: descriptor.name, kind: descriptor.kind.name,
                version: descriptor.version, library: library, sha256: hash,
                host: GreenroomVersion.current, seed: options.seed, settings: options.settings,
                grants: options.grants, isStill: options.isStill,
                date: Date().formatted(.iso8601), isComplete: options.only.isEmpty,
                results: outcomes.map(\.result), costs: outcomes.flatMap(\.costs))
        }
    }

    /// Stops ``validate(_:_:tell:)`` and all its processes. The running call and each later call
    /// throw `CancellationError`. [any]
    ///
    /// - Returns: Whether checks were running. Before the first check nothing is stopped:
    ///   ``validate(_:_:tell:)`` returns after the scan of the library, up to 5 s later.
    @discardableResult
    public func cancel() -> Bool { workers.cancel() }

    /// The report on a library that can't be loaded.
    private func report(
        on library: String, _ path: String, _ hash: String, that error: LoadError,
        _ file: Result<ELFFile, ELFError>, _ checks: [Check], _ options: Options,
        tell: @escaping @Sendable (_ plugin: String, CheckResult) -> Void
    ) throws -> ConformanceReport {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let requests = checks.map { request(for: $0, nil, at: path, options, read: options.read) }
        let outcomes = try run(
            requests, checks, parallelism: options.parallelism,
            hindrance: .hindered(by: error, file)
        ) { tell(name, $0) }
        return ConformanceReport(
            plugin: name, name: name, kind: "library", version: "", library: library, sha256: hash,
            host: GreenroomVersion.current, seed: options.seed, settings: options.settings,
            grants: options.grants, isStill: options.isStill, date: Date().formatted(.iso8601),
            isComplete: options.only.isEmpty, results: outcomes.map(\.result), costs: [])
    }

    private func absolute(_ library: String) throws -> String {
        guard let path = resolvedPath(library) else {
            throw ValidatorError(
                "\(library): \(Errno.last). Name the library that "
                    + "was built.")
        }
        return path
    }

    private func chosenChecks(_ only: [String]) throws -> [Check] {
        for wish in only
        where !Catalogue.checks.contains(where: { $0.id == wish || $0.group == wish }) {
            throw ValidatorError(
                "unknown check \(wish). greenroom validate --list shows all.",
                code: .badOptions)
        }
        return only.isEmpty
            ? Catalogue.checks
            : Catalogue.checks.filter { only.contains($0.id) || only.contains($0.group) }
    }

    private func requests(
        for descriptor: PluginDescriptor, at path: String, _ checks: [Check], _ options: Options
    ) throws -> [CheckRequest] {
        let folder = currentFolder
        let (settings, problems) = descriptor.check(
            settings: descriptor.values(of: options.settings), relativeTo: folder)
        guard problems.isEmpty else {
            throw ValidatorError(
                problems.map {
                    "\(descriptor.name), setting \($0.name): \($0)"
                }.joined(separator: "\n"), code: .badOptions)
        }
        // A path in a setting implies a read grant.
        let paths = settings.compactMap { setting -> String? in
            guard setting.type == .path, options.settings[setting.name] != nil,
                case .string(let path) = setting.value
            else { return nil }
            return path
        }
        return checks.map {
            request(for: $0, descriptor, at: path, options, read: options.read + paths)
        }
    }

    private func request(
        for check: Check, _ plugin: PluginDescriptor?, at path: String, _ options: Options,
        read: [String]
    ) -> CheckRequest {
        CheckRequest(
            check: check.id, library: path, plugin: plugin?.id, descriptor: plugin?.written,
            settings: options.settings, folder: currentFolder, runner: runner, read: read,
            write: options.write, devices: options.devices, network: options.network,
            connect: options.connect, display: options.display, pipewire: options.pipewire,
            seed: options.seed, isStill: options.isStill)
    }

    private var currentFolder: String { resolvedPath(".") ?? "/" }

    // MARK: The checks

    private struct Made: Sendable {
        var result: CheckResult
        var costs: [ConformanceReport.Cost] = []
        /// The check that names the fault, if it finds one.
        var suspect: String?
        /// Whether the check could not run and found no fault of its own.
        var isHindered = false
        /// The accesses that the sandbox denied during the check.
        var refusals: [String] = []
        /// The steps that did not return in time.
        var hanging: [LifecycleStep] = []
    }

    private struct CheckProgress {
        private let checks: [String]
        /// The indices of checks that have not run yet.
        private var waiting: ArraySlice<Int>
        private var told = 0
        private(set) var made: [Made?]
        /// The indices of checks that will run again.
        private(set) var undecided: Set<Int> = []
        /// The steps that are known to hang.
        private(set) var hanging: [LifecycleStep] = []

        init(_ checks: [String]) {
            self.checks = checks
            made = Array(repeating: nil, count: checks.count)
            let isFirst = { Catalogue.checksOfHangs.contains(checks[$0]) }
            waiting = (checks.indices.filter(isFirst) + checks.indices.filter { !isFirst($0) })[...]
        }

        /// The index of the next check to run; nil if none is left.
        mutating func next() -> Int? { waiting.popFirst() }

        /// - Parameter isLast: Whether an undecided result is final.
        /// - Returns: The results that can be reported now, in order.
        mutating func add(_ result: Made, at index: Int, isLast: Bool) -> [CheckResult] {
            made[index] = result
            undecided.remove(index)
            if result.result.outcome == .notProven, !isLast { undecided.insert(index) }
            if result.result.outcome == .failed, result.suspect == nil,
                Catalogue.checksOfHangs.contains(checks[index])
            {
                hanging += result.hanging
            }
            let first = told
            while told < made.count, isMade(told), let next = made[told], isSettled(next) {
                clear(told)
                told += 1
            }
            return made[first..<told].compactMap { $0?.result }
        }

        private func isMade(_ index: Int) -> Bool {
            made[index] != nil && !undecided.contains(index)
        }

        /// Whether the result of the check that names the fault is known. The sandbox's refusals
        /// are known after all checks have run.
        private func isSettled(_ result: Made) -> Bool {
            if result.result.check == Catalogue.ungranted.id {
                return made.indices.allSatisfy(isMade)
            }
            guard let suspect = result.suspect, let index = checks.firstIndex(of: suspect) else {
                return true
            }
            return isMade(index)
        }

        /// Sets the result of the check of refused accesses, from the refusals of all checks.
        private mutating func addRefusals(to index: Int) {
            var all = made[index]?.refusals ?? []
            for refusal in made.flatMap({ $0?.refusals ?? [] }) where !all.contains(refusal) {
                all.append(refusal)
            }
            guard made[index]?.result.outcome.isFault == false, !all.isEmpty else { return }
            let verdict = Catalogue.verdict(onRefusals: all)
            made[index]?.result.outcome = verdict.outcome
            made[index]?.result.text = verdict.text
            made[index]?.result.details = verdict.details
            made[index]?.suspect = nil
        }

        /// Leaves a fault to the check that names it, if that check has found one.
        private mutating func clear(_ index: Int) {
            if made[index]?.result.check == Catalogue.ungranted.id { addRefusals(to: index) }
            guard let own = made[index], let suspect = own.suspect, suspect != own.result.check,
                own.result.outcome.isFault || own.result.outcome == .warning
            else { return }
            let found = made.first { $0?.result.check == suspect }??.result.outcome
            // A check that could not run is no worse than the one that blocked it.
            guard found?.isFault == true || own.isHindered && found != nil && found != .passed
            else {
                if own.isHindered {
                    made[index]?.result.text =
                        "not checked: \(own.result.text), and \(suspect) "
                        + (found == nil ? "did not run" : "found nothing")
                }
                return
            }
            made[index]?.result.outcome = .skipped
            made[index]?.result.text = "\(own.result.text): see \(suspect)"
            made[index]?.result.blockedBy = suspect
            made[index]?.result.details = []
        }
    }

    /// - Parameter hindrance: The reason that no check of a plugin can run; nil if checks can run.
    private func run(
        _ requests: [CheckRequest], _ checks: [Check], parallelism: Int,
        hindrance: Verdict? = nil, tell: @escaping @Sendable (CheckResult) -> Void
    ) throws -> [Made] {
        let progress = Monitor(CheckProgress(checks.map(\.id)))
        let telling = Mutex(())
        let makeOne = { @Sendable (index: Int, isLast: Bool) in
            var request = requests[index]
            request.hanging = progress.withLock { $0.hanging }
            let made = make(checks[index], request, hindrance)
            telling.withLock { _ in
                // A cancelled check has no result.
                guard !workers.isCancelled else { return }
                for result in progress.change({ $0.add(made, at: index, isLast: isLast) }) {
                    tell(result)
                }
            }
        }
        let threads = (0..<max(parallelism, 1)).map { _ in
            HostThread(name: "check") {
                workers.work {
                    while let index = progress.change({ $0.next() }) {
                        makeOne(index, false)
                        if workers.isCancelled { return }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        // Run undecided checks again, without concurrent checks, which keep the machine busy.
        workers.work {
            for index in progress.withLock({ $0.undecided.sorted() }) where !workers.isCancelled {
                makeOne(index, true)
            }
        }
        guard !workers.isCancelled else { throw CancellationError() }
        return progress.withLock { $0.made.compactMap(\.self) }
    }

    private func make(_ check: Check, _ request: CheckRequest, _ hindrance: Verdict?) -> Made {
        if let hindrance, !check.isOfLibrary {
            return Made(
                result: CheckResult(
                    check: check.id, outcome: hindrance.outcome, text: hindrance.text),
                suspect: hindrance.suspect, isHindered: hindrance.isHindered)
        }
        let begin = MonotonicClock.now
        var made = run(check, request)
        made.result.seconds = Double((MonotonicClock.now - begin) / 1_000_000) / 1000
        return made
    }

    /// Additional time for a check's process to report its timeout.
    private static let graceSeconds = 10.0

    private func run(_ check: Check, _ request: CheckRequest) -> Made {
        func failed(_ outcome: Outcome, _ text: String) -> Made {
            Made(result: CheckResult(check: check.id, outcome: outcome, text: text))
        }
        guard let request = try? JSONEncoder().encode(request) else {
            return failed(.failed, "the check did not run: cannot write its request")
        }
        // The process itself reports the running step at the timeout.
        let limit = check.limitSeconds + Self.graceSeconds
        let end = CheckWorkerProcess.run(
            program, Array(request), limitSeconds: limit, among: workers)
        switch end {
        case .tookTooLong:
            return failed(.timedOut, "did not end within \(Int(limit)) s, and did not say why")
        case .failed(let text): return failed(.failed, "the check could not run: \(text)")
        case .answered(let bytes):
            guard let answer = try? JSONDecoder().decode(CheckResponse.self, from: Data(bytes))
            else {
                return failed(.failed, "the check failed: its answer is not readable")
            }
            return Made(
                result: CheckResult(
                    check: check.id, outcome: answer.outcome, text: answer.text,
                    details: answer.details),
                costs: answer.costs, suspect: answer.suspect, isHindered: answer.isHindered,
                refusals: answer.refusals, hanging: answer.hanging)
        }
    }
}

extension PluginDescriptor {
    /// Values from text, converted to the type of their setting.
    func values(of texts: [String: String]) -> [(name: String, value: ParameterValue)] {
        texts.sorted { $0.key < $1.key }.map { name, text in
            let type = parameters.first { $0.name == name }?.type
            let value: ParameterValue? =
                switch type {
                case .boolean: Bool(text).map { .boolean($0) }
                case .integer: Int64(text).map { .integer($0) }
                case .number: Double(text).map { .number($0) }
                case .string, .choice, .path, nil: nil
                }
            return (name, value ?? .string(text))
        }
    }
}

extension Validator {
    /// The folder of a program.
    static func folder(of program: String) -> String {
        String(program.prefix(upTo: program.lastIndex(of: "/") ?? program.endIndex))
    }
}
