package import GreenroomConfig
package import GreenroomSchema
import GreenroomConversion
import GreenroomIsolation
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomSandbox
package import GreenroomSession

extension SessionPlan {
    /// Loads the plugins that a session file names, and checks their settings.
    ///
    /// - Throws: Every problem at once, each at its place in the file.
    package init(_ file: SessionFile, locator: PluginLocator) throws(SessionFileError) {
        self.init(name: file.name)
        var assembly = Assembly(file: file, locator: locator)
        maximum = file.maximum
        durationNanoseconds = file.duration?.nanoseconds
        callbackDeadlineNanoseconds = file.callbackDeadline.nanoseconds
        slots = file.slots.compactMap { assembly.resolve($0) }
        broadcast = file.broadcast?.value
        outputs = file.outputs.map(\.value)
        clock = file.clock == .virtual ? .virtual : .real
        table = assembly.table()
        timeline = assembly.timeline(of: self)
        guard assembly.diagnostics.isEmpty else {
            throw SessionFileError(assembly.diagnostics, in: file.source)
        }
    }
}

private struct Assembly {
    var file: SessionFile
    var locator: PluginLocator
    var diagnostics: [Diagnostic] = []

    mutating func resolve(_ slot: SessionSlot<SessionFile.Plugin>) -> SessionSlot<SourcePlan>? {
        let plugin = resolve(slot.plugin, slot.role.kind)
        let filters = slot.filters.compactMap { filter in
            slot.role.facts.filters.flatMap { resolve(filter, $0) }
        }
        return plugin.map { SessionSlot(slot.role, $0, filters: filters) }
    }

    private mutating func resolve(_ plugin: SessionFile.Plugin, _ kind: PluginKind) -> SourcePlan? {
        let name =
            switch plugin.reference.value {
            case .name(let name): name
            case .path(let path): path
            }
        do throws(LoadError) {
            let (found, seen) = try locator.find(name, kind: kind, relativeTo: file.folder)
            guard seen.kind == kind else {
                let home =
                    SessionRole.allCases.first { $0.kind == seen.kind }
                    .map { "goes under \"\($0.rawValue)\"" } ?? "goes under \"pre-processors\""
                report(
                    "needs a \(kind.name), and \(seen.name) is a \(seen.kind.name), which \(home). "
                        + "greenroom plugins lists the plugins of each kind.",
                    plugin.reference.place)
                return nil
            }
            let isBundled = locator.isBundled(found.path)
            // Nothing of a plugin with a process of its own is loaded into this one.
            let loaded =
                file.isolation(of: plugin, isBundled: isBundled) == .process
                ? nil : try load(seen, from: found.path)
            let descriptor = loaded?.descriptor ?? seen
            let given = plugin.settings.map {
                (name: $0.name, value: $0.value.value)
            }
            let (settings, problems) = descriptor.check(settings: given, relativeTo: file.folder)
            for problem in problems { report(problem, plugin, of: descriptor) }
            diagnostics += file.conflicts(of: plugin, isBundled: isBundled)
            let policy = file.failurePolicy(of: plugin, isBundled: isBundled)
            if let library = loaded?.library {
                return SourcePlan(
                    factory: library, descriptor: descriptor, settings: settings, onFailure: policy)
            }
            let isolation = isolation(of: plugin, settings)
            if isolation.sandbox == .require, let shortfall = Sandbox.available.shortfall {
                report(
                    "it requires the whole sandbox, and this machine lacks a part of it: "
                        + "\(shortfall). A newer kernel has it; sandbox: on does without it.",
                    plugin.place)
            }
            return SourcePlan(
                factory: locator.isolated(found.path, isolation), descriptor: descriptor,
                settings: settings, onFailure: policy, isolation: isolation)
        } catch {
            report(locator.explain(error, name, kind), plugin.reference.place)
            return nil
        }
    }

    /// Loads a library into this process, which its plugin is to run in.
    ///
    /// - Parameter seen: The plugin as it was when the library was looked into.
    private func load(
        _ seen: PluginDescriptor, from path: String
    ) throws(LoadError) -> (library: PluginLibrary, descriptor: PluginDescriptor) {
        let library = try PluginLibrary(loading: path)
        guard let descriptor = library.selfDescription[seen.id, seen.kind] else {
            throw .changed(seen, path)
        }
        return (library, descriptor)
    }

    /// The process of a plugin.
    ///
    /// - Parameter settings: The plugin's, checked.
    private func isolation(
        of plugin: SessionFile.Plugin, _ settings: [Setting]
    ) -> IsolationPlan {
        let grants = plugin.grants?.value ?? SessionFile.Grants()
        // A path that the file gives in a setting is meant to be read. Only of those that it
        // gives: by its defaults a plugin could grant itself what it likes.
        let given = Set(plugin.settings.map(\.name))
        let paths = settings.compactMap { setting -> String? in
            guard setting.type == .path, given.contains(setting.name),
                case .string(let path) = setting.value
            else { return nil }
            return path
        }
        return IsolationPlan(
            sandbox: file.sandbox(of: plugin),
            memoryLimitBytes: file.memoryLimit(of: plugin).bytes,
            read: grants.read + paths.filter { !grants.read.contains($0) },
            write: grants.write, devices: grants.devices, network: grants.network)
    }

    /// The sizes that cameras are offered.
    mutating func table() -> CapabilityTable {
        var rows = file.table?.value ?? CapabilityTable.standard.rows
        if let more = file.moreSizes {
            let sizes = Set(more.value.map(\.size))
            rows = rows.filter { !sizes.contains($0.size) } + more.value
            if rows.count > Self.maximumRows {
                report(
                    "with these the table has \(rows.count) rows, and can have "
                        + "\(Self.maximumRows). Remove some.", more.place)
            }
        }
        return CapabilityTable(rows)
    }

    /// As many rows as a table may have.
    private static let maximumRows = 64

    /// What is done while the session runs.
    ///
    /// - Parameter plan: With all plugins that can be had.
    mutating func timeline(of plan: SessionPlan) -> [TimelineEntry] {
        file.timeline.compactMap { entry in
            // Of a plugin that can't be had, that was told.
            if let target = entry.value.command.target, !plan.has(target) { return nil }
            do throws(CommandProblem) {
                var checked = entry.value
                checked.command = try plan.check(checked.command, folder: file.folder)
                return checked
            } catch {
                report(error.message, entry.place)
                return nil
            }
        }
    }

    private mutating func report(
        _ problem: SettingProblem, _ plugin: SessionFile.Plugin, of descriptor: PluginDescriptor
    ) {
        let setting = plugin.settings.last { $0.name == problem.name }
        let known = descriptor.parameters.map(\.name)
        if let setting, !known.contains(setting.name) {
            let meant = nearestName(to: setting.name, among: known)
                .map { " Did you mean \"\($0)\"?" }
            report("\(problem.explanation)\(meant ?? "")", setting.namePlace)
        } else if let setting {
            report(problem.explanation, setting.value.place)
        } else {
            var place = plugin.place
            place.path += ".settings.\(problem.name)"
            report(problem.explanation, place)
        }
    }

    private mutating func report(_ message: String, _ place: SourceLocation) {
        diagnostics.append(Diagnostic(message, at: place))
    }
}
