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

/// A session of one plugin.
struct PreviewPlan {
    var session: SessionPlan
    /// The plugin's address in the session.
    var address: PluginAddress
    var descriptor: PluginDescriptor
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
        descriptor = try locator.find(plugin, relativeTo: folder).descriptor
        address = PluginAddress(of: descriptor.kind)
        if !descriptor.kind.hasVideo,
            let option = arguments.snapshot.map({ "--snapshot \($0)" })
                ?? arguments.y4m.map({ "--y4m \($0)" })
        {
            throw ExitError(
                .usage,
                "\(option): \(descriptor.name) is \(descriptor.kind.nameWithArticle), and has no video. "
                    + "Leave it out.")
        }
        var file = PreviewFile(plugin: plugin.place, descriptor: descriptor, folder: folder)
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

    /// The track of the plugin.
    var track: VideoTrackKind { address.role?.track ?? .camera }
    /// The track that the plugin sends or edits; nil for an output or a call.
    var shownTrack: VideoTrackKind? {
        descriptor.kind.takesMedia && !descriptor.kind.isComposer ? nil : track
    }

    /// A line with the plugin and its process.
    var title: String {
        let place =
            session[address]?.isolation == nil
            ? "in the host's process" : "in a separate process"
        return
            "\(descriptor.name) \(descriptor.version), \(descriptor.kind.nameWithArticle), \(place)"
    }
}

extension SessionFileError {
    /// Whether all errors concern the plugin's settings, which another build may support.
    var isAboutSettings: Bool { diagnostics.allSatisfy { !$0.place.path.isEmpty } }
}
