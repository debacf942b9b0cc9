import GreenroomLifecycle
import GreenroomConfig
import GreenroomOutputs
import GreenroomSchema
import GreenroomHost
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession
import GreenroomVideo

/// A session of one plugin, or of an agent: the plugins of one name in a file, which are one object.
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
        parts = try Self.parts(plugin, locator, folder: folder)
        let descriptor = parts[0].descriptor
        if !descriptor.kind.hasVideo,
            let option = arguments.snapshot.map({ "--snapshot \($0)" })
                ?? arguments.y4m.map({ "--y4m \($0)" })
        {
            throw ExitError(
                .usage,
                "\(option): \(descriptor.name) is \(descriptor.kind.nameWithArticle), and has no video. "
                    + "Leave it out.")
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

    /// The plugins that an argument means.
    private static func parts(
        _ plugin: PluginArgument, _ locator: PluginLocator, folder: String
    ) throws -> [PreviewPart] {
        let found = try locator.find(all: plugin, relativeTo: folder).descriptors
        let parts = PreviewPart.kindsOfAgents.compactMap { kind in found.first { $0.kind == kind } }
        if parts.count == found.count, Set(parts.map(\.name)).count == 1 {
            return parts.map(PreviewPart.init)
        }
        return [PreviewPart(try locator.find(plugin, relativeTo: folder).descriptor)]
    }

    /// The track of the first plugin.
    var track: VideoTrackKind { parts[0].address.role?.track ?? .camera }

    /// A line with the plugin and its process.
    var title: String {
        let descriptor = parts[0].descriptor
        let place =
            session[parts[0].address]?.isolation == nil
            ? "in the host's process" : "in a separate process"
        let kind =
            parts.count == 1
            ? descriptor.kind.nameWithArticle
            : "an agent (\(parts.map(\.descriptor.kind.facts.word).joined(separator: ", ")))"
        return "\(descriptor.name) \(descriptor.version), \(kind), \(place)"
    }
}

/// A plugin of a preview.
struct PreviewPart {
    /// The kinds of an agent's parts, in the order in which a preview shows them.
    static let kindsOfAgents: [PluginKind] = [.videoSource, .shareSource, .virtualMic, .output]

    let descriptor: PluginDescriptor

    init(_ descriptor: PluginDescriptor) { self.descriptor = descriptor }

    /// The plugin's address in the session.
    var address: PluginAddress { PluginAddress(of: descriptor.kind) }

    /// The track whose video the plugin sends or edits.
    var videoTrack: VideoTrackKind? { descriptor.kind.hasVideo ? address.role?.track : nil }
}

extension SessionFileError {
    /// Whether all errors concern the plugin's settings, which another build may support.
    var isAboutSettings: Bool { diagnostics.allSatisfy { !$0.place.path.isEmpty } }
}
