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
    /// Packets after a jump, which were read to check it.
    private var pending: [MediaPacket] = []
    /// Whether the file consists of recordings that were appended to each other.
    private var isJoined = false
    private var seams = TimestampSeams()
    /// The end of the last packet of the leg.
    private var reached: Int64 = 0
    /// The end of the last packet, once the end of the file was read.
    private(set) var end: Int64?

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
        try measure()
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
                "\(address.name): neither video nor audio in the file", status: address.fault)
        }
    }

    /// Finds where the first frame begins, and where the last one ends: containers are often wrong.
    private mutating func measure() throws {
        guard let context, let (track, parameters) = leading else { return }
        guard let index = streams[track.rawValue],
            let stream = context.pointee.streams[Int(index)]
        else { return }
        let isFile = address.isSeekable && isSeekable
        let begin = stream.pointee.start_time
        var start = begin == CFFMPEG_NO_TIME ? nil : nanoseconds(begin, parameters.timeBase)
        // ASF with reordered frames has decoding times only, and no start time.
        if isFile, start == nil || formatName == "asf" {
            start = firstTime(of: index, parameters) ?? start
        }
        hasTimestamps =
            context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS == 0
            && (start != nil || !address.isSeekable)
        if let start { origin = start }
        var stated = context.pointee.duration
        if stated != CFFMPEG_NO_TIME {
            stated = nanoseconds(stated, AVRational(num: 1, den: 1_000_000))
        }
        guard isFile else {
            // A recording of a server has an end, a live stream has none.
            if address.isStream, stated != CFFMPEG_NO_TIME, stated > 0 { length = stated }
            return
        }
        guard hasTimestamps else { return try reopen() }
        if formatName == "mpegts", TimestampSeams.areBetween(sampledTimes(of: index, parameters)) {
            isJoined = true
            notes.append(
                "\(address.name): its timestamps start again; the parts play one after the other")
            return try reopen()
        }
        let ends = endsOfLastPackets(near: max(stated, 0)).map { $0.map { max($0 - origin, 0) } }
        length = length(ends, stated: stated > 0 ? stated : nil)
        if isJumpExact {
            isFresh = false
        } else {
            // The first pass needs no jump.
            try reopen()
        }
    }

    /// The time at which the first packet of a stream is shown, in nanoseconds; nil if the first packets have no timestamp.
    private func firstTime(of index: Int32, _ parameters: StreamParameters) -> Int64? {
        guard let context, let packet = try? MediaPacket() else { return nil }
        for _ in 0..<100 {
            guard av_read_frame(context, packet.pointer) >= 0 else { return nil }
            defer { av_packet_unref(packet.pointer) }
            if packet.pointer.pointee.stream_index == index, let time = parameters.shown(packet) {
                return time
            }
        }
        return nil
    }

    /// The times of decoding at 16 places of the file.
    private func sampledTimes(of index: Int32, _ parameters: StreamParameters) -> [Int64] {
        guard let context, let packet = try? MediaPacket() else { return [] }
        let size = avio_size(context.pointee.pb)
        return (0..<16).compactMap { place in
            guard av_seek_frame(context, index, size / 16 * Int64(place), AVSEEK_FLAG_BYTE) >= 0
            else {
                return nil
            }
            for _ in 0..<Self.keyLimit {
                guard av_read_frame(context, packet.pointer) >= 0 else { return nil }
                defer { av_packet_unref(packet.pointer) }
                let time = packet.pointer.pointee.dts
                if packet.pointer.pointee.stream_index == index, time != CFFMPEG_NO_TIME {
                    return nanoseconds(time, parameters.timeBase)
                }
            }
            return nil
        }
    }

    /// Audio that is longer by less belongs to the last block of its codec.
    private static let padding: Int64 = 100_000_000

    /// The length of the longest track.
    private mutating func length(_ ends: [Int64?], stated: Int64?) -> Int64? {
        var ends = ends
        if let end = ends[MediaTrack.video.rawValue] {
            ends[MediaTrack.video.rawValue] = parameters[MediaTrack.video.rawValue]?.whole(end)
        }
        guard let longest = ends.compactMap({ $0 }).max() else { return stated }
        if let stated, longest < stated - 500_000_000 {
            notes.append(
                "\(address.name): the file is cut off: it ends at \(seconds(longest)) s and not at "
                    + "\(seconds(stated)) s; copy it again")
        }
        guard let video = ends[MediaTrack.video.rawValue],
            let audio = ends[MediaTrack.audio.rawValue]
        else { return longest }
        let excess = audio - video
        if 0...Self.padding ~= excess { return video }
        if abs(excess) > 1_000_000_000 {
            notes.append(
                excess > 0
                    ? "\(address.name): its video ends at \(seconds(video)) s, its audio at "
                        + "\(seconds(audio)) s; the last frame is held until then"
                    : "\(address.name): its audio ends at \(seconds(audio)) s, its video at "
                        + "\(seconds(video)) s; the rest is silent")
        }
        return longest
    }

    /// Whether the frames of the file have timestamps. A raw stream, such as H.264 without a container, has none.
    private(set) var hasTimestamps = true

    private var formatName: String {
        context.map { String(cString: $0.pointee.iformat.pointee.name) } ?? ""
    }

    /// Whether the container has an index with which a jump to the start finds each packet again.
    private var isJumpExact: Bool {
        hasTimestamps && !["mpegts", "mpeg", "flv", "avi"].contains(formatName)
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

    /// The time before the stated end from which the last packets are read, because they are in the order of decoding.
    private static let tail: Int64 = 1_000_000_000

    /// The end of each track's last packet.
    private func endsOfLastPackets(near time: Int64) -> [Int64?] {
        MediaTrack.allCases.map { track in
            guard streams[track.rawValue] != nil else { return nil }
            // A track that ends long before the other has no packet near the end: look for its last one.
            var (goal, step) = (time - Self.tail, Int64(10_000_000_000))
            while goal > 0 {
                if let end = endOfLastPacket(of: track, near: goal) { return end }
                goal -= step
                step *= 2
            }
            return endOfLastPacket(of: track, near: 0)
        }
    }

    private func endOfLastPacket(of track: MediaTrack, near time: Int64) -> Int64? {
        guard let context, let index = streams[track.rawValue],
            let parameters = parameters[track.rawValue], let packet = try? MediaPacket()
        else { return nil }
        let goal = av_rescale_q(
            origin.addingClamped(time), AVRational(num: 1, den: 1_000_000_000), parameters.timeBase)
        // In a file without an index the end may be far from there.
        if avformat_seek_file(context, index, .min, goal, goal, 0) < 0 {
            guard time == 0, rewind(context, index) else { return nil }
        }
        var end = TrackEnd(parameters)
        for _ in 0..<(time == 0 ? Self.tailLimit * 10 : Self.tailLimit) {
            guard av_read_frame(context, packet.pointer) >= 0 else { return end.time }
            if packet.pointer.pointee.stream_index == index { end.add(packet) }
            av_packet_unref(packet.pointer)
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
    /// - Parameter keeping: The packets of each track to keep; nil if none.
    mutating func packet(
        of track: MediaTrack, at place: Playback.Place,
        keeping: (MediaTrack) -> DemuxedPackets.Keeping?
    ) throws -> NextPacket {
        let leg = place.leg
        while true {
            if let entry = queues[track.rawValue].first {
                if entry.leg == leg.number {
                    return queues[track.rawValue].removeFirst().map { .packet($0) } ?? .end
                }
                // Packets of a later leg were read for the other track.
                guard entry.leg < leg.number else { return .end }
                _ = queues[track.rawValue].removeFirst()
                continue
            }
            if let current = self.leg, current > leg.number { return .end }
            if self.leg != leg.number {
                try leave(keeping)
                try jump(to: leg)
            }
            guard hasRoom(beside: track, at: place.position, keeping) else { return .waiting }
            guard try readOne(keeping) else { return .end }
        }
    }

    /// The longest delay of a track's reader behind the other before its packets are dropped.
    private static let longestDelay: Int64 = 5_000_000_000

    /// Whether the other track's queue has room. A track with few packets reads far ahead of the other, whose packets
    /// are dropped only if nobody takes them.
    private mutating func hasRoom(
        beside track: MediaTrack, at position: Int64,
        _ keeping: (MediaTrack) -> DemuxedPackets.Keeping?
    ) -> Bool {
        for other in MediaTrack.allCases where other != track && keeping(other) == .all {
            while queues[other.rawValue].isFull, let first = queues[other.rawValue].first {
                guard let time = first.packet.time, let base = parameters[other.rawValue]?.timeBase,
                    nanoseconds(time, base) - origin < position - Self.longestDelay
                else { return false }
                queues[other.rawValue].removeGroup()
            }
        }
        return true
    }

    /// Reads the rest of a leg for the other track, which may be a little behind.
    private mutating func leave(_ keeping: (MediaTrack) -> DemuxedPackets.Keeping?) throws {
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
        let packet: MediaPacket
        if pending.isEmpty {
            packet = try MediaPacket()
            guard av_read_frame(context, packet.pointer) >= 0 else {
                isAtEnd = true
                end = reached
                return false
            }
        } else {
            packet = pending.removeFirst()
        }
        guard let place = streams.firstIndex(of: packet.pointer.pointee.stream_index),
            let track = MediaTrack(rawValue: place)
        else { return true }
        if isJoined { join(packet, of: track) }
        note(packet, of: track)
        if let kept = keeping(track) { queues[place].append(packet, leg: leg, kept) }
        return true
    }

    /// Shifts a packet of a later part behind the part before.
    private mutating func join(_ packet: MediaPacket, of track: MediaTrack) {
        let pointer = packet.pointer
        guard let parameters = parameters[track.rawValue], pointer.pointee.dts != CFFMPEG_NO_TIME
        else { return }
        let shift = av_rescale_q(
            seams.shift(
                of: track.rawValue, at: nanoseconds(pointer.pointee.dts, parameters.timeBase),
                lasting: parameters.duration(of: packet)),
            AVRational(num: 1, den: 1_000_000_000), parameters.timeBase)
        pointer.pointee.dts = pointer.pointee.dts.addingClamped(shift)
        if pointer.pointee.pts != CFFMPEG_NO_TIME {
            pointer.pointee.pts = pointer.pointee.pts.addingClamped(shift)
        }
    }

    /// Notes the end of a packet.
    private mutating func note(_ packet: MediaPacket, of track: MediaTrack) {
        guard let parameters = parameters[track.rawValue] else { return }
        let duration = parameters.duration(of: packet)
        guard hasTimestamps, let time = packet.time else {
            if !hasTimestamps { reached = reached.addingClamped(duration) }
            return
        }
        reached = max(reached, nanoseconds(time, parameters.timeBase) - origin + duration)
    }

    // MARK: Jumps

    /// The lead, in nanoseconds, with which audio decoders begin before a jump: their first frame lacks its predecessor.
    private static let audioLead: Int64 = 100_000_000
    /// Limit of packets that are read to find a key frame.
    private static let keyLimit = 2000

    /// Goes to the key frame before the start of a leg. Containers without an index find a time, and not a key frame: then
    /// it looks further and further before.
    private mutating func jump(to leg: Playback.Leg) throws {
        self.leg = leg.number
        isAtEnd = false
        reached = 0
        pending.removeAll()
        defer { isFresh = false }
        if isFresh, leg.start == 0 { return }
        guard let context, let (track, parameters) = leading, let index = streams[track.rawValue]
        else { return }
        guard isSeekable, hasTimestamps, !isJoined else { return try reopen() }
        let lead = self.parameters[MediaTrack.audio.rawValue] == nil ? 0 : Self.audioLead
        var position = leg.start - lead
        var step: Int64 = 1_000_000_000
        while position > 0 {
            let goal = av_rescale_q(
                origin.addingClamped(position), AVRational(num: 1, den: 1_000_000_000),
                parameters.timeBase)
            guard avformat_seek_file(context, index, .min, goal, goal, 0) >= 0 else { break }
            if try findKey(before: leg.start, of: track, parameters) { return }
            position -= step
            step *= 2
        }
        if isJumpExact {
            let goal = av_rescale_q(
                origin - lead, AVRational(num: 1, den: 1_000_000_000), parameters.timeBase)
            if avformat_seek_file(context, index, .min, goal, goal, 0) >= 0,
                try findKey(before: max(leg.start, 0), of: track, parameters)
            {
                return
            }
        } else if rewind(context, index) {
            return
        }
        try reopen()
    }

    /// Reads up to the first key frame; what depends on an earlier one is dropped.
    ///
    /// - Returns: Whether it begins before a position.
    private mutating func findKey(
        before position: Int64, of track: MediaTrack, _ parameters: StreamParameters
    ) throws -> Bool {
        pending.removeAll()
        guard let context, let index = streams[track.rawValue] else { return false }
        for _ in 0..<Self.keyLimit {
            let packet = try MediaPacket()
            guard av_read_frame(context, packet.pointer) >= 0 else { break }
            guard packet.pointer.pointee.stream_index == index else {
                pending.append(packet)
                continue
            }
            guard packet.isKey else { continue }
            pending.append(packet)
            guard let time = parameters.shown(packet) else { break }
            // Containers round to a millisecond.
            if time - origin <= position + 1_000_000 {
                return true
            }
            break
        }
        pending.removeAll()
        return false
    }

    /// Goes to the first byte of a container that is a row of packets; false for others.
    private func rewind(_ context: UnsafeMutablePointer<AVFormatContext>, _ index: Int32) -> Bool {
        ["mpegts", "mpeg"].contains(formatName)
            && av_seek_frame(context, index, 0, AVSEEK_FLAG_BYTE) >= 0
    }

    /// Begins at the start of the file again.
    private mutating func reopen() throws {
        pending.removeAll()
        seams = TimestampSeams()
        avformat_close_input(&context)
        let opened = try address.open(interrupt)
        context = opened
        for stream in 0..<Int32(opened.pointee.nb_streams) where !streams.contains(stream) {
            opened.pointee.streams[Int(stream)]?.pointee.discard = AVDISCARD_ALL
        }
    }
}

/// The end of a track. Packets of video are in the order of decoding, and some have no time of showing.
private struct TrackEnd {
    private let parameters: StreamParameters
    private var (shown, decoded): (Int64?, Int64?)
    private var isKnown = true

    init(_ parameters: StreamParameters) { self.parameters = parameters }

    mutating func add(_ packet: MediaPacket) {
        let duration = parameters.duration(of: packet)
        func end(_ time: Int64, _ last: Int64?) -> Int64? {
            guard time != CFFMPEG_NO_TIME else { return last }
            return max(nanoseconds(time, parameters.timeBase) + duration, last ?? .min)
        }
        isKnown = isKnown && packet.pointer.pointee.pts != CFFMPEG_NO_TIME
        shown = end(packet.pointer.pointee.pts, shown)
        decoded = end(packet.pointer.pointee.dts, decoded)
    }

    var time: Int64? {
        guard parameters.isVideo, !isKnown || parameters.delay > 0 else { return shown ?? decoded }
        return decoded.map { $0 + parameters.reordering - parameters.delay } ?? shown
    }
}

/// Packets of a track in the order of the file, each with its leg. Bounded.
struct DemuxedPackets {
    private var entries: [(packet: MediaPacket, leg: Int)] = []
    private var head = 0
    private var bytes = 0

    /// Limit of bytes of packets that nobody has taken; then the oldest ones are dropped.
    private static let byteLimit = 32 << 20
    private static let countLimit = 32_000

    /// Whether a reader that needs packets of the other track should wait.
    var isFull: Bool { bytes > Self.byteLimit / 2 || entries.count - head > Self.countLimit / 2 }

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
        while bytes > Self.byteLimit || entries.count - head > Self.countLimit { removeGroup() }
    }

    /// Removes the oldest packets up to the next key frame.
    mutating func removeGroup() {
        repeat {
            guard removeFirst() != nil else { return }
        } while first.map { !$0.packet.isKey } ?? false
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
