import CLinux
import Glibc
import GreenroomABI
import GreenroomConfig
import GreenroomIsolation
import GreenroomMedia
import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomSandbox
import GreenroomSchema
import GreenroomLifecycle
import GreenroomSession
import GreenroomSystem

extension SessionPlan {
    /// Loads the plugins of a configuration, and checks their settings and commands.
    ///
    /// - Throws: Every problem.
    package init(
        _ configuration: SessionConfiguration, locator: PluginLocator
    ) throws(ConfigurationError) {
        var configuration = configuration
        configuration.composeRecordings()
        var assembly = Assembly(
            configuration: configuration, locator: locator,
            problems: configuration.conflicts(among: ConfiguredPlugins(of: configuration))
                + configuration.slotConflicts)
        let slots = configuration.slots.compactMap { assembly.resolve($0) }
        let outputs = configuration.outputPlugins.compactMap { index, plugin in
            assembly.resolve(
                plugin, configuration.outputs[index].output.isCall ? .call : .output,
                configuration.address(ofOutput: index),
                writing: configuration.outputs[index].output.writtenFolder
            ).map { (index, $0) }
        }
        let callFilters = configuration.callFilters.enumerated().compactMap { index, plugin in
            assembly.resolve(plugin, .audioPreProcessor, .callFilter(index))
        }
        self.init(
            configuration, slots: slots, outputs: Dictionary(uniqueKeysWithValues: outputs),
            callFilters: callFilters)
        assembly.problems += stageProblems + nameProblems
        self.configuration.timeline = assembly.timeline(of: self)
        controlParser = .lines
        hooks = assembly.hooks()
        reportPath = pathOfReport
        guard assembly.problems.isEmpty else { throw ConfigurationError(assembly.problems) }
    }
}

extension SessionConfiguration {
    /// Roles with two sources, which a session file can't express.
    fileprivate var slotConflicts: [ConfigurationProblem] {
        slots.enumerated().compactMap { index, slot in
            guard slots[..<index].contains(where: { $0.role == slot.role }) else { return nil }
            return ConfigurationProblem(
                "an earlier slot has this role. Keep one.", at: slot.role.rawValue)
        }
    }
}

private struct Assembly {
    let configuration: SessionConfiguration
    let locator: PluginLocator
    var problems: [ConfigurationProblem]
    /// The libraries whose sources share a process, by path and isolation.
    private var common: [Process: any PluginFactory] = [:]
    /// The listeners for programs, by socket, and the number of plugins that they serve.
    private var listeners: [String: ProgramListener] = [:]
    private var connectedCount = 0
    /// The first part of each kind of each agent.
    private var agentParts: [AgentPart] = []

    private struct AgentPart {
        var path: String
        var name: String
        var kind: PluginKind
        var address: PluginAddress
        var settings: [String: ParameterValue]
    }

    private struct Process: Hashable {
        var path: String
        var plan: IsolationPlan
        var interpreter: ScriptInterpreter?
    }

    init(
        configuration: SessionConfiguration, locator: PluginLocator,
        problems: [ConfigurationProblem]
    ) {
        self.configuration = configuration
        self.locator = locator
        self.problems = problems
    }

    mutating func resolve(_ slot: SessionSlot<PluginConfiguration>) -> SessionSlot<SourcePlan>? {
        let plugins = slot.plugins.map { address, plugin in
            (address.filter == nil ? slot.role.kind : slot.role.facts.filters).flatMap {
                resolve(plugin, $0, address)
            }
        }
        guard let source = plugins.first ?? nil else { return nil }
        return SessionSlot(slot.role, source, filters: plugins.dropFirst().compactMap(\.self))
    }

