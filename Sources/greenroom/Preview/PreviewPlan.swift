import GreenroomLifecycle
import GreenroomConfig
import GreenroomOutputs
import GreenroomSchema
import GreenroomHost
import GreenroomIsolation
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession
import GreenroomVideo

/// A session of one plugin, or of the parts of an agent.
struct PreviewPlan {
    var session: SessionPlan
    /// The plugins; the first has the track of snapshots.
    var parts: [PreviewPart]
    /// Warnings about legal but unlikely arguments, one line each.
    var warnings: [String]

    /// Finds the plugin, and checks the arguments.
    ///
    /// - Parameters:
    ///   - plugin: The plugin's argument.
    ///   - arguments: The user's arguments.
    ///   - folder: The absolute folder of relative paths.
    /// - Throws: ``ExitError`` or `SessionFileError`, with all errors of the arguments.
    init(
        _ plugin: PluginArgument, _ arguments: PreviewCommand, folder: String,
        tap: PreviewTap
    ) throws {
        // Do not cache the locator, so that a new build is scanned again.
        let locator = Installation.ofThisProgram.locator()
        parts = try PreviewPart.find(plugin, locator, folder: folder).parts
        let descriptor = parts[0].descriptor
        if !descriptor.kind.hasVideo,
            let option = arguments.snapshot.map({ "--snapshot \($0)" })
                ?? arguments.y4m.map({ "--y4m \($0)" })
        {
            throw ExitError(
                .usage,
                "\(option): \(descriptor.name) is \(parts.title), and has no video. Leave it out.")
        }
        var file = PreviewFile(plugin: plugin.place, parts: parts, folder: folder)
        file.assignments = arguments.assignments
        file.duration = arguments.duration
        file.maximum = arguments.maximum
        file.ceilings = arguments.ceiling
        file.isWatched = arguments.watch
        file.grants = arguments.grants.entries
        file.hasVirtualClock = arguments.virtualClock
        do throws(SessionFileError) {
            let read = try file.read()
            warnings =
                locator.warnings.map { "warning: \($0)" }
                + read.warnings.flatMap { read.source.lines(of: $0, isWarning: true) }
            session = try read.plan(with: locator)
        } catch {
            throw PreviewFile.byArgument(error)
        }
        for index in session.configuration.timeline.indices {
            session.configuration.timeline[index].origin = "--ceiling"
        }
        // Append the tap, so that an output plugin keeps its place.
        session.configuration.outputs.append(SessionOutput(PreviewOutput(tap, track: track)))
    }

    /// The track of the first plugin.
    var track: VideoTrackKind { parts[0].address.role?.track ?? .camera }

    /// A line with the plugin and its process.
    var title: String {
        let descriptor = parts[0].descriptor
        let place =
            session[parts[0].address]?.isolation == nil
            ? "in the host's process" : "in a separate process"
        return "\(descriptor.name) \(descriptor.version), \(parts.title), \(place)"
    }
}

extension [PreviewPart] {
    /// The kind, or the parts of an agent.
    fileprivate var title: String {
        count == 1
            ? self[0].descriptor.kind.nameWithArticle
            : "an agent (\(map(\.descriptor.kind.facts.word).joined(separator: ", ")))"
    }
}

/// A plugin of a preview.
struct PreviewPart {
    /// The kinds of an agent's parts, in the order in which a preview shows them.
    private static let kindsOfAgents: [PluginKind] = [
        .videoSource, .shareSource, .virtualMic, .output,
    ]

    let descriptor: PluginDescriptor

    /// Finds the plugin that an argument means, or the parts of the agent.
    static func find(
        _ plugin: PluginArgument, _ locator: PluginLocator, folder: String
    ) throws -> (library: LibraryDescription, parts: [PreviewPart]) {
        let (library, found) = try locator.find(all: plugin, relativeTo: folder)
        if found.count == 1 { return (library, found.map(PreviewPart.init)) }
        let parts = kindsOfAgents.compactMap { kind in found.first { $0.kind == kind } }
        let isOneObject =
            ScriptInterpreter.runs(library.path)
            || found.allSatisfy { $0.needs.contains(.oneProcess) }
        if parts.count == found.count, isOneObject, Set(parts.map(\.name)).count == 1 {
            return (library, parts.map(PreviewPart.init))
        }
        let one = try locator.find(plugin, relativeTo: folder)
        return (one.library, [PreviewPart(descriptor: one.descriptor)])
    }

    /// The plugin's address in the session.
    var address: PluginAddress { PluginAddress(of: descriptor.kind) }

    /// The track whose video the plugin sends or edits.
    var videoTrack: VideoTrackKind? { descriptor.kind.hasVideo ? address.role?.track : nil }
}

extension SessionFileError {
    /// Whether all errors concern the plugin's settings, which another build may support.
    var isAboutSettings: Bool { diagnostics.allSatisfy { !$0.place.path.isEmpty } }
}
