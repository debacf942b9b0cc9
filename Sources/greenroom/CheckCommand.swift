import ArgumentParser
import GreenroomConfig
import GreenroomLifecycle
import GreenroomOutputs
import GreenroomSchema
import GreenroomConversion
import GreenroomHost
import GreenroomIsolation
import GreenroomNegotiation
import GreenroomMedia
import RoomAccess
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession

/// `greenroom check FILE`.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report every error of a session file without running it.",
        discussion: """
            Loads the plugins of the file, and creates and initializes each in a process with its \
            settings, grants and sandbox. Reports the failures that a run would report, with the same \
            exit code. Without errors, prints what would run.

            A session file is as powerful as a program: it can start programs, write files and use \
            the network. Run only files that you trust.
            """)

    @OptionGroup var source: SessionFileOptions

    @Flag(help: "Print the result as one JSON object on standard output.")
    var json = false

    func run() throws {
        let locator = Installation.ofThisProgram.locator()
        locator.printWarnings()
        do {
            let file = try source.readWithFaults()
            let plan = try file.plan(with: locator)
            let trial = PluginTrial(plan: plan, locator: locator).run()
            let places = Set((trial.faults + trial.warnings).map(\.path))
            // A warning about the setting has the fix.
            let known = Dictionary(
                plan.warnings.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
            let warnings =
                file.warnings
                + file.places.diagnostics(
                    plan.warnings.filter { !places.contains($0.path) }
                        + trial.warnings.map { known[$0.path] ?? $0 })
            if let status = trial.status {
                let error = SessionFileError(
                    file.places.diagnostics(trial.faults.map { known[$0.path] ?? $0 }),
                    in: file.source)
                if json {
                    Console.write(
                        json: result(faults: error.diagnostics, warnings: warnings, plan: plan)
                            .text)
                    throw ExitError(explained: status)
                }
                for warning in warnings {
                    Console.write(file.source.lines(of: warning, isWarning: true), to: .errors)
                }
                var failure = ExitError(error)
                failure.status = status
                throw failure
            }
            if json {
                Console.write(json: result(faults: [], warnings: warnings, plan: plan).text)
            } else {
                for warning in warnings {
                    Console.write(file.source.lines(of: warning, isWarning: true))
                }
                let count = "\(warnings.count) warning\(warnings.count == 1 ? "" : "s")"
                Console.write(
                    "\(source.file): \(warnings.isEmpty ? "fine" : "no errors, \(count)")")
                Console.write(table(plan.rows(locator).map { ["  \($0)", $1] }))
            }
        } catch let error as SessionFileError where json {
            Console.write(json: result(faults: error.diagnostics, warnings: [], plan: nil).text)
            throw ExitError(explained: error.status)
        }
    }

    private func result(
        faults: [Diagnostic], warnings: [Diagnostic], plan: SessionPlan?
    ) -> JSON {
        .members([
            ("file", .string(source.file)),
            ("faults", .array(faults.map(\.json))),
            ("warnings", .array(warnings.map(\.json))),
            ("session", plan?.json),
        ])
    }
}

extension Diagnostic {
    fileprivate var json: JSON {
        switch place.origin {
        case .file(let line, let column):
            [
                "line": .integer(Int64(line)), "column": .integer(Int64(column)),
                "path": .string(place.path), "message": .string(message),
            ]
        case .argument(let argument):
            [
                "argument": .string(argument.hidingCredentials.hidingSecrets),
                "path": .string(place.path),
                "message": .string(message),
            ]
        }
    }
}

extension SessionPlan {
    /// The session's plugins by role, in the order of the file.
    private var roles: [(role: String, source: SourcePlan)] {
        slots.flatMap(\.plugins).map { address, source in
            let filter = address.filter.map { "\(PluginAddress.filtersKey)[\($0)]" }
            return (filter ?? address.role?.facts.name ?? "\(address)", source)
        }
            + outputs.sorted { $0.key < $1.key }.map {
                ("\(configuration.address(ofOutput: $0))", $1)
            } + callFilters.enumerated().map { ("\(PluginAddress.callFilter($0))", $1) }
    }