    /// - Parameter folder: A folder that the plugin may write to in a separate process.
    mutating func resolve(
        _ plugin: PluginConfiguration, _ kind: PluginKind, _ address: PluginAddress,
        writing folder: String? = nil
    ) -> SourcePlan? {
        if let socket = plugin.connect { return connected(plugin, kind, socket) }
        let name = plugin.plugin
        var locator = configuration.acceptsGap(of: plugin) ? locator.accepting : locator
        locator.loadLimit = configuration.loadLimit(of: plugin)
        do throws(LoadError) {
            let (found, seen) = try locator.find(
                name, kind: kind, relativeTo: configuration.folder, python: plugin.python)
            guard seen.kind == kind else {
                let home =
                    SessionRole.allCases.first { $0.kind == seen.kind }
                    .map { "goes under \"\($0.rawValue)\"" }
                    ?? (seen.kind.isCall
                        ? "goes under \"\(PluginAddress.callKey)\""
                        : seen.kind.isOutput
                            ? "goes under \"\(PluginAddress.outputsKey)\""
                            : "goes under \"\(PluginAddress.filtersKey)\" of \(Self.owners(of: seen.kind))")
                report(
                    "needs \(kind.nameWithArticle), and \(seen.name) is \(seen.kind.nameWithArticle), which \(home). "
                        + "greenroom plugins lists the plugins of each kind.", "\(address).plugin")
                return nil
            }
            let standard = locator.standardIsolation(of: seen, in: found.path)
            // The library of an isolated plugin is not loaded into this process.
            if ScriptInterpreter.runs(found.path),
                configuration.isolation(of: plugin, standard: standard) == .host
            {
                report(
                    "a script runs in a separate process. Remove isolation: host.",
                    plugin.isolation == nil ? "session.isolation" : "\(address).isolation")
                return nil
            }
            let loaded =
                configuration.isolation(of: plugin, standard: standard) == .process
                ? nil
                : try load(
                    seen, from: found.path, for: address, within: locator.loadLimit)
            let descriptor = loaded?.descriptor ?? seen
            let (settings, wrong) = SecretFile.check(
                plugin.settings, of: descriptor, relativeTo: configuration.folder)
            for problem in wrong { report(problem, plugin, address, of: descriptor) }
            problems += configuration.conflicts(of: plugin, at: address, standard: standard)
            let policy = configuration.failurePolicy(
                of: plugin, standard: standard, isOutput: kind.takesMedia)
            if let library = loaded?.library {
                return SourcePlan(
                    factory: library, descriptor: descriptor, settings: settings,
                    configuration: plugin, onFailure: policy)
            }
            for (index, path) in (plugin.grants?.connect ?? []).enumerated() {
                if let refusal = ConnectionGrants.refusal(of: path) {
                    report(refusal, "\(address).allow.connect[\(index)]")
                }
            }
            let isProgram = isProgram(descriptor, in: found.path)
            var isolation =
                isProgram
                ? program(of: found)
                : isolation(
                    of: plugin, descriptor, settings,
                    granted: locator.needs(of: descriptor, in: found.path),
                    isBundled: locator.isBundled(found.path))
            if isProgram { compare(plugin, descriptor, in: found.path, at: address) }
            if let folder { isolation.grants.write.append(folder) }
            // Bundled plugins are trusted, and use the layers that exist.
            if isolation.sandbox == .on, locator.isBundled(found.path), Sandbox.available.gap != nil
            {
                isolation.sandbox = .partial
            }
            if isolation.sandbox == .require, let shortfall = Sandbox.available.shortfall {
                report(
                    "requires the whole sandbox, but this machine lacks parts of it: "
                        + "\(shortfall). Use a newer kernel, or sandbox: partial.",
                    "\(address)")
            }
            return SourcePlan(
                factory: try factory(
                    of: descriptor, in: found.path, isolation, locator, python: plugin.python),
                descriptor: descriptor,
                settings: settings, configuration: plugin, onFailure: policy,
                isolation: isolation)
        } catch {
            report(locator.explain(error, name, kind), "\(address).plugin")
            return nil
        }
    }

    /// The plan of a plugin in a program that connects. Its end is not a failure: it may connect again.
    private mutating func connected(
        _ plugin: PluginConfiguration, _ kind: PluginKind, _ socket: String
    ) -> SourcePlan {
        let parts = socket.split(separator: "#", maxSplits: 1).map(String.init)
        let path = parts.first ?? socket
        let listener = listeners[path] ?? ProgramListener(path: path)
        listeners[path] = listener
        connectedCount += 1
        let factory = listener.factory(
            of: kind, named: parts.count > 1 ? parts[1] : nil, place: connectedCount)
        return SourcePlan(
            factory: factory, descriptor: factory.descriptor, settings: [], configuration: plugin,
            onFailure: .off)
    }

    /// The sections with filters of a kind: `camera or share`.
    private static func owners(of filters: PluginKind) -> String {
        SessionRole.allCases.filter { $0.facts.filters == filters }.map(\.rawValue)
            .joined(separator: " or ")
    }

