import CFFmpeg
import func PluginEncoding.allocated
import struct PluginEncoding.FFmpegError
import struct PluginEncoding.FFmpegOptions
import Glibc
import MediaDecisions
import GreenroomPlugin
import Synchronization

/// The source to open: a file, a stream of the network, or a source of libavdevice.
enum MediaAddress: Hashable {
    case file(String)
    case url(MediaStreamAddress)
    case device(format: String, source: String)

    /// - Throws: A ``PluginError`` unless exactly one is set, and it is of a kind that can be opened.
    init(_ settings: MediaSettings) throws {
        let given = [settings.file, settings.url, settings.device].filter { !$0.isEmpty }
        guard given.count == 1 else {
            throw PluginError("name one of 'file', 'url' and 'device'", status: .badSetting)
        }
        if !settings.file.isEmpty {
            self = .file(settings.file)
        } else if !settings.url.isEmpty {
            guard let address = MediaStreamAddress(settings.url) else {
                throw PluginError(
                    "'url' begins with one of "
                        + MediaStreamAddress.schemes.map { "\($0)://" }.joined(separator: ", ")
                        + "; the path of a file is 'file'", status: .badSetting)
            }
            self = .url(address)
        } else {
            let parts = settings.device.split(separator: ":", maxSplits: 1).map(String.init)
            self = .device(format: parts[0], source: parts.count > 1 ? parts[1] : "")
            guard parts[0] == "lavfi", parts.count > 1 else {
                throw PluginError(
                    "'device' is lavfi and a filter graph, such as lavfi:testsrc2=size=1280x720",
                    status: .badSetting)
            }
        }
    }

    /// The name in messages. A URL has no credentials in it.
    var name: String {
        switch self {
        case .file(let path): path
        case .device(let format, let source): "\(format):\(source)"
        case .url(let address): address.name
        }
    }

    /// The status of a fault in the content: a file does not change, but a server may recover.
    var fault: Status { isStream ? .unavailable : .badSetting }

    /// Whether it comes over the network.
    var isStream: Bool { if case .url = self { true } else { false } }

    /// Whether it can begin again at any position.
    var isSeekable: Bool { if case .file = self { true } else { false } }

    /// The seconds that opening it and one read may take; nil for no limit. A server of HLS has the next part only
    /// when the one before has been played.
    var limits: (open: Int64, read: Int64)? { isStream ? (30, isPaced ? 30 : 10) : nil }

    /// Whether its server sends as fast as it is read.
    var isPaced: Bool { if case .url(let address) = self { address.isPaced } else { false } }

    /// Containers that a file may have. None of them opens another file or address.
    private static let formats = [
        "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "avi", "mpegts", "mpeg", "mpegvideo", "flv",
        "ogg", "wav", "w64", "mp3", "aac", "ac3", "eac3", "dts", "dtshd", "truehd", "flac", "asf",
        "mxf", "nut", "ivf", "h264", "hevc", "av1", "obu", "m4v", "mjpeg", "vc1", "rm", "dv", "gif",
        "apng", "yuv4mpegpipe", "aiff", "caf", "amr", "au", "ape", "tta", "wv", "mpc", "mpc8",
        "tak", "swf", "wtv", "roq", "smk", "bink", "nsv", "gxf", "xwma", "voc", "sox", "spdif",
        "h263", "h261", "dirac", "webp_pipe", "png_pipe", "jpeg_pipe", "bmp_pipe", "tiff_pipe",
        "loas", "oma", "rso", "nuv", "mlv", "film_cpk",
    ]

    /// Further protocols that a stream may use.
    private static let streamFormats = ["hls", "rtsp", "rtp", "live_flv", "rtp_mpegts"]

    /// Protocols of streams; none opens a file.
    private static let protocols =
        "http,https,httpproxy,tls,tcp,udp,rtp,srtp,rtmp,rtmps,rtmpt,rtmpts,srt,crypto,rtsp,rtsps"

    /// Checks whether a file can be opened.
    ///
    /// - Throws: A ``PluginError`` with the reason.
    func check() throws {
        guard case .file(let path) = self, let reason = Self.obstacle(at: path) else { return }
        throw PluginError("\(name): \(reason)", status: .badSetting)
    }