    /// The plan of the session, as text.
    fileprivate func rows(_ locator: PluginLocator) -> [(String, String)] {
        let session = configuration
        let length = session.duration.map { ", for \($0.asWritten)" } ?? ""
        let pace = session.clock == .virtual ? ", on the virtual clock" : ""
        var rows = [
            ("session", "\(session.name), at most \(session.maximum)\(length)\(pace)")
        ]
        let table = CapabilityTable(session.table)
        if table != .standard {
            rows.append(("table", table.rows.map(\.description).joined(separator: ", ")))
        }
        for (role, source) in roles {
            if let socket = source.configuration.connect {
                rows.append((role, "a program that connects to \(socket)"))
                continue
            }
            let settings = source.settings.map {
                "\($0.name): \(source.printable($0).onOneLine)"
            }
            rows.append((role, "\(source.descriptor.name) { \(settings.joined(separator: ", ")) }"))
            rows.append(("", source.living(isBundled: locator.isBundled(source.factory.path))))
            if let isolation = source.isolation, isolation.sandbox != .off {
                rows.append(("", "reads \(source.files.joined(separator: ", "))"))
            }
        }
        if let promise = sandboxPromise { rows.append(("sandbox", promise)) }
        for entry in session.timeline {
            let time = entry.time.asWritten
            rows.append(("at \(time)", entry.command.line))
        }
        rows += session.outputs.compactMap(\.output.summary)
        rows += diskUses(of: largestTracks).compactMap { _, use in
            use.words.map { ("disk", "\(use.folder): \($0)") }
        }
        rows += roomEstimates.map { ("estimate", $0) }
        rows.append(
            ("trust", "a session file is as powerful as a program: run only files that you trust"))
        return rows
    }

    /// The cost of the session's room with nobody, and with eight guests who watch each other; empty for a session
    /// without the bundled room.
    private var roomEstimates: [String] {
        guard outputs.values.contains(where: { $0.descriptor.id == "org.greenroom.web-room" })
        else {
            return []
        }
        let hasStage = slots.contains { $0.role.part == .stage }
        let recordings = outputs.values.count { $0.descriptor.id == "org.greenroom.recorder" }
        let hasCamera = slots.contains { $0.role.part == .camera }
        let decodes = hasStage || recordings > 0
        // An isolated room has places for eight guests, and for ten connections that watch.
        return [0, 8].map { people in
            let cost = RoomCost.sum([
                .room: 1, .source: hasCamera ? 1 : 0, .recording: recordings,
                .stage: hasStage && (recordings > 0 || people > 0) ? 1 : 0,
                .encoder: people > 0 && (hasCamera || hasStage) ? 1 : 0, .guest: people,
                .decoder: decodes ? people : 0, .viewer: people,
            ])
            let cores = (cost.cores * 100).rounded() / 100
            let who = people == 0 ? "nobody" : "\(people) guests"
            return
                "\(cores) cores and \(Int(cost.memory.rounded())) MB with \(who), at 1280x720@30"
                + (people == 0
                    ? ""
                    : "; \(Int(cost.megabits.rounded())) Mbit/s and \(Int(cost.ports)) UDP ports")
        }
    }

    /// The plan of the session, as JSON.
    fileprivate var json: JSON {
        .members([
            ("name", .string(configuration.name)),
            ("maximum", .string("\(configuration.maximum)")),
            (
                "table",
                .array(CapabilityTable(configuration.table).rows.map { .string("\($0)") })
            ),
            ("duration", configuration.duration.map { .string($0.asWritten) }),
            ("clock", .string(configuration.clock.rawValue)),
            (
                "plugins",
                .array(
                    roles.map { role, source in
                        .members(
                            [
                                ("role", .string(role)),
                                ("connect", source.configuration.connect.map { .string($0) }),
                                ("plugin", .string(source.descriptor.id)),
                                ("library", .string(source.factory.path)),
                                (
                                    "settings",
                                    .members(
                                        source.settings.map {
                                            ($0.name, JSON(source.printable($0)))
                                        })
                                ),
                                ("on-failure", .string(source.onFailure.rawValue)),
                                (
                                    "required",
                                    source.configuration.isRequired ? .boolean(true) : nil
                                ),
                                (
                                    "callback-deadline",
                                    source.configuration.callbackDeadline.map {
                                        .string($0.asWritten)
                                    }
                                ),
                                (
                                    "start-deadline",
                                    source.configuration.startDeadline.map { .string($0.asWritten) }
                                ),
                            ] + source.isolationMembers)
                    })
            ),
            (
                "timeline",
                .array(
                    configuration.timeline.map { entry in
                        [
                            "at": .string(entry.time.asWritten),
                            "command": .string(entry.command.line),
                            "origin": .string(entry.origin),
                        ]
                    })
            ),
            (
                "disk",
                .array(
                    diskUses(of: largestTracks).map { _, use in
                        .members([
                            ("folder", .string(use.folder)),
                            ("bytes-per-hour", use.bytesPerHour.map { .number($0) }),
                            ("free-bytes", use.freeBytes.map { .number($0) }),
                        ])
                    })
            ),
        ])
    }
}

