import Glibc
import GreenroomConfig
import GreenroomOutputs
import GreenroomSchema
import GreenroomHost
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel
import GreenroomVideo

/// A preview: a session of one plugin or, with `--watch`, a session for each build.
struct Preview {
    private let arguments: PreviewCommand
    /// The absolute folder of relative paths.
    private let folder: String
    private let screen: PreviewScreen
    private let interruption: Interruption
    private let tap: PreviewTap
    private let snapshot: Snapshot?
    private var target: Y4MTarget?

    init(
        _ arguments: PreviewCommand, folder: String, screen: PreviewScreen,
        interruption: Interruption
    ) throws {
        self.arguments = arguments
        self.folder = folder
        self.screen = screen
        self.interruption = interruption
        let tap = PreviewTap()
        self.tap = tap
        snapshot = try arguments.snapshot.map {
            try Snapshot(of: tap, path: $0, screen: screen)
        }
    }

    /// Runs the plugin once.
    mutating func once() throws -> ExitStatus {
        let plan = try plan(PluginArgument(arguments.plugin))
        try open()
        return finish(try run(plan).status)
    }

    /// Runs each build of the plugin's library, until the user stops.
    mutating func watch() throws -> ExitStatus {
        let (library, plugin) = try locate()
        let subject =
            ScriptInterpreter.runs(library) ? "\(library) or a module beside it" : library
        var watch = LibraryWatch(library)
        var build: LibraryWatch.Build?
        while true {
            guard let next = awaitBuild(after: build, &watch) else {
                return finish(interruption.hasHappened ? .interrupted : .fine)
            }
            build = next
            do {
                let plan = try plan(plugin)
                try open()
                let lookout = Lookout(watch, from: next)
                let (ending, status) = try run(plan) { lookout.seesNewBuild() }
                switch ending {
                case .wanted: return finish(status)
                case .rebuilt: screen.show("\(subject) has changed: restarting")
                case .alone: screen.show("waiting for the next change of \(subject)")
                }
            } catch let failure as ExitError where failure.status == .badFile {
                screen.show(failure.message + ["waiting for the next change of \(subject)"])
            } catch let error as SessionFileError where error.isAboutSettings {
                screen.show(error.lines + ["waiting for the next change of \(subject)"])
            }
        }
    }

    // MARK: Steps

    private func plan(_ plugin: PluginArgument) throws -> PreviewPlan {
        try PreviewPlan(plugin, arguments, folder: folder, tap: tap)
    }

    /// Opens the video target. Called once the plugin is known to send video.
    private mutating func open() throws {
        guard target == nil, let path = arguments.y4m else { return }
        target = try Y4MTarget(path, screen: screen)
    }

    private func run(
        _ plan: PreviewPlan, orWhen isRebuilt: (@Sendable () -> Bool)? = nil
    ) throws -> (ending: PreviewRun.Ending, status: ExitStatus) {
        var plan = plan
        if let target {
            plan.session.configuration.outputs.append(
                SessionOutput(Y4MStreamOutput(target.stream, track: plan.track)))
        }
        screen.show(plan.warnings + [plan.title] + (snapshot.map { [$0.hint] } ?? []))
        let run = PreviewRun(plan, screen: screen, tap: tap, target: target)
        do {
            return try run.run(until: interruption, orWhen: isRebuilt)
        } catch let error as OutputError {
            throw ExitError(.outputFailed, "\(error)")
        }
    }

    /// Takes the final snapshot.
    private func finish(_ status: ExitStatus) -> ExitStatus {
        guard let snapshot, !snapshot.wasTaken else { return status }
        let (text, isThere) = snapshot.take()
        screen.show(text)
        return isThere || status != .fine ? status : .outputFailed
    }

    // MARK: Builds

    /// The library's file, and the plugin in it.
    private func locate() throws -> (library: String, plugin: PluginArgument) {
        let plugin = PluginArgument(arguments.plugin)
        if let file = plugin.file { return (absolutePath(file, from: folder), plugin) }
        let (library, parts) = try PreviewPart.find(
            plugin, Installation.ofThisProgram.locator(), folder: folder)
        let descriptor = parts[0].descriptor
        let name = parts.count > 1 ? descriptor.name : descriptor.id
        return (library.path, PluginArgument("\(library.path)#\(name)"))
    }

    /// Waits for a new build; nil if the viewer is gone or the user stops.
    private func awaitBuild(
        after last: LibraryWatch.Build?, _ watch: inout LibraryWatch
    ) -> LibraryWatch.Build? {
        if last == nil, LibraryWatch.Build(watch.path) == nil {
            screen.show("\(watch.path) is missing: waiting for it")
        }
        while true {
            if let build = watch.settled(), build != last { return build }
            if interruption.hasHappened || target?.hasLostItsReader == true { return nil }
            usleep(LibraryWatch.interval)
        }
    }
}