    /// The library of an isolated plugin.
    private mutating func factory(
        of plugin: PluginDescriptor, in path: String, _ plan: IsolationPlan,
        _ locator: PluginLocator, python: String?
    ) throws(LoadError) -> any PluginFactory {
        guard plugin.needs.contains(.oneProcess) || ScriptInterpreter.runs(path) else {
            return locator.isolated(path, plan)
        }
        let interpreter = try locator.interpreter(of: path, python: python)
        let process = Process(path: path, plan: plan, interpreter: interpreter)
        let factory = common[process] ?? locator.common(path, plan, interpreter)
        common[process] = factory
        return factory
    }

    /// Loads a library into this process, for a plugin that runs in it.
    ///
    /// - Parameters:
    ///   - seen: The plugin as the scan found it.
    ///   - limit: The time limit, in nanoseconds.
    private func load(
        _ seen: PluginDescriptor, from path: String, for address: PluginAddress,
        within limit: Int64
    ) throws(LoadError) -> (library: PluginLibrary, descriptor: PluginDescriptor) {
        let library = try PluginLibrary(loading: path, within: limit)
        guard let descriptor = library.selfDescription[seen.id, seen.kind] else {
            throw .changed(seen, path)
        }
        greenroom_name_plugin(
            unsafeBitCast(library.entry.create, to: UnsafeRawPointer.self),
            "\(address) (\(descriptor.name))")
        return (library, descriptor)
    }

    /// The isolation of a plugin.
    ///
    /// - Parameters:
    ///   - descriptor: The plugin's description.
    ///   - settings: Its checked settings.
    ///   - needs: The needs that the host satisfies without keys of the file.
    ///   - isBundled: Whether the host trusts the plugin.
    private func isolation(
        of plugin: PluginConfiguration, _ descriptor: PluginDescriptor, _ settings: [PluginSetting],
        granted needs: PluginNeeds, isBundled: Bool
    ) -> IsolationPlan {
        var process = configuration.process(of: plugin)
        if isBundled, descriptor.memoryMegabytes > 0, plugin.memoryLimit == nil {
            process.memoryLimit = .megabytes(Int32(descriptor.memoryMegabytes))
        }
        // If the file grants more than control, use only the file's grants, in the sandbox that enforces them.
        if plugin.grants?.needProcess != true {
            if needs.contains(.network) { process.grants.network = true }
            if needs.contains(.ownSandbox), plugin.sandbox == nil, configuration.sandbox == nil {
                process.sandbox = .off
            }
        }
        // A path in a given setting is readable. Default values are not: with them a plugin could
        // grant itself any path.
        for setting in settings where setting.type == .path && plugin.settings[setting.name] != nil
        {
            guard case .string(let path) = setting.value, !process.grants.read.contains(path)
            else { continue }
            // An output's file may not exist yet; `allow` grants its folder.
            guard !descriptor.kind.isOutput || resolvedPath(path) != nil else { continue }
            process.grants.read.append(path)
        }
        return process
    }

    /// Whether the plugins of a file are parts of one program, as the plugins of a script and of an agent are.
    private func isProgram(_ plugin: PluginDescriptor, in path: String) -> Bool {
        ScriptInterpreter.runs(path)
            || plugin.needs.contains(.oneProcess) && !locator.isBundled(path)
    }

    /// Reports settings that differ between the parts of an agent, which has one value. A second part of a kind is of
    /// another agent.
    private mutating func compare(
        _ plugin: PluginConfiguration, _ descriptor: PluginDescriptor, in path: String,
        at address: PluginAddress
    ) {
        let others = agentParts.filter { $0.path == path && $0.name == descriptor.name }
        guard !others.contains(where: { $0.kind == descriptor.kind }) else { return }
        agentParts.append(
            AgentPart(
                path: path, name: descriptor.name, kind: descriptor.kind, address: address,
                settings: plugin.settings))
        for (name, value) in plugin.settings.sorted(by: { $0.key < $1.key }) {
            guard let other = others.first(where: { $0.settings[name] ?? value != value })
            else { continue }
            report(
                "\(other.address) has another value, and both are parts of \(descriptor.name). Write "
                    + "the setting once.", "\(address).settings".appending(key: name))
        }
    }

