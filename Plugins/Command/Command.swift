import Glibc
import GreenroomFiles
import GreenroomPlugin
import PluginProcess
import GreenroomSystem

/// Gives a track to a command's standard input: video as Y4M, audio as 16-bit little-endian samples.
///
/// The callbacks write, within limits of time: a command that reads slowly delays this output alone,
/// and loses what it has not read in time.
final class Command: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.command", name: "Command", version: "1.0.0",
        summary: "Gives a track to a command's standard input, as Y4M or PCM", vendor: "Greenroom")

    /// The media that the command reads.
    enum Source: String, CaseIterable {
        case camera, share, mix, incoming, microphone, split
        case shareAudio = "share-audio"
        case fullMix = "full-mix"

        var kind: Track.Kind {
            switch self {
            case .camera: .camera
            case .share: .share
            case .mix: .mix
            case .incoming: .incoming
            case .microphone: .microphone
            case .shareAudio: .shareAudio
            case .fullMix: .fullMix
            case .split: .split
            }
        }
    }

    struct Settings: PluginSettings {
        var command = ""
        var track = Source.camera
        var rate = 48_000
        var channels = 2

        static let table: [Setting<Self>] = [
            .resource(
                "command", \.command,
                title: "Program and arguments: a list, or a text with one argument per line",
                required: true),
            .choice("track", \.track, title: "Track to pass"),
            .integer(
                "rate", \.rate, in: 8_000...192_000, title: "Sample rate of audio", unit: "Hz"),
            .integer("channels", \.channels, in: 1...2, title: "Channels of audio"),
        ]
    }

    /// The highest delay of a frame, so that a slow command drops frames instead of falling behind.
    private static let latest: Int64 = 1_000_000_000

    private let settings: Settings
    private let host: PluginHost
    private let command: CommandWords
    private var hasTrack = false
    /// The first line of the stream; empty for audio.
    private var header: [UInt8] = []
    private var size = FrameSize(width: 0, height: 0)
    private var rate = FrameRate(1)
    /// The bytes of a frame, or of a sample of each channel.
    private var unitBytes = 1
    /// Nil while none runs.
    private var process: CommandWriter?
    private var startTime: Int64 = 0
    private var delay = RestartDelay()
    /// The time at which a command that has ended restarts, on the session clock.
    private var restartTime: Int64 = 0
    private var restarts = 0
    /// Frames, or samples of each channel.
    private var lost = 0
    /// Those that the command that runs was given.
    private var given = 0
    private var bytesBefore: Int64 = 0
    private var buffer: [UInt8] = []

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        command = try CommandWords(settings.command)
    }

    func onTrack(_ track: Track) -> TrackWant? {
        guard track.participant == nil, track.kind == settings.track.kind else { return nil }
        hasTrack = true
        guard let capability = track.capability else {
            header = []
            unitBytes = 2 * settings.channels
            return .audio(
                AudioTrackWant(
                    format: AudioFormat(
                        sampleRate: settings.rate, channels: settings.channels),
                    blockFrames: settings.rate / 50))
        }
        // The stream has one size, rate and matrix.
        size = capability.size
        rate = capability.rate
        let matrix = size.height >= 720 ? ColorMatrix.bt709 : .bt601
        header = Array(
            Y4MFormat(size: size, rate: capability.rate, matrix: matrix).header.utf8)
        return .video(VideoTrackWant(size: size, rate: capability.rate, matrix: matrix))
    }

    func onStart() throws {
        guard hasTrack else {
            throw PluginError(
                "the session has no \(settings.track.rawValue) for this output; add its source, or "
                    + "name another track in 'track' (and in 'tracks', if the output has that key)",
                status: .unavailable)
        }
        (restarts, lost, bytesBefore, delay) = (0, 0, 0, RestartDelay())
        try start()
        host.report("restarts", 0)
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        guard frame.size == size, isReady() else { return lose(frame.periods) }
        pack(frame)
        unitBytes = buffer.count
        for period in 0..<frame.periods {
            let time = frame.timeNanoseconds + rate.dueNanoseconds(ofFrame: Int64(period))
            guard host.nowNanoseconds - time <= Self.latest else {
                lose(1)
                continue
            }
            guard period == 0 || process?.flush() == true else {
                return lose(frame.periods - period)
            }
            write(1)
        }
    }

    func onAudio(_ block: borrowing OutputBlock) throws {
        guard isReady() else { return lose(block.frameCount) }
        buffer.removeAll(keepingCapacity: true)
        let samples = block.samples
        for index in samples.indices {
            let bits = UInt16(bitPattern: samples[index])
            buffer.append(UInt8(truncatingIfNeeded: bits))
            buffer.append(UInt8(truncatingIfNeeded: bits >> 8))
        }
        write(block.frameCount)
    }

    func onStop() {
        guard let process else { return }
        self.process = nil
        let ending = end(process, within: .atStop)
        report()
        if ending.wasKilled {
            host.log(
                .warning,
                "\(name) killed, because it did not end after its input; its result may lack the "
                    + "end")
        } else if ending.hasFailed {
            host.giveUp("\(name) \(ending.text)", status: .failed)
        } else {
            host.log(.info, "\(name) \(ending.text)")
        }
    }

    // MARK: The command

    private var name: String { command.name }

    private func start() throws {
        let process = try CommandProcess(command.words, pipes: [.input]) { [host, name] line in
            host.log(.info, "\(name): \(line)")
        }
        let started = CommandWriter(process, sessionTime: { [host] in host.nowNanoseconds })
        given = 0
        started.beginCallback()
        startTime = host.nowNanoseconds
        self.process = started
        started.begin(with: header)
        host.setState(.live, name)
    }

    /// At the begin of a callback: whether the command takes something now; starts it again if it is
    /// due.
    private func isReady() -> Bool {
        if let process {
            process.beginCallback()
            guard process.hasEnded else { return process.flush() }
            lostProcess(process)
            return false
        }
        guard host.nowNanoseconds >= restartTime else { return false }
        do {
            try start()
        } catch {
            postpone("\(error)")
            return false
        }
        restarts += 1
        report()
        return true
    }

    private func lostProcess(_ process: CommandWriter) {
        self.process = nil
        let ending = end(process, within: .whileSending).text
        postpone("\(name) \(ending)", afterRun: host.nowNanoseconds - startTime)
    }

    /// Ends a command. What it has not read completely is lost.
    private func end(
        _ process: CommandWriter, within limits: CommandWriter.EndLimits
    ) -> CommandProcess.Ending {
        let ending = process.end(within: limits)
        bytesBefore += process.byteCount
        // The header may be among it.
        lost += min((ending.unreadByteCount + unitBytes - 1) / unitBytes, given)
        return ending
    }

    private func postpone(_ reason: String, afterRun duration: Int64 = 0) {
        let pause = delay.next(afterRun: duration)
        // The log has it, too.
        host.setState(.lost, "\(reason); restarting in \(RestartDelay.text(pause))")
        restartTime = host.nowNanoseconds + pause
    }

    private func write(_ count: Int) {
        guard let process else { return lose(count) }
        given += count
        process.write(buffer)
        report()
    }

    private func lose(_ count: Int) {
        lost += count
        report()
    }

    private func report() {
        host.report("bytes-written", bytesBefore + (process?.byteCount ?? 0))
        host.report("restarts", restarts)
        host.report(header.isEmpty ? "samples-lost" : "frames-lost", lost)
    }

    /// Fills the buffer with a frame of Y4M.
    private func pack(_ frame: borrowing OutputFrame) {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: "FRAME\n".utf8)
        for plane in 0..<frame.planeCount {
            let geometry = frame.geometry(ofPlane: plane)
            for row in 0..<geometry.rows {
                frame.row(row, ofPlane: plane).withUnsafeBufferPointer {
                    buffer.append(contentsOf: $0)
                }
            }
        }
    }
}