extension SourcePlan {
    /// The value of a setting without secrets and the credentials of URLs.
    fileprivate func printable(_ setting: PluginSetting) -> ParameterValue {
        let isSecret = descriptor.parameters.contains { $0.name == setting.name && $0.isSecret }
        return isSecret && setting.value != .string("")
            ? .string("(secret)") : setting.value.withoutCredentials
    }

    /// The plugin's process and grants, as text.
    fileprivate func living(isBundled: Bool) -> String {
        let failure =
            (mayControl ? "may control the session; " : "")
            + "on failure: \(onFailure)" + (configuration.isRequired ? "; required" : "")
            + (configuration.startDeadline.map { "; starts within \($0.asWritten)" } ?? "")
        guard let isolation else {
            return
                "in the host's process\(isBundled ? "" : "; it can do all that you can"); \(failure)"
        }
        let granted = isolation.grants
        let grants = [
            ("read", granted.read), ("write", granted.write), ("use", granted.devices),
            ("use", granted.network ? ["the network"] : []),
            ("connect to", granted.connect),
            (
                "use",
                granted.display
                    ? ["the display, so on X11 it can see every window, read the keyboard and type"]
                    : []
            ),
            (
                "use",
                granted.pipewire
                    ? ["PipeWire, so it can hear every program and microphone, and use cameras"]
                    : []
            ),
        ].compactMap { verb, paths in
            paths.isEmpty ? nil : "may \(verb) \(paths.joined(separator: ", "))"
        }
        let confinement =
            isolation.sandbox == .off
            ? ["sandbox: off; it can do all that you can"] : ["sandbox: \(isolation.sandbox)"]
        let words =
            ["in a separate process"] + confinement + ["at most \(isolation.memoryLimit)"]
            + (isolation.sandbox == .off ? [] : grants) + [failure]
        return words.joined(separator: "; ")
    }

    /// The plugin's own files, which its process may always read.
    fileprivate var files: [String] { LibraryFiles.of(factory.path) }

    /// The plugin's process and grants, as JSON.
    fileprivate var isolationMembers: [(String, JSON?)] {
        guard let isolation else {
            return [("isolation", "host")] + (mayControl ? [("allow", ["control": true])] : [])
        }
        func list(_ paths: [String]) -> JSON { .array(paths.map { .string($0) }) }
        return [
            ("isolation", "process"),
            ("sandbox", .string(isolation.sandbox.rawValue)),
            ("memory-limit", .string("\(isolation.memoryLimit)")),
            ("reads", list(files)),
            (
                "allow",
                [
                    "read": list(isolation.grants.read), "write": list(isolation.grants.write),
                    "devices": list(isolation.grants.devices),
                    "network": .boolean(isolation.grants.network),
                    "connect": list(isolation.grants.connect),
                    "display": .boolean(isolation.grants.display),
                    "pipewire": .boolean(isolation.grants.pipewire),
                    "control": .boolean(mayControl),
                ]
            ),
        ]
    }
}

extension ParameterValue {
    /// The text on one line. Several lines become a list.
    fileprivate var onOneLine: String {
        let lines = description.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 1 ? "[\(lines.joined(separator: ", "))]" : description
    }

    /// The value with `*` instead of the credentials of URLs.
    fileprivate var withoutCredentials: ParameterValue {
        if case .string(let text) = self { .string(text.hidingCredentials) } else { self }
    }
}
