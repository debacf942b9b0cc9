import ArgumentParser
import Glibc
import GreenroomConfig
import GreenroomSchema
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel
import GreenroomSession
import GreenroomSystem
import SystemPackage

/// `greenroom preview PLUGIN`.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Run one plugin without a session file and show its statistics.",
        discussion: """
            On a terminal, the preview updates its statistics in place; elsewhere, it prints a line \
            each second. The statistics go to standard output, or to standard error with --y4m -. \
            Ctrl-C ends the preview.

            A filter receives the video of ColorBars, which the ceilings limit. An output or a call \
            receives the video of ColorBars and the audio of Tone. A composer also receives the \
            participants of LoopbackCall. The statistics of an output count the media that it \
            accepts; those of a call also count the media of its participants.

            The parts of an agent in Python or Swift run together, in a call of two participants \
            who speak in turn. --ceiling, --snapshot and --y4m concern its camera, or else its \
            share. PATH#ID runs one part.

            A bundled plugin runs in the host's process, unless you set --watch or a grant. The exit \
            codes are those of greenroom run for the same plugin.

              greenroom preview ColorBars --ceiling "2s 640x360@15, 6s none" --duration 12s
              greenroom preview ./camera.so --y4m - | ffplay -colorspace bt709 -
              greenroom preview ./camera.so --watch --snapshot now.png
            """)

    @Argument(
        help: """
            A plugin's name or id, or the path of a library or a script (PATH#NAME for one plugin \
            of several).
            """)
    var plugin: String

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "A setting of the plugin; may be repeated.", valueName: "name=value"))
    var assignments: [String] = []

    @OptionGroup var grants: GrantOptions

    @Option(help: "The duration: 10s, 500ms, 2m; by default until Ctrl-C.")
    var duration: String?

    @Option(
        help: ArgumentHelp(
            """
            The largest size and rate to offer (default: \(SessionConfiguration().maximum)).
            """, valueName: "size@fps"))
    var maximum: String?

    @Option(
        help: ArgumentHelp(
            """
            Ceilings with their start times, separated by commas: "2s 640x360@15, 6s none". Prints \
            the plugin's answer to each offer.
            """, valueName: "script"))
    var ceiling: String?

    @Option(
        help: ArgumentHelp(
            """
            Write the newest frame to this PNG file at each SIGUSR1, or at the end without \
            one.
            """, valueName: "file"))
    var snapshot: String?

    @Option(
        name: .customLong("y4m"),
        help: ArgumentHelp(
            """
            Write the video as Y4M to standard output (-), a named pipe or a file. The preview \
            ends when the reader closes it.
            """, valueName: "file"))
    var y4m: String?

    @Flag(
        help: """
            Restart in a new process whenever the library is rebuilt, or the script or a module \
            beside it changes; wait while the file is missing or does not load.
            """)
    var watch = false

    @Flag(help: "Run on a virtual clock, as fast as the machine can. Needs a duration.")
    var virtualClock = false

    func run() throws {
        Signals.block()
        if snapshot != nil { SnapshotSignal.block() }
        let interruption = Interruption()
        Signals.handle { interruption.happen() }
        let screen = PreviewScreen(
            descriptor: y4m == "-" ? STDERR_FILENO : StandardOutput.descriptor.rawValue)
        let status: ExitStatus
        do {
            var preview = try Preview(
                self, folder: try Self.workingFolder(), screen: screen, interruption: interruption)
            status = try watch ? preview.watch() : preview.once()
        } catch {
            screen.finish()
            throw error
        }
        // Wait for the reader of plugins' output too. A hung plugin's thread must not delay the
        // exit.
        if screen.finish() { fflush(nil) }
        if status == .fine, let error = screen.error {
            throw ExitError(.outputFailed, "the statistics cannot be written: \(error)")
        }
        _exit(status.rawValue)
    }

    private static func workingFolder() throws -> String {
        guard let folder = resolvedPath(".") else {
            throw ExitError(
                .usage,
                "the working folder no longer exists: \(Errno.last). "
                    + "Change to a folder that exists.")
        }
        return folder
    }
}
