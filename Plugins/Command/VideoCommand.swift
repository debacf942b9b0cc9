import GreenroomSystem
import GreenroomFiles
import GreenroomPlugin
import PluginProcess

/// The settings of a camera or share.
struct VideoCommandSettings: PluginSettings {
    var command = ""
    var path = ""

    static let table: [Setting<Self>] = [
        .resource(
            "command", \.command,
            title: "Program and arguments: a list. It writes Y4M to its standard output"),
        .path("path", \.path, title: "A named pipe or /dev/stdin with Y4M, instead of a command"),
    ]
}

/// Plays Y4M that a command writes: the work of ``CommandCamera`` and ``CommandShare``.
private final class VideoCommand {
    /// The time to wait for the header while the session starts, in milliseconds of real time: below the 2 s
    /// that the host gives a callback.
    private static let headerTimeout = 1500

    private typealias Header = (format: Y4MFormat, notes: [String])

    private let place: StreamPlace
    private let host: PluginHost
    /// Open before sending starts, to know the size; nil afterwards.
    private var opened: (stream: SourceStream, header: Header?)?
    private var loop: SourceLoop?

    init(_ settings: VideoCommandSettings, host: PluginHost) throws {
        place = try StreamPlace(command: settings.command, path: settings.path)
        self.host = host
    }

    /// Opens the stream.
    ///
    /// - Returns: The size and rate of the header. A stream that begins later may have any size.
    func initialize() throws -> VideoAnswer {
        let stream = try SourceStream(place, host: host)
        do {
            let header = try Self.header(of: stream)
            opened = (stream, header)
            guard let header else {
                host.log(
                    .warning,
                    "\(place.name): no Y4M within 1.5 s; the size of the video is not known yet")
                return .accept
            }
            return .fixed(
                VideoCapability(size: header.format.size, rate: header.format.rate))
        } catch {
            stream.end(isOver: false)
            throw error
        }
    }

    /// - Returns: nil if the stream has not begun yet, or has ended already.
    private static func header(of stream: SourceStream) throws -> Header? {
        let end = realMilliseconds() + Int64(headerTimeout)
        guard try stream.wait(headerTimeout) else { return nil }
        var bytes = StreamBytes(stream: stream, stop: nil) {
            let left = Int(end - realMilliseconds())
            guard left > 0 else {
                throw PluginError(
                    "\(stream.name): its Y4M header does not end", status: .unavailable)
            }
            return left
        }
        return try read(&bytes, stream.name)
    }

    private static func read(_ bytes: inout StreamBytes, _ name: String) throws -> Header? {
        do {
            return try Y4MFormat.read(from: &bytes, name: name)
        } catch let error as FileError {
            throw PluginError(
                "\(name): the stream is not 8-bit 4:2:0 Y4M: \(error.rule). With ffmpeg, end the command "
                    + "with -pix_fmt yuv420p -f yuv4mpegpipe -", status: .unavailable)
        }
    }

    func start(_ sender: VideoSender) throws {
        let begun = opened
        opened = nil
        loop = try SourceLoop(
            place, opened: begun?.stream, host: host,
            player: Showing(sender: sender, first: begun?.header))
    }

    func stop() {
        loop?.end()
        loop = nil
    }

    func uninitialize() {
        opened?.stream.end(isOver: false)
        opened = nil
    }

    /// Sends frames, over all restarts, on one thread.
    private final class Showing: StreamPlayer {
        /// The interval in which the last frame is sent again while the command is stalled. A camera without
        /// frames fails, and after a second the host shows a slate.
        private static let holdInterval: Int64 = 500_000_000

        private let sender: VideoSender
        private let host: PluginHost
        /// The header of the first stream, which was read before.
        private let first: Header?
        /// The newest frame that was sent; nil before the first one.
        private var newest: (size: FrameSize, rate: FrameRate, color: ColorSpace, time: Int64)?
        private var newestBytes: [UInt8] = []
        private var told: Set<String> = []