    /// Opens it and reads what is in it.
    ///
    /// - Throws: A ``PluginError`` that names it.
    func open(_ interrupt: Interrupt) throws -> UnsafeMutablePointer<AVFormatContext> {
        // FFmpeg's log lines contain URLs with credentials.
        av_log_set_level(AV_LOG_QUIET)
        var context = avformat_alloc_context()
        interrupt.attach(to: try allocated(context))
        interrupt.limit(seconds: limits?.open)
        let code: Int32
        switch self {
        case .file(let path):
            let format = Self.format(of: path)
            if let format, !Self.isAllowed(format) {
                avformat_free_context(context)
                throw PluginError(
                    "\(name): its format, \(String(cString: format.pointee.name)), is not a video or audio "
                        + "file; playlists and other texts are not played", status: .badSetting)
            }
            var options = FFmpegOptions([
                ("format_whitelist", Self.formats.joined(separator: ",")),
                ("protocol_whitelist", "file"),
            ])
            code = avformat_open_input(&context, "file:\(path)", format, &options.dictionary)
        case .url(let address):
            var options = FFmpegOptions(Self.options(of: address))
            code = avformat_open_input(&context, address.url, nil, &options.dictionary)
        case .device(let format, let source):
            avdevice_register_all()
            guard let input = av_find_input_format(format) else {
                avformat_free_context(context)
                throw PluginError(
                    "\(name): FFmpeg's libraries have no \(format)", status: .badSetting)
            }
            code = avformat_open_input(&context, source, input, nil)
        }
        // A failed call has freed the context.
        guard code >= 0, let context else { throw failure(code, interrupt) }
        let found = avformat_find_stream_info(context, nil)
        guard found >= 0 else {
            var context: UnsafeMutablePointer<AVFormatContext>? = context
            avformat_close_input(&context)
            throw failure(found, interrupt)
        }
        return context
    }

    /// The reason why there is nothing to read; nil if there is something.
    private static func obstacle(at path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return "\(FFmpegError.text(of: -errno)); check the path"
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return "a folder; name a file in it"
        case S_IFREG where status.st_size == 0: return "the file is empty"
        // To open a named pipe would take its content.
        case S_IFREG:
            let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return FFmpegError.text(of: -errno) }
            close(file)
            return nil
        default: return nil
        }
    }

    /// The format of a file by its content alone; nil if that does not tell it. By its name a picture would count as a
    /// pattern of names, which could be other files.
    private static func format(of path: String) -> UnsafePointer<AVInputFormat>? {
        var status = stat()
        // A named pipe can be read once.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var io: UnsafeMutablePointer<AVIOContext>?
        guard avio_open2(&io, "file:\(path)", AVIO_FLAG_READ, nil, nil) >= 0 else { return nil }
        defer { avio_closep(&io) }
        var format: UnsafePointer<AVInputFormat>?
        return av_probe_input_buffer2(io, &format, "", nil, 0, 0) >= 0 ? format : nil
    }

    private static func isAllowed(_ format: UnsafePointer<AVInputFormat>) -> Bool {
        formats.contains(String(cString: format.pointee.name))
    }

    private static func options(of address: MediaStreamAddress) -> [(String, String)] {
        var options = [
            (
                "format_whitelist",
                (formats + streamFormats).joined(separator: ",")
            ),
            ("protocol_whitelist", protocols),
        ]
        if address.scheme.hasPrefix("rtsp") { options.append(("rtsp_transport", "tcp")) }
        if address.isPaced {
            // Microseconds without data before it connects again by itself.
            options += [
                ("rw_timeout", "10000000"), ("reconnect", "1"), ("reconnect_delay_max", "2"),
            ]
        }
        return options
    }

    private func failure(_ code: Int32, _ interrupt: Interrupt) -> PluginError {
        if let limits, interrupt.isOver {
            return PluginError("\(name): no stream within \(limits.open) s", status: .unavailable)
        }
        return PluginError("\(name): \(FFmpegError.text(of: code))", status: fault)
    }
}

/// Ends a call that waits for the network: at once, or when nothing has come for too long.
final class Interrupt: Sendable {
    private let flag = Atomic(false)
    /// On the machine's clock.
    private let deadline = Atomic(Int64.max)

    /// Whether all calls end.
    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }

    /// Limits the call that follows.
    ///
    /// - Parameter seconds: nil for no limit.
    func limit(seconds: Int64?) {
        let end = seconds.map { MonotonicTime.now + $0 * 1_000_000_000 } ?? .max
        deadline.store(end, ordering: .relaxed)
    }

    /// Whether the call has taken too long.
    var isOver: Bool { deadline.load(ordering: .relaxed) < MonotonicTime.now }

    /// The context refers to this object, which has to outlive it.
    func attach(to context: UnsafeMutablePointer<AVFormatContext>) {
        context.pointee.interrupt_callback = AVIOInterruptCB(
            callback: { pointer in
                guard let pointer else { return 0 }
                let interrupt = Unmanaged<Interrupt>.fromOpaque(pointer).takeUnretainedValue()
                return interrupt.isSet || interrupt.isOver ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}
