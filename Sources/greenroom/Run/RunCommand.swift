import GreenroomModel
import ArgumentParser
import GreenroomConfig

/// The option for the file with a session's numbers.
struct MetricsOption: ParsableArguments {
    @Option(
        name: .customLong("metrics"),
        help: ArgumentHelp(
            "Write the report's numbers to this file every 5 seconds, in Prometheus' text format.",
            valueName: "file"))
    var file: String?
}

/// `greenroom run FILE`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a session until its duration ends, its sources end, or Ctrl-C.",
        discussion: """
            Messages go to standard error, so `y4m: "-"` can use standard output. \
            Ctrl-C stops the session in order; a second Ctrl-C ends the process at once. \
            Recordings are valid in both cases.

            Control lines, with --control; "help" describes each:
            \(ControlLine.commands.map { "  \($0.line)" }.joined(separator: "\n"))
            """)

    @OptionGroup var source: SessionFileOptions

    @Flag(help: "Print events as JSON, one object per line, on standard output.")
    var json = false

    @Flag(
        help: """
            Print why each track has its size and frame rate: at the start, at each change, and \
            at the end.
            """)
    var explain = false

    @Flag(
        help: """
            Read control lines from standard input. Without this flag standard input is not read, \
            so scripts keep their input and background jobs do not stop.
            """)
    var control = false

    @Flag(
        help: """
            Run on a virtual clock: as fast as the machine can, and with the same result each \
            time. Needs a duration; skips loudspeakers.
            """)
    var virtualClock = false

    @Flag(
        help: """
            Run on a virtual clock that stands still between control lines "advance 500ms" on standard \
            input, for tests. Includes --control and --virtual-clock.
            """)
    var byHand = false

    @OptionGroup var metrics: MetricsOption

    @Option(
        help: ArgumentHelp(
            """
            Write the session's events and decisions to this file, for greenroom replay. The file \
            has no media, but texts of the plugins' errors.
            """, valueName: "file"))
    var journal: String?

    func run() throws {
        let isVirtual = virtualClock || byHand
        let (source, overrides) = (source, isVirtual ? [Override.virtualClock] : [])
        try SessionRun(
            json: json, explain: explain, control: control || byHand, byHand: byHand,
            metrics: metrics.file, journal: journal, reloads: true
        ).run {
            try source.read(overriding: overrides)
        }
    }
}
