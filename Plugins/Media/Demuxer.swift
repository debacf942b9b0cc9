import CDecoderCrash
import CFFmpeg
import PluginEncoding
import MediaDecisions
import GreenroomPlugin

/// Decides which streams of a file play.
enum MediaTrack: Int, CaseIterable {
    case video, audio

    /// Notes for the log what is decoded, should the decoder crash or hang.
    ///
    /// - Parameter position: In nanoseconds from the file's first frame.
    func beginDecoding(at position: Int64) {
        decoder_crash_begin(Int32(rawValue), Int(position / 1_000_000))
    }

    func endDecoding() { decoder_crash_end(Int32(rawValue)) }
}

/// An open file, with one queue of packets for each track. One thread uses it at a time.
struct Demuxer: ~Copyable {
    private var context: UnsafeMutablePointer<AVFormatContext>?
    private let address: MediaAddress
    private let interrupt: Interrupt
    /// The stream of each track.
    private var streams: [Int32?]
    private var queues = [DemuxedPackets](
        repeating: DemuxedPackets(), count: MediaTrack.allCases.count)
    /// The leg that it reads.
    private var leg: Int?
    private var isAtEnd = false
    /// Whether nothing has been read since it was opened.
    private var isFresh = true

    /// The parameters of the decoders.
    private(set) var parameters: [StreamParameters?]
    /// The time of the first frame, in nanoseconds; positions count from it.
    private(set) var origin: Int64 = 0
    /// The length of what plays; nil if it is not known.
    private(set) var length: Int64?
    /// Parts of the file that do not play, for the log.
    private(set) var notes: [String] = []

    /// Opens a file and chooses its tracks.
    ///
    /// - Throws: A ``PluginError`` that names the file, or that it has neither video nor audio.
    init(_ address: MediaAddress, audioTrack: String, interrupt: Interrupt) throws {
        self.address = address
        self.interrupt = interrupt
        streams = [nil, nil]
        parameters = [nil, nil]
        context = try address.open(interrupt)
        try choose(audioTrack: audioTrack)
        measure()
    }

    deinit {
        var context = context
        avformat_close_input(&context)
    }

    // MARK: Opening

