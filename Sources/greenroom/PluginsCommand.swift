import ArgumentParser
import Glibc
import GreenroomConfig
import GreenroomLifecycle
import GreenroomSchema
import GreenroomHost
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel
import GreenroomSandbox

/// The help of `--rescan`.
private let rescanHelp = "Rescan all libraries, ignoring the cache."

/// The absolute folder of an argument's relative path.
var workingFolder: String { resolvedPath(".") ?? "" }

/// `greenroom plugins`.
struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List the plugins that a session file can name.",
        discussion: """
            GREENROOM_PLUGIN_PATH adds folders, separated by colons. Each library is scanned in a \
            separate process; the result is cached until the file changes. The list shows the \
            result of greenroom validate as well; it is stale when the file or Greenroom has \
            changed.
            """)

    @Argument(help: "Plugins to list instead of all: names, libraries or scripts.")
    var plugins: [String] = []

    @Flag(help: "Print the list as one JSON object.")
    var json = false

    @Flag(help: ArgumentHelp(rescanHelp))
    var rescan = false

    func run() throws {
        let locator = Installation.ofThisProgram.locatorOfAll(rescans: rescan)
        locator.printWarnings()
        var rows: [[String]] = []
        var objects: [JSON] = []
        func list(_ descriptors: [PluginDescriptor], of library: LibraryDescription) {
            let isBundled = locator.isBundled(library.path)
            for descriptor in descriptors {
                let conformance = Conformance(of: descriptor, in: library)
                rows.append([
                    descriptor.name, descriptor.kind.name, descriptor.version, conformance.word,
                    isBundled ? "bundled" : library.path, descriptor.summary,
                ])
                objects.append(
                    descriptor.json(
                        in: library,
                        locator.standardIsolation(of: descriptor, in: library.path), conformance))
            }
        }
        var refusals: [LoadError] = []
        if plugins.isEmpty {
            let findings = locator.scan(withEffects: true)
            let needed = findings.neededLibraries
            for finding in findings {
                switch finding.result {
                case .success(let library): list(library.descriptors, of: library)
                case .failure(let error):
                    guard error.code != .notAPlugin || !needed.contains(finding.path) else {
                        continue
                    }
                    refusals.append(error)
                }
            }
        }
        for plugin in plugins {
            let found = try locator.find(all: PluginArgument(plugin), relativeTo: workingFolder)
            list(found.descriptors, of: found.library)
        }
        if json {
            let refused = refusals.map { refusal -> JSON in
                [
                    "library": .string(refusal.place), "code": .string(refusal.code.rawValue),
                    "reason": .string(refusal.explanation),
                ]
            }
            Console.write(
                json: (["plugins": .array(objects), "refused": .array(refused)] as JSON).text)
            return
        }
        rows.sort { ($0[1], $0[0]) < ($1[1], $1[0]) }
        rows += refusals.map { refusal in
            let file = refusal.place.split(separator: "/").last.map(String.init) ?? refusal.place
            return [file, "-", "-", "-", refusal.place, "refused: \(refusal.explanation)"]
        }
        if rows.isEmpty {
            Console.write("no plugins in \(locator.folders.joined(separator: ", "))")
        } else {
            Console.write(
                table([["NAME", "KIND", "VERSION", "VALIDATED", "FROM", "SUMMARY"]] + rows))
        }
    }
}

extension [PluginLocator.Finding] {
    /// The libraries beside plugins outside the bundled folders that are not plugins and need not
    /// be.
    fileprivate var neededLibraries: Set<String> {
        let failed = contains {
            if case .failure(let error) = $0.result { error.code == .notAPlugin } else { false }
        }
        guard failed else { return [] }
        return Set(
            flatMap { finding -> [String] in
                guard case .success = finding.result else { return [] }
                let folder =
                    finding.path.lastIndex(of: "/").map { String(finding.path[..<$0]) } ?? ""
                return PluginParts.names(of: finding.path, in: folder).map { "\(folder)/\($0)" }
            })
    }
}

