import GreenroomModel
import ArgumentParser
import GreenroomConfig
import GreenroomMedia
import GreenroomLifecycle
import GreenroomOutputs
import GreenroomSession
import Synchronization

/// `greenroom live FILE`.
struct LiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Show a session in a web page, which people may join, until Ctrl-C.",
        discussion: """
            Prints three links: for viewers, who see and hear the session; for guests, who may join \
            with camera, microphone and screen; and for an operator, who may also remove guests and, \
            with --control, change the session: live settings, sizes, mute, start and stop. Each \
            run makes new links. Only this machine can open the page, unless the session file has a \
            call WebRoom with an address.

            The session runs until Ctrl-C, whatever duration the file says, unless --duration is \
            given.
            """)

    @OptionGroup var source: SessionFileOptions

    @Option(help: "The port of the page; a free one if not given.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "Record everybody in one video with the full mix: .mkv, .webm or .mp4.",
            valueName: "file"))
    var record: String?

    @Flag(help: "Let operators control the session, in the page and over HTTP.")
    var control = false

    @OptionGroup var metrics: MetricsOption

    func validate() throws {
        if let port, !(1...65_535).contains(port) {
            throw ValidationError("--port is 1 to 65535, not \(port).")
        }
        if let record, SessionOutput.record(file: record) == nil {
            throw ValidationError(
                "--record needs a file that ends with .mkv, .webm or .mp4, and not \(record).")
        }
    }

    func run() throws {
        let links = Mutex<LiveRoom?>(nil)
        var session = SessionRun(metrics: metrics.file, reloads: true)
        session.onEvent = { event, printer in
            guard case .outputState(let role, .live, let url?) = event,
                role.hasPrefix(PluginAddress.callKey),
                let room = links.withLock({ $0.take() })
            else { return }
            printer.show(EventRecord(event: .links), line: room.text(at: url))
        }
        let (source, port, control, record) = (source, port, control, record)
        try session.run {
            var file = try source.read()
            if source.duration == nil { file.configuration.duration = nil }
            return file
        } changing: { file in
            // Create the room once: a reload must not create a room with other secrets.
            file.warnings += file.places.diagnostics(file.configuration.unencodedRecordings)
            let room = try LiveRoom(&file.configuration, port: port, control: control)
            if let recording = record.flatMap(SessionOutput.record(file:)) {
                file.configuration.outputs.append(recording)
            }
            links.withLock { $0 = room }
        }
    }
}