    private mutating func choose(audioTrack: String) throws {
        guard let context else { return }
        let all = (0..<Int(context.pointee.nb_streams)).compactMap { context.pointee.streams[$0] }
        let video = all.filter { stream in
            stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                // An album's cover does not count as video.
                && stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        }
        let audio = all.filter { $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
        let best = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        let chosen = [
            video.first { $0.pointee.index == best } ?? video.first,
            try AudioTrackChoice(audioTrack).stream(of: audio, in: context, file: address.name),
        ]
        let subtitles = all.filter {
            $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE
        }
        if !subtitles.isEmpty { notes.append("\(address.name): its subtitles are not shown") }
        for stream in all { stream.pointee.discard = AVDISCARD_ALL }
        for (track, stream) in chosen.enumerated() {
            guard let stream else { continue }
            streams[track] = stream.pointee.index
            stream.pointee.discard = AVDISCARD_DEFAULT
            parameters[track] = try StreamParameters(of: stream, in: context)
        }
        guard parameters.contains(where: { $0 != nil }) else {
            throw PluginError(
                "\(address.name): neither video nor audio in the file", status: .unavailable)
        }
    }

    /// Finds where the first frame begins, and where the last one ends: containers are often wrong.
    private mutating func measure() {
        guard let context, let (track, parameters) = leading else { return }
        guard let index = streams[track.rawValue],
            let stream = context.pointee.streams[Int(index)]
        else { return }
        if stream.pointee.start_time != CFFMPEG_NO_TIME {
            origin = nanoseconds(stream.pointee.start_time, parameters.timeBase)
        }
        var stated = context.pointee.duration
        if stated != CFFMPEG_NO_TIME { stated = stated.multipliedReportingOverflow(by: 1000).0 }
        guard address.isSeekable, isSeekable else {
            // A recording of a server has an end, a live stream has none.
            if address.isStream, stated != CFFMPEG_NO_TIME, stated > 0 { length = stated }
            return
        }
        if let end = endOfLastPacket(of: track, near: max(stated, 0)) {
            length = max(end - origin, 0)
        } else if stated != CFFMPEG_NO_TIME, stated > 0 {
            length = stated
        }
        isFresh = false
    }

    private var isSeekable: Bool {
        guard let context, let io = context.pointee.pb else { return false }
        return io.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
    }

    /// The track that decides the length of the file.
    private var leading: (MediaTrack, StreamParameters)? {
        for track in MediaTrack.allCases {
            if let parameters = parameters[track.rawValue] { return (track, parameters) }
        }
        return nil
    }

    /// Limit of packets that are read to find the end.
    private static let tailLimit = 20_000

    private func endOfLastPacket(of track: MediaTrack, near time: Int64) -> Int64? {
        guard let context, let index = streams[track.rawValue],
            let parameters = parameters[track.rawValue], let packet = try? MediaPacket()
        else { return nil }
        let goal = av_rescale_q(
            origin + time, AVRational(num: 1, den: 1_000_000_000), parameters.timeBase)
        // In a file without an index the end may be far from there.
        guard avformat_seek_file(context, index, .min, goal, goal, 0) >= 0 else { return nil }
        var end: Int64?
        for _ in 0..<Self.tailLimit {
            guard av_read_frame(context, packet.pointer) >= 0 else { return end }
            defer { av_packet_unref(packet.pointer) }
            guard packet.pointer.pointee.stream_index == index, let time = packet.time else {
                continue
            }
            var duration = nanoseconds(packet.pointer.pointee.duration, parameters.timeBase)
            if duration <= 0, track == .video {
                duration = nanoseconds(1, av_inv_q(parameters.frameRate))
            }
            end = max(end ?? .min, nanoseconds(time, parameters.timeBase) + duration)
        }
        return nil
    }

    /// Its tracks in words: `h264 1280x720, aac 48000 Hz`.
    var contents: String {
        parameters.compactMap { $0 }.map { parameters in
            let codec = parameters.pointer.pointee
            let name = String(cString: avcodec_get_name(codec.codec_id))
            return codec.codec_type == AVMEDIA_TYPE_VIDEO
                ? "\(name) \(codec.width)x\(codec.height)" : "\(name) \(codec.sample_rate) Hz"
        }.joined(separator: ", ")
    }

    // MARK: Reading

    /// The next packet of any track, for a stream; nil at its end.
    mutating func next() throws -> (packet: MediaPacket, track: MediaTrack)? {
        while let context {
            let packet = try MediaPacket()
            interrupt.limit(seconds: address.limits?.read)
            let code = av_read_frame(context, packet.pointer)
            // A call that was ended may still return what the parser has kept.
            if let limits = address.limits, interrupt.isOver {
                throw PluginError("no data for \(limits.read) s", status: .unavailable)
            }
            guard code >= 0 else {
                if code == CFFMPEG_END || code == CFFMPEG_EXIT { return nil }
                throw PluginError(FFmpegError.text(of: code), status: .unavailable)
            }
            guard let place = streams.firstIndex(of: packet.pointer.pointee.stream_index),
                let track = MediaTrack(rawValue: place)
            else { continue }
            return (packet, track)
        }
        return nil
    }

    /// The next packet of a track.
    ///
    /// - Parameter keeping: Which packets of each track are kept; nil if none.
    /// - Returns: nil at the end of the leg.
    mutating func packet(
        of track: MediaTrack, in leg: Playback.Leg, keeping: (MediaTrack) -> DemuxedPackets.Keeping?
    ) throws -> MediaPacket? {
        while true {
            if let entry = queues[track.rawValue].first {
                if entry.leg == leg.number { return queues[track.rawValue].removeFirst() }
                // Packets of a later leg were read for the other track.
                guard entry.leg < leg.number else { return nil }
                _ = queues[track.rawValue].removeFirst()
                continue
            }
            if let current = self.leg, current > leg.number { return nil }
            if self.leg != leg.number {
                try leave(for: track, keeping)
                try jump(to: leg)
            }
            guard try readOne(keeping) else { return nil }
        }
    }

    /// Reads the rest of a leg for the other track, which may be a little behind.
    private mutating func leave(
        for track: MediaTrack, _ keeping: (MediaTrack) -> DemuxedPackets.Keeping?
    ) throws {
        guard leg != nil else { return }
        for _ in 0..<Self.restLimit {
            guard try readOne(keeping) else { return }
        }
    }

    /// Limit of packets that are read when a leg is left.
    private static let restLimit = 100

    /// Reads a packet into its queue; false at the end.
    private mutating func readOne(_ keeping: (MediaTrack) -> DemuxedPackets.Keeping?) throws -> Bool
    {
        guard let context, !isAtEnd, let leg else { return false }
        let packet = try MediaPacket()
        let code = av_read_frame(context, packet.pointer)
        guard code >= 0 else {
            isAtEnd = true
            return false
        }
        guard let place = streams.firstIndex(of: packet.pointer.pointee.stream_index),
            let track = MediaTrack(rawValue: place), let kept = keeping(track)
        else { return true }
        queues[place].append(packet, leg: leg, kept)
        return true
    }

    /// How far before a jump audio decoders begin: the first frame after a jump lacks the one before it.
    private static let audioLead: Int64 = 100_000_000

    /// Goes to the key frame before the start of a leg.
    private mutating func jump(to leg: Playback.Leg) throws {
        self.leg = leg.number
        isAtEnd = false
        if isFresh, leg.start == 0 {
            isFresh = false
            return
        }
        isFresh = false
        guard let context, let (track, parameters) = leading, let index = streams[track.rawValue]
        else { return }
        let lead = self.parameters[MediaTrack.audio.rawValue] == nil ? 0 : Self.audioLead
        let goal = av_rescale_q(
            origin + leg.start - lead, AVRational(num: 1, den: 1_000_000_000), parameters.timeBase)
        if isSeekable, avformat_seek_file(context, index, .min, goal, goal, 0) >= 0 { return }
        // A file without an index: decode from its beginning.
        var old: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&old)
        self.context = nil
        let opened = try address.open(interrupt)
        self.context = opened
        for stream in 0..<Int32(opened.pointee.nb_streams) where !streams.contains(stream) {
            opened.pointee.streams[Int(stream)]?.pointee.discard = AVDISCARD_ALL
        }
    }
}