/// `greenroom plugin`.
struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "List, show, install or remove plugins.",
        subcommands: [List.self, Info.self, InstallPluginCommand.self, RemovePluginCommand.self])

    /// `greenroom plugin list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the plugins: the same as greenroom plugins.",
            // Without this, the usage also contains the name of the equivalent command.
            usage: "greenroom plugin list [<plugins> ...] [--json] [--rescan]")

        @OptionGroup var plugins: PluginsCommand

        func run() throws { try plugins.run() }
    }

    /// `greenroom plugin info NAME|PATH`.
    struct Info: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a plugin, its settings, and where it would run.")

        @Argument(help: "A plugin's name or id, or the path of a library or script.")
        var plugin: String

        @Flag(help: "Print the plugin as one JSON object.")
        var json = false

        @Flag(help: ArgumentHelp(rescanHelp))
        var rescan = false

        func run() throws {
            let locator = Installation.ofThisProgram.locator(rescans: rescan)
            locator.printWarnings()
            let found = try locator.find(all: PluginArgument(plugin), relativeTo: workingFolder)
            for descriptor in found.descriptors { show(descriptor, found.library, locator) }
        }

        private func show(
            _ descriptor: PluginDescriptor, _ library: LibraryDescription, _ locator: PluginLocator
        ) {
            let isolation = locator.standardIsolation(
                of: descriptor, in: absolutePath(library.path, from: workingFolder))
            let sandbox = Sandbox.available
            let conformance = Conformance(of: descriptor, in: library)
            if json {
                Console.write(
                    json: descriptor.json(in: library, isolation, conformance, sandbox)
                        .text)
                return
            }
            Console.write(
                "\(descriptor.name) \(descriptor.version), \(descriptor.kind.nameWithArticle)")
            Console.write("  \(descriptor.summary)")
            Console.write("  id: \(descriptor.id)")
            if let vendor = descriptor.vendor { Console.write("  vendor: \(vendor)") }
            if let url = descriptor.url { Console.write("  url: \(url)") }
            let isScript = ScriptInterpreter.runs(library.path)
            let word = isScript ? "script" : "library"
            Console.write("  \(word): \(library.path), interface 1.\(library.minorVersion)")
            Console.write(
                isScript
                    ? "  runs in a separate process"
                    : isolation == .host
                        ? "  runs in the host's process; isolated with isolation: process"
                        : "  runs in a separate process; with isolation: host in the host's")
            let needs = descriptor.needWords
            if !needs.isEmpty { Console.write("  needs: \(needs.joined(separator: ", "))") }
            Console.write("  validated: \(conformance.text)")
            Console.write("  sandbox of isolated plugins on this machine:")
            let layers = sandbox.entries.map { entry in
                ["    " + entry.layer.name, entry.state == .on ? "yes" : "no", entry.text]
            }
            Console.write(table(layers))
            Console.write(
                sandbox.gap.map {
                    "    not kept to its grants: \($0) is missing; it starts with sandbox: partial only"
                } ?? "    together they keep it to its grants")
            guard !descriptor.parameters.isEmpty else {
                Console.write("  settings: none")
                return
            }
            Console.write("  settings:")
            let rows = descriptor.parameters.map { parameter in
                [
                    "    " + parameter.name, parameter.typeDescription,
                    parameter.defaultValue.map { "default \($0.shown)" } ?? "required",
                    parameter.isLive ? "live" : "", parameter.title,
                ]
            }
            Console.write(table(rows))
        }
    }
}

extension PluginDescriptor {
    /// The needs of the plugin's process, in the words of the session file.
    fileprivate var needWords: [String] {
        let words: [(PluginNeeds, String)] = [
            (.process, "a process"), (.oneProcess, "one process for all its plugins in a session"),
            (.network, "allow: {network: true}"), (.ownSandbox, "sandbox: off"),
        ]
        return words.filter { needs.contains($0.0) }.map(\.1)
            + (memoryMegabytes > 0 ? ["memory-limit: \(memoryMegabytes) MB"] : [])
    }

    /// The plugin as JSON.
    ///
    /// - Parameter sandbox: The sandbox on this machine; nil to omit it.
    fileprivate func json(
        in library: LibraryDescription, _ isolation: Isolation, _ conformance: Conformance,
        _ sandbox: SandboxReport? = nil
    ) -> JSON {
        .members([
            ("name", .string(name)),
            ("id", .string(id)),
            ("kind", .string(kind.name)),
            ("version", .string(version)),
            ("summary", .string(summary)),
            ("vendor", vendor.map { .string($0) }),
            ("url", url.map { .string($0) }),
            ("library", .string(library.path)),
            ("isolation", .string(isolation.rawValue)),
            (
                "needs",
                needs.isEmpty && memoryMegabytes == 0 ? nil : .array(needWords.map { .string($0) })
            ),
            ("validated", conformance.json),
            ("sandbox", sandbox.map { .array($0.entries.map(\.json)) }),
            ("settings", .array(parameters.map(\.json))),
        ])
    }
}

extension SandboxReport.Entry {
    /// The layer as JSON.
    fileprivate var json: JSON {
        [
            "layer": .string(layer.name), "available": .boolean(state == .on),
            "text": .string(text),
        ]
    }
}

extension Parameter {
    /// The setting as JSON.
    fileprivate var json: JSON {
        .members([
            ("name", .string(name)),
            ("title", .string(title)),
            ("type", .string("\(type)")),
            ("unit", unit.map { .string($0) }),
            ("default", defaultValue.map { JSON($0) }),
            ("minimum", bounds.map { .number($0.lowerBound) }),
            ("maximum", bounds.map { .number($0.upperBound) }),
            ("choices", choices.isEmpty ? nil : .array(choices.map { .string($0) })),
            ("live", .boolean(isLive)),
            ("resource", .boolean(isResource)),
            ("secret", .boolean(isSecret)),
        ])
    }
}

extension ParameterValue {
    fileprivate var shown: String {
        if case .string(let text) = self, text.isEmpty { return "\"\"" }
        return description
    }
}

extension Parameter {
    fileprivate var typeDescription: String {
        let unit = unit.map { " \($0)" } ?? ""
        let bounds = boundsDescription.map { " \($0)" } ?? ""
        return type == .choice ? choices.joined(separator: "|") : "\(type)\(bounds)\(unit)"
    }
}

/// Rows of text with aligned columns, each a line.
func table(_ rows: [[String]]) -> [String] {
    // Make the cells printable before measuring them.
    let rows = rows.map { $0.map(\.printable) }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
        rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
        let cells = row.enumerated().map { column, cell in
            column == row.count - 1
                ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
        }
        return cells.joined(separator: "  ")
    }
}
