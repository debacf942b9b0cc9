import CLinux
import CommandDecisions
import Glibc
import GreenroomFiles
import GreenroomPlugin
import PluginProcess
import GreenroomSystem

/// Gives a track to a command's standard input: video as Y4M, audio as 16-bit little-endian samples, or
/// the tracks of all participants as a ``ParticipantStream``.
///
/// The callbacks write, within limits of time: a command that reads slowly delays this output alone,
/// and loses what it has not read in time.
final class Command: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.command", name: "Command", version: "1.0.0",
        summary: "Gives a track to a command's standard input, as Y4M or PCM", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var command = ""
        var track = "camera"
        var rate = 48_000
        var channels = 2
        var process = ""
        var captions = false

        static let table: [Setting<Self>] = [
            .resource(
                "command", \.command,
                title: "Program and arguments: a list, or a text with one argument per line",
                required: true),
            .string(
                "track", \.track,
                title: "Track to pass: camera, share, stage, mix, incoming, full-mix, microphone, "
                    + "share-audio, \"participant NAME KIND\" or \"participants KIND …\""),
            .integer(
                "rate", \.rate, in: 8_000...192_000, title: "Sample rate of audio", unit: "Hz"),
            .integer("channels", \.channels, in: 1...2, title: "Channels of audio"),
            .string(
                "process", \.process,
                title:
                    "A name by which a microphone Command plays the command's standard output"
            ),
            .boolean(
                "captions", \.captions,
                title: "Read captions that the command writes to its descriptor 3"),
        ]
    }

    /// The highest delay of a frame, so that a slow command drops frames instead of falling behind.
    private static let latest: Int64 = 1_000_000_000
    /// The capacity of the pipe from a command that is a microphone.
    private static let voicePipeBytes: Int32 = 4096

    private let settings: Settings
    private let host: PluginHost
    private let command: CommandWords
    private let source: CommandTrack
    /// The tracks that the command reads, in the order of their opening.
    private var tracks: [Track] = []
    private var isStarted = false
    /// The first line of the stream; empty for audio.
    private var header: [UInt8] = []
    /// The stream of all participants, which begins with the session; nil for a single track.
    private var stream: ParticipantStream?
    /// The time from which the stream counts; nil for a single track, which counts from its own start.
    private var streamStart: Int64?
    /// Records that wait for the next write.
    private var records: [UInt8] = []
    private var size = FrameSize(width: 0, height: 0)
    private var rate = FrameRate(1)
    /// The bytes of a frame, or of a sample of each channel.
    private var unitBytes = 1
    /// Nil while none runs.
    private var process: CommandWriter?
    private var captionReader: CaptionReader?
    private var startTime: Int64 = 0
    private var delay = RestartDelay()
    /// The time at which a command that has ended restarts, on the session clock.
    private var restartTime: Int64 = 0
    private var restarts = 0
    /// Frames, or samples of each channel.
    private var lost = 0
    /// Frames or samples given to the running command.
    private var given = 0
    private var bytesBefore: Int64 = 0
    private var buffer: [UInt8] = []

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        command = try CommandWords(settings.command)
        guard let source = CommandTrack(settings.track) else {
            throw PluginError(
                "track: \"\(settings.track)\" is not a track. Write one of \(CommandTrack.alternatives).",
                status: .badSetting)
        }
        self.source = source
    }

    func onTrack(_ track: Track) -> TrackWant? {
        guard source.has(track) else { return nil }
        let isKnown = tracks.contains { $0.id == track.id }
        if case .participants = source {
            if !isKnown {
                tracks.append(track)
                add(track)
                passRecords()
            }
            return want(of: track)
        }
        // Another participant of the same name must wait until the first one leaves.
        guard tracks.isEmpty || isKnown else { return nil }
        tracks = [track]
        let want = want(of: track)
        if isStarted, process == nil, track.participant != nil { begin() }
        return want
    }

    private func want(of track: Track) -> TrackWant {
        guard let capability = track.capability else {
            header = []
            unitBytes = 2 * settings.channels
            return .audio(AudioTrackWant(format: format, blockFrames: settings.rate / 50))
        }
        // The stream has one size, rate and matrix.
        size = capability.size
        rate = capability.rate
        let matrix = size.height >= 720 ? ColorMatrix.bt709 : .bt601
        header = Array(
            Y4MFormat(size: size, rate: capability.rate, matrix: matrix).header.utf8)
        return .video(VideoTrackWant(size: size, rate: capability.rate, matrix: matrix))
    }

    private var format: AudioFormat {
        AudioFormat(sampleRate: settings.rate, channels: settings.channels)
    }

    func onTrackEnded(_ track: Track) {
        guard tracks.contains(where: { $0.id == track.id }) else { return }
        tracks.removeAll { $0.id == track.id }
        if let stream {
            records += stream.ended(track)
            passRecords()
        } else if let process {
            self.process = nil
            host.log(.info, "\(name) \(end(process, within: .whileSending).text)")
            report()
        }
    }

    func onStart() throws {
        if case .own = source, tracks.isEmpty {
            throw PluginError(
                "the session has no \(settings.track) for this output; add its source, or "
                    + "name another track in 'track' (and in 'tracks', if the output has that key)",
                status: .unavailable)
        }
        (restarts, lost, bytesBefore, delay) = (0, 0, 0, RestartDelay())
        if case .participants = source {
            let start = host.nowNanoseconds
            (stream, streamStart) = (ParticipantStream(from: start), start)
        }
        if !settings.process.isEmpty { try NamedProcesses.claim(settings.process) }
        do {
            // The stream of a participant begins only when the participant joins.
            if stream != nil || !tracks.isEmpty { try start() }
        } catch {
            releaseName()
            throw error
        }
        isStarted = true
        host.report("restarts", 0)
    }

    /// Ends the claim of the name, so that the microphone reads nothing more.
    private func releaseName() {
        if !settings.process.isEmpty { NamedProcesses.release(settings.process) }
    }

    /// Adds the description of a track to the stream of all participants.
    private func add(_ track: Track) {
        guard let stream else { return }
        records += stream.opened(track, track.kind.isVideo ? nil : format)
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        if let stream { return pass(frame, in: stream) }
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

    /// Writes a new frame with its record. Repetitions add nothing for a reader that knows the times.
    private func pass(_ frame: borrowing OutputFrame, in stream: ParticipantStream) {
        guard frame.content == .new else { return }
        guard isReady() else { return lose(1) }
        buffer.removeAll(keepingCapacity: true)
        packPlanes(of: frame)
        let record = stream.media(of: frame.track, at: frame.timeNanoseconds, bytes: buffer.count)
        write(1, after: record)
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
        let record = stream?.media(
            of: block.track, at: block.timeNanoseconds, bytes: buffer.count)
        write(block.frameCount, after: record ?? [])
    }

    func onStop() {
        isStarted = false
        if case .own = source {} else { tracks = [] }
        defer { releaseName() }
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
        let isSpeaking = !settings.process.isEmpty
        let process = try CommandProcess(
            command.words,
            pipes: [.input] + (isSpeaking ? [.output] : [])
                + (settings.captions ? [.writes(CaptionReader.number)] : [])
        ) { [host, name] line in
            host.log(.info, "\(name): \(line)")
        }
        if isSpeaking {
            // Samples that wait in the pipe are heard late.
            greenroom_grow_pipe(process.pipes[1], Self.voicePipeBytes)
            NamedProcesses.set(process.pipes[1], of: settings.process)
        }
        if let stream {
            header = stream.header
            records = []
            for track in tracks { add(track) }
        }
        let started = CommandWriter(process, sessionTime: { [host] in host.nowNanoseconds })
        given = 0
        started.beginCallback()
        startTime = host.nowNanoseconds
        if settings.captions, let pipe = process.pipes.last {
            do {
                captionReader = try CaptionReader(pipe, from: streamStart ?? startTime, host: host)
            } catch {
                _ = started.end(within: .whileSending)
                throw error
            }
        }
        self.process = started
        started.begin(with: header)
        host.setState(.live, name)
    }

    /// Starts the command in the middle of the session.
    private func begin() {
        do {
            try start()
        } catch {
            postpone("\(error)")
        }
    }

    /// Whether the command accepts media in this callback. Restarts the command if that is due.
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

    /// Ends a command. Bytes that the command has not read are lost.
    private func end(
        _ process: CommandWriter, within limits: CommandWriter.EndLimits
    ) -> CommandProcess.Ending {
        if !settings.process.isEmpty { NamedProcesses.set(nil, of: settings.process) }
        let ending = process.end(within: limits)
        captionReader?.end()
        captionReader = nil
        bytesBefore += process.byteCount
        // Round up, because the unread bytes may contain the header.
        lost += min((ending.unreadByteCount + unitBytes - 1) / unitBytes, given)
        return ending
    }

    private func postpone(_ reason: String, afterRun duration: Int64 = 0) {
        let pause = delay.next(afterRun: duration)
        // The log has it, too.
        host.setState(.lost, "\(reason); restarting in \(RestartDelay.text(pause))")
        restartTime = host.nowNanoseconds + pause
    }

    /// Writes the waiting records, if the command is ready to read.
    private func passRecords() {
        guard isStarted, !records.isEmpty, isReady() else { return }
        process?.write(records)
        records.removeAll(keepingCapacity: true)
    }

    /// Writes the buffer.
    ///
    /// - Parameter record: The record that describes it in the stream of all participants.
    private func write(_ count: Int, after record: [UInt8] = []) {
        guard let process else { return lose(count) }
        given += count
        process.write(records + record + buffer)
        records.removeAll(keepingCapacity: true)
        report()
    }

    private func lose(_ count: Int) {
        lost += count
        report()
    }

    private func report() {
        host.report("bytes-written", bytesBefore + (process?.byteCount ?? 0))
        host.report("restarts", restarts)
        host.report(losses, lost)
    }

    /// The name of the counter of lost media in the report.
    private var losses: String {
        if stream != nil { return "lost" }
        return header.isEmpty ? "samples-lost" : "frames-lost"
    }

    /// Fills the buffer with a frame of Y4M.
    private func pack(_ frame: borrowing OutputFrame) {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: "FRAME\n".utf8)
        packPlanes(of: frame)
    }

    /// Appends the rows of a frame to the buffer.
    private func packPlanes(of frame: borrowing OutputFrame) {
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