/// Packets of a track in the order of the file, each with its leg. Bounded.
struct DemuxedPackets {
    private var entries: [(packet: MediaPacket, leg: Int)] = []
    private var head = 0
    private var bytes = 0

    /// Limit of bytes of packets that nobody has taken; then the oldest ones are dropped.
    private static let byteLimit = 32 << 20
    private static let countLimit = 4000

    var first: (packet: MediaPacket, leg: Int)? { head < entries.count ? entries[head] : nil }

    /// Decides which packets are kept.
    enum Keeping {
        case all
        /// From the last key frame on, for a plugin that is stopped.
        case latest
    }

    mutating func append(_ packet: MediaPacket, leg: Int, _ keeping: Keeping) {
        if keeping == .latest, packet.isKey {
            while removeFirst() != nil {}
        }
        bytes += Int(packet.pointer.pointee.size)
        entries.append((packet, leg))
        while bytes > Self.byteLimit || entries.count - head > Self.countLimit {
            repeat {
                guard removeFirst() != nil else { return }
            } while first.map { !$0.packet.isKey } ?? false
        }
    }

    mutating func removeFirst() -> MediaPacket? {
        guard head < entries.count else { return nil }
        let packet = entries[head].packet
        head += 1
        bytes -= Int(packet.pointer.pointee.size)
        if head > 64, head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return packet
    }
}

/// Decides which audio track plays.
enum AudioTrackChoice: Equatable {
    case standard
    case number(Int)
    case language(String)

    init(_ text: String) {
        self = text.isEmpty ? .standard : Int(text).map { .number($0) } ?? .language(text)
    }

    /// - Throws: A ``PluginError`` with the tracks that there are.
    func stream(
        of tracks: [UnsafeMutablePointer<AVStream>],
        in context: UnsafeMutablePointer<AVFormatContext>, file: String
    ) throws -> UnsafeMutablePointer<AVStream>? {
        switch self {
        case .standard:
            let best = av_find_best_stream(context, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0)
            return tracks.first { $0.pointee.index == best } ?? tracks.first
        case .number(let number):
            if (1...max(tracks.count, 1)).contains(number), !tracks.isEmpty {
                return tracks[number - 1]
            }
        case .language(let language):
            if let track = tracks.first(where: { Self.language(of: $0) == language }) {
                return track
            }
        }
        let names = tracks.enumerated().map { "\($0 + 1) (\(Self.language(of: $1)))" }
        throw PluginError(
            "\(file): no audio track \(self); the file has "
                + (names.isEmpty ? "none" : names.joined(separator: ", ")), status: .badSetting)
    }

    private static func language(of stream: UnsafeMutablePointer<AVStream>) -> String {
        av_dict_get(stream.pointee.metadata, "language", nil, 0)
            .map { String(cString: $0.pointee.value) } ?? "und"
    }
}

extension AudioTrackChoice: CustomStringConvertible {
    var description: String {
        switch self {
        case .standard: "by default"
        case .number(let number): "\(number)"
        case .language(let language): language
        }
    }
}
