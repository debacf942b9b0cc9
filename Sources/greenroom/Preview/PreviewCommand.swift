import ArgumentParser
import Glibc
import GreenroomConfig
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomSystem
import SystemPackage

/// `greenroom preview PLUGIN`.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Run one plugin alone, without a session file, and show how it does.",
        discussion: """
            On a terminal the numbers are drawn anew in their place; elsewhere there is a line a \
            second. They go to standard output, or to standard error with --y4m -. Ctrl-C ends the \
            preview. A filter gets the picture of ColorBars, and ceilings hold that down. A bundled \
            plugin runs in the host's process unless it is watched or is allowed something. Exit codes \
            are those of greenroom run for the same plugin.

              greenroom preview ColorBars --ceiling "2s 640x360@15, 6s none" --duration 12s
              greenroom preview ./camera.so --y4m - | ffplay -
              greenroom preview ./camera.so --watch --snapshot now.png
            """)

    @Argument(
        help: """
            A plugin's name or id, or a library's file, with #NAME behind it if it has several.
            """)
    var plugin: String

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "A setting of the plugin; may be given more than once.", valueName: "name=value"))
    var assignments: [String] = []

    @OptionGroup var grants: GrantOptions

    @Option(help: "How long to run: 10s, 500ms, 2m; until Ctrl-C if it is not said.")
    var duration: String?

    @Option(
        help: ArgumentHelp(
            """
            The most that the plugin is offered (default: \(SessionFile.defaultMaximum)).
            """, valueName: "size@fps"))
    var maximum: String?

    @Option(
        help: ArgumentHelp(
            """
            Ceilings and when each begins, with commas between: "2s 640x360@15, 6s none". Of each \
            offer it is told what the plugin made of it.
            """, valueName: "script"))
    var ceiling: String?

    @Option(
        help: ArgumentHelp(
            """
            Write the newest picture to this PNG file: each time the process gets SIGUSR1, and at \
            the end if there was none.
            """, valueName: "file"))
    var snapshot: String?

    @Option(
        name: .customLong("y4m"),
        help: ArgumentHelp(
            """
            Write the picture as Y4M to standard output (-), a named pipe or a file. When its \
            reader goes away the preview ends.
            """, valueName: "file"))
    var y4m: String?

    @Flag(
        help: """
            Start again whenever the library is rebuilt, in a new process of its own each time; \
            wait for it while it is missing, or can't be loaded.
            """)
    var watch = false

    @Flag(help: "Run on a virtual clock, as fast as the machine can. It needs a duration.")
    var virtualClock = false

    func run() throws {
        Signals.block()
        if snapshot != nil { SnapshotSignal.block() }
        let interruption = Interruption()
        Signals.handle { interruption.happen() }
        let screen = PreviewScreen(descriptor: y4m == "-" ? STDERR_FILENO : STDOUT_FILENO)
        let status: ExitStatus
        do {
            var preview = try Preview(
                self, folder: try Self.workingFolder(), screen: screen, interruption: interruption)
            status = try watch ? preview.watch() : preview.once()
        } catch {
            screen.finish()
            throw error
        }
        // What plugins printed waits for a reader, too. And a plugin that hangs has left a thread
        // behind, which must not delay the end.
        if screen.finish() { fflush(nil) }
        _exit(status.rawValue)
    }

    private static func workingFolder() throws -> String {
        guard let folder = resolvedPath(".") else {
            throw Failure(
                .usage,
                "the working folder is gone: \(Errno.last). Go to one that is "
                    + "there.")
        }
        return folder
    }
}