        init(sender: VideoSender, first: Header?) {
            self.sender = sender
            self.first = first
            host = sender.host
        }

        func play(_ stream: SourceStream, _ stop: StopSignal, isFirst: Bool) throws {
            var bytes = StreamBytes(stream: stream, stop: stop) { [unowned self] in
                try sendAgainIfDue()
                guard let due = holdDue else { return -1 }
                return Int(clamping: max(due - host.nowNanoseconds, 0) / 1_000_000 + 1)
            }
            let known = isFirst ? first : nil
            guard let (format, notes) = try known ?? VideoCommand.read(&bytes, stream.name) else {
                return
            }
            for note in notes where told.insert(note).inserted { host.log(.warning, note) }
            let isHD = format.size.width >= 1280 || format.size.height > 576
            let color = ColorSpace(
                range: format.range, matrix: format.matrix ?? (isHD ? .bt709 : .bt601))
            var frame: [UInt8] = []
            var schedule = StreamSchedule(rate: format.rate)
            while try format.readFrame(from: &bytes, into: &frame, name: stream.name) {
                let time = schedule.due(arriving: host.nowNanoseconds)
                guard host.wait(untilNanoseconds: time) == .ok else { throw CancellationError() }
                try send(frame, format.size, color, at: time)
                newest = (format.size, format.rate, color, time)
                swap(&frame, &newestBytes)
            }
        }

        /// Waits, and holds the last frame.
        func pause(until time: Int64) -> Bool {
            do {
                while host.nowNanoseconds < time {
                    try sendAgainIfDue()
                    guard host.wait(untilNanoseconds: min(time, holdDue ?? .max)) == .ok else {
                        return false
                    }
                }
                return true
            } catch {
                return false
            }
        }

        private var holdDue: Int64? {
            newest.map {
                $0.time + max(Self.holdInterval, 2 * $0.rate.dueNanoseconds(ofFrame: 1))
            }
        }

        private func sendAgainIfDue() throws(SendRefusal) {
            guard let newest, let due = holdDue, host.nowNanoseconds >= due else { return }
            try send(newestBytes, newest.size, newest.color, at: host.nowNanoseconds)
            self.newest?.time = host.nowNanoseconds
        }

        private func send(
            _ frame: [UInt8], _ size: FrameSize, _ color: ColorSpace, at time: Int64
        ) throws(SendRefusal) {
            do {
                try sender.sendVideoFrame(
                    frame, width: size.width, height: size.height, color: color,
                    ptsNanoseconds: time)
            } catch {
                // The host counts it.
                guard error.isPassing else { throw error }
            }
        }
    }
}

/// Plays Y4M that a command writes to its standard output as a camera.
final class CommandCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.command-camera", name: "Command", version: "1.0.0",
        summary: "Plays Y4M that a command writes as a camera", vendor: "Greenroom")

    private let video: VideoCommand
    private var sender: VideoSender?

    init(settings: VideoCommandSettings, host: PluginHost) throws {
        video = try VideoCommand(settings, host: host)
    }

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        self.sender = sender
        return try video.initialize()
    }

    func onStartSend() throws {
        if let sender { try video.start(sender) }
    }

    func onStopSend() { video.stop() }

    func onUninitialized() {
        sender = nil
        video.uninitialize()
    }
}

/// The same as a share.
final class CommandShare: ShareSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.command-share", name: "Command", version: "1.0.0",
        summary: "Plays Y4M that a command writes as a share", vendor: "Greenroom")

    private let video: VideoCommand

    init(settings: VideoCommandSettings, host: PluginHost) throws {
        video = try VideoCommand(settings, host: host)
    }

    func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer {
        try video.initialize()
    }

    func onShareSendStarted(_ sender: ShareSender) throws { try video.start(sender) }

    func onShareSendStopped() { video.stop() }

    func onShareUninitialized() { video.uninitialize() }
}