    /// The isolation of a program's process, which is equal for all parts of the program: each has the grants of
    /// all, and the first part that says so chooses the sandbox.
    private func program(of library: LibraryDescription) -> IsolationPlan {
        let parts = configuration.plugins.map(\.plugin).filter { isPart($0, of: library) }
        let settings = Set(
            library.descriptors.flatMap(\.parameters).filter { $0.type == .path }.map(\.name))
        var plan = IsolationPlan(
            sandbox: parts.lazy.compactMap(\.sandbox).first ?? configuration.sandbox
                ?? SessionConfiguration.defaultSandbox)
        let processes = parts.map(configuration.process)
        plan.memoryLimit = processes.map(\.memoryLimit).max() ?? plan.memoryLimit
        for (part, process) in zip(parts, processes) {
            plan.grants.formUnion(process.grants)
            for (name, value) in part.settings where settings.contains(name) {
                guard case .string(let text) = value else { continue }
                let path = absolutePath(text, from: configuration.folder)
                if resolvedPath(path) != nil { plan.grants.formUnion(Grants(read: [path])) }
            }
        }
        return plan
    }

    /// Whether a plugin of the session is in a library, by its path, its name or its id.
    private func isPart(_ plugin: PluginConfiguration, of library: LibraryDescription) -> Bool {
        guard plugin.connect == nil else { return false }
        let file = String(plugin.plugin.prefix { $0 != "#" })
        return file.contains("/")
            ? absolutePath(file, from: configuration.folder) == library.path
            : library.descriptors.contains { $0.name == file || $0.id == file }
    }

    /// The checked timeline.
    ///
    /// - Parameter plan: The plan with the plugins that were found.
    mutating func timeline(of plan: SessionPlan) -> [TimelineEntry] {
        configuration.timeline.compactMap { entry in
            // A plugin that was not found is reported already.
            if let target = entry.command.target, !plan.has(target) { return nil }
            do throws(CommandError) {
                var checked = entry
                checked.command = try plan.check(entry.command, isFromFile: true)
                return checked
            } catch {
                report(error.description, entry.origin)
                return nil
            }
        }
    }

    /// The hooks, with the keys of their requests.
    mutating func hooks() -> [HookTrigger: HookJob] {
        var jobs: [HookTrigger: HookJob] = [:]
        for (trigger, action) in configuration.hooks {
            let path = "on.\(trigger.rawValue)"
            switch action {
            case .command(let words):
                guard let program = words.first else { continue }
                if !Self.isProgram(program, in: configuration.folder) {
                    report(
                        "\(program): no such program. Install it, or correct the first word.", path)
                }
                jobs[trigger] = .command(words)
            case .post(let url, let secretFile):
                if !Self.isProgram("curl", in: configuration.folder) {
                    report("needs the program curl, which sends the request. Install it.", path)
                }
                do throws(InvalidValueError) {
                    let text = try SecretFile.read(secretFile, relativeTo: configuration.folder)
                    jobs[trigger] = .post(url: url, key: try HookRequest.key(text))
                } catch {
                    report(error.description, "\(path).secret-file")
                }
            }
        }
        return jobs
    }

    /// Whether a program can be started from a folder.
    private static func isProgram(_ name: String, in folder: String) -> Bool {
        let folders =
            name.contains("/")
            ? [""]
            : (environmentVariable("PATH") ?? "/usr/bin:/bin").split(separator: ":").map {
                "\($0)/"
            }
        return folders.contains { access(absolutePath("\($0)\(name)", from: folder), X_OK) == 0 }
    }

    private mutating func report(
        _ problem: SettingError, _ plugin: PluginConfiguration, _ address: PluginAddress,
        of descriptor: PluginDescriptor
    ) {
        let known =
            descriptor.parameters.map(\.name)
            + descriptor.parameters.filter(\.isSecret).map { SecretFile.key(of: $0.name) }
        let isUnknown = plugin.settings[problem.name] != nil && !known.contains(problem.name)
        let meant =
            isUnknown
            ? nearestName(to: problem.name, among: known).map { " Did you mean \"\($0)\"?" } : nil
        problems.append(
            ConfigurationProblem(
                "\(problem)\(meant ?? "")",
                at: "\(address).settings".appending(key: problem.name), isOfKey: isUnknown))
    }

    private mutating func report(_ message: String, _ path: String) {
        problems.append(ConfigurationProblem(message, at: path))
    }
}
