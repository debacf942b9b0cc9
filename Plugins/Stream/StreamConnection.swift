import CFFmpeg
import Glibc
import GreenroomPlugin
import PluginEncoding

/// The parameters of the encoders, for the muxer.
final class StreamContent: @unchecked Sendable {
    // Safe to share: nothing changes after `init`, the memory behind the pointers included.
    fileprivate let parameters: [UnsafeMutablePointer<AVCodecParameters>]

    init(_ encoders: [Encoder]) throws {
        var parameters: [UnsafeMutablePointer<AVCodecParameters>] = []
        for encoder in encoders {
            let copy = try allocated(avcodec_parameters_alloc())
            parameters.append(copy)
            try check(
                avcodec_parameters_from_context(copy, encoder.context), "describing a stream")
        }
        self.parameters = parameters
    }

    deinit {
        for pointer in parameters {
            var pointer: UnsafeMutablePointer<AVCodecParameters>? = pointer
            avcodec_parameters_free(&pointer)
        }
    }
}

/// Sends a stream through one of FFmpeg's muxers. Use it from one thread.
final class StreamConnection {
    /// The longest time that a call may wait for the network.
    private static let timeoutMilliseconds: Int64 = 10_000
    /// The longest time that a packet waits for the other track, in microseconds.
    private static let interleaving: Int64 = 1_000_000

    private let context: UnsafeMutablePointer<AVFormatContext>
    private let interruption: NetworkTimeout
    private let address: StreamAddress
    private var name: String { address.name }
    private let hasFile: Bool
    /// Whether the server has accepted the connection.
    private var isOpen = false
    private var playlist: PlaylistWriter?
    /// The time of the stream's first frame, in nanoseconds from the session's start.
    private let start: Int64

    /// Connects, and begins the stream.
    init(
        _ address: StreamAddress, _ content: StreamContent, start: Int64,
        _ interruption: NetworkTimeout
    ) throws {
        self.interruption = interruption
        self.start = start
        self.address = address
        var made: UnsafeMutablePointer<AVFormatContext>?
        try check(
            avformat_alloc_output_context2(&made, nil, address.muxer, address.target),
            "\(address.muxer): opening the muxer")
        context = try allocated(made)
        hasFile = context.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0
        if let seconds = address.segmentSeconds {
            playlist = PlaylistWriter(address.target, seconds: seconds, of: context)
        }
        LibraryLog.begin()
        do {
            try open(content)
        } catch {
            let reason = reason(of: error)
            free()
            throw reason
        }
    }

    /// The server's answer, if FFmpeg's libraries have logged one. For a refusal and for the end of a wait,
    /// FFmpeg has only texts about files.
    private func reason(of error: any Error) -> any Error {
        let answers = LibraryLog.current.compactMap {
            LoggedAnswer.read($0, from: address.target)
        }
        if let answer = answers.last {
            return PluginError("\(name): the server answered: \(answer)", status: .unavailable)
        }
        switch (error as? FFmpegError)?.code {
        case -EPERM:
            return PluginError(
                "\(name): the server refused the stream; check the application and the key",
                status: .unavailable)
        case Int32(CFFMPEG_EXIT):
            return PluginError("\(name): the server did not answer in time", status: .unavailable)
        // SRT reports only this: it connects without an answer by UDP.
        case -EIO where address.isSRT:
            return PluginError(
                isOpen
                    ? "\(name): the connection was lost"
                    : "\(name): no answer; check host, port, mode and firewall",
                status: .unavailable)
        default: return error
        }
    }

    private func open(_ content: StreamContent) throws {
        // The interruption lives at least as long as this connection.
        context.pointee.interrupt_callback = AVIOInterruptCB(
            callback: { interruption in
                guard let interruption else { return 0 }
                let due = Unmanaged<NetworkTimeout>.fromOpaque(interruption).takeUnretainedValue()
                return due.isDue ? 1 : 0
            }, opaque: Unmanaged.passUnretained(interruption).toOpaque())
        context.pointee.max_interleave_delta = Self.interleaving
        context.pointee.flags |= AVFMT_FLAG_FLUSH_PACKETS
        for parameters in content.parameters {
            let stream = try allocated(avformat_new_stream(context, nil))
            try check(
                avcodec_parameters_copy(stream.pointee.codecpar, parameters),
                "describing a stream")
            stream.pointee.codecpar.pointee.codec_tag = 0
            stream.pointee.time_base = AVRational(num: 1, den: 90_000)
        }
        var options = FFmpegOptions(address.options.sorted { $0.key < $1.key })
        interruption.limit(toMilliseconds: Self.timeoutMilliseconds)
        if hasFile {
            try check(
                avio_open2(
                    &context.pointee.pb, address.target, AVIO_FLAG_WRITE,
                    &context.pointee.interrupt_callback, &options.dictionary),
                "\(name): connecting")
        }
        isOpen = true
        try check(
            avformat_write_header(context, &options.dictionary), "\(name): beginning the stream")
    }

    /// Sends a packet in the order of time, and waits for the other track if necessary. Packets from before the
    /// start are dropped.
    func write(_ packet: Packet) throws {
        guard packet.start >= start, packet.stream < context.pointee.nb_streams,
            let stream = context.pointee.streams[packet.stream]
        else { return }
        let base = stream.pointee.time_base
        let content = packet.pointer
        content.pointee.stream_index = Int32(packet.stream)
        content.pointee.pts = ticks(packet.start - start, base)
        content.pointee.dts = content.pointee.pts
        content.pointee.duration =
            ticks(packet.start - start + packet.duration, base) - content.pointee.pts
        interruption.limit(toMilliseconds: Self.timeoutMilliseconds)
        do {
            try check(av_interleaved_write_frame(context, content), "\(name): sending")
            try check(playlist?.failure ?? 0, "\(name): writing")
        } catch {
            throw reason(of: error)
        }
    }

    private func ticks(_ nanoseconds: Int64, _ base: AVRational) -> Int64 {
        av_rescale_q(nanoseconds, AVRational(num: 1, den: 1_000_000_000), base)
    }

    /// Ends the stream in order, and closes it.
    func finish() throws {
        interruption.limit(toMilliseconds: Self.timeoutMilliseconds)
        defer { free() }
        try check(av_write_trailer(context), "\(name): ending the stream")
        try check(playlist?.failure ?? 0, "\(name): writing")
    }

    private var isFreed = false

    private func free() {
        guard !isFreed else { return }
        isFreed = true
        LibraryLog.end()
        if hasFile { avio_closep(&context.pointee.pb) }
        avformat_free_context(context)
    }

    deinit { free() }
}
