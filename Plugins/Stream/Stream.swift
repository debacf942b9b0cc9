import CFFmpeg
import Glibc
import PluginEncoding
import GreenroomPlugin
import GreenroomSystem
import SystemPackage

/// Sends video with the session's audio to a server, or into a folder as HLS, through FFmpeg's libraries.
///
/// The callbacks encode; a separate thread sends.
final class Stream: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.stream", name: "Stream", version: "1.0.0",
        summary: "Sends the session as RTMP, RTSP, SRT, MPEG-TS over UDP, or HLS",
        vendor: "Greenroom")

    struct Settings: PluginSettings {
        var url = ""
        var hls = ""
        var video = SessionVideo.camera
        var videoBitRate = 0
        var audioBitRate = 128
        var keyInterval = 2

        static let table: [Setting<Self>] = [
            .resource(
                "url", \.url,
                title: "Server: rtmp, rtmps, rtsp, srt or udp; the log shows only its host"),
            .path(
                "hls", \.hls,
                title:
                    "Playlist of HLS, .m3u8, instead of a server; its folder is created if missing"),
            .choice("video", \.video, title: "Track to show; default: the first track"),
            .integer(
                "video-bit-rate", \.videoBitRate, in: 0...200_000,
                title: "Maximum of the video; 0: by size and rate", unit: "kbit/s", live: true),
            .integer(
                "audio-bit-rate", \.audioBitRate, in: 16...510, title: "Audio", unit: "kbit/s"),
            .integer(
                "key-interval", \.keyInterval, in: 1...20,
                title: "Time between key frames, and length of the segments of HLS", unit: "s"),
        ]
    }

    /// The time for which the first frames may wait for the connection, in milliseconds of real time: below the 2 s that
    /// the host gives a callback.
    private static let connectionTimeout: Int64 = 1500

    private var settings: Settings
    private let host: PluginHost
    private var address: StreamAddress
    /// Time between key frames, and length of the segments of HLS, in seconds.
    private var keyInterval: Int
    private var video: (track: Track, capability: VideoCapability)?
    private var audioTrack: Track?
    private var encoder: (video: VideoEncoder, audio: AudioEncoder?)?
    private var publisher: Publisher?
    private var adaptation = AdaptiveBitRate()
    /// The next frame, in periods of the rate, and the newest key frame's time.
    private var nextIndex: Int64 = 0
    private var newestKey: Int64?
    /// The first sample of the encoder, from 0 at the start of the session.
    private var firstSample: Int64?
    private var bytes: Int64 = 0

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        (address, keyInterval) = (try Self.address(settings), settings.keyInterval)
        LibraryLog.install()
        avformat_network_init()
        if address.isSRT { LibraryLog.installSRT() }
    }

    private static func address(_ settings: Settings) throws -> StreamAddress {
        guard settings.url.isEmpty != settings.hls.isEmpty else {
            throw PluginError(
                settings.url.isEmpty
                    ? "neither url nor hls: write url: rtmp://HOST/APP/KEY, or hls: FOLDER/live.m3u8"
                    : "both url and hls: leave one out", status: .badSetting)
        }
        guard settings.url.isEmpty else {
            do {
                return try StreamAddress.url(settings.url).get()
            } catch {
                throw PluginError("url: \(error)", status: .badSetting)
            }
        }
        guard settings.hls.hasSuffix(".m3u8") else {
            throw PluginError("hls: end the name with .m3u8", status: .badSetting)
        }
        return .hls(settings.hls, seconds: settings.keyInterval)
    }

    func onTrack(_ track: Track) throws -> TrackWant? {
        guard track.participant == nil else { return nil }
        if track.kind == settings.video.kind, let capability = track.capability,
            video?.track.id ?? track.id == track.id
        {
            // The stream has one size: the host scales the frames of a ceiling.
            let (_, wanted) =
                encoder == nil ? (track, Self.wanted(capability)) : video ?? (track, capability)
            video = (track, wanted)
            return .video(
                VideoTrackWant(
                    size: wanted.size, rate: wanted.rate,
                    fit: wanted.size == capability.size ? .letterbox : .stretch))
        }
        // In a call the full mix has the participants, too.
        guard track.kind == .mix || track.kind == .fullMix else { return nil }
        if track.kind == .fullMix || audioTrack == nil { audioTrack = track }
        return .audio(AudioTrackWant(format: AudioEncoder.format, blockFrames: 960))
    }

    private static func wanted(_ capability: VideoCapability) -> VideoCapability {
        VideoCapability(size: VideoCodec.h264.size(for: capability.size), rate: capability.rate)
    }

    func onStart() throws {
        guard let video else {
            throw PluginError(
                "the session has no \(settings.video.rawValue) for this stream; add its source, or choose "
                    + "another track with 'video'", status: .unavailable)
        }
        (nextIndex, newestKey, firstSample, bytes) = (0, nil, nil, 0)
        adaptation = AdaptiveBitRate()
        do {
            if !settings.hls.isEmpty {
                try makeFolder(of: settings.hls)
                try restart(settings.hls)
            }
            guard let format = av_guess_format(address.muxer, nil, nil) else {
                throw PluginError("FFmpeg's libraries lack the format \(address.muxer)")
            }
            let hasGlobalHeader = format.pointee.flags & AVFMT_GLOBALHEADER != 0
            let videoEncoder = try VideoEncoder(
                video.capability, codec: .h264, bits: .limit(kilobits: kilobits),
                hasGlobalHeader: hasGlobalHeader)
            let audioEncoder = try audioTrack.map { _ in
                try AudioEncoder(
                    codec: .aac, kilobits: settings.audioBitRate, hasGlobalHeader: hasGlobalHeader)
            }
            let content = try StreamContent(
                [videoEncoder.encoder] + (audioEncoder.map { [$0.encoder] } ?? []))
            encoder = (videoEncoder, audioEncoder)
            let publisher = try Publisher(address, content, host: host)
            self.publisher = publisher
            publisher.waitForConnection(milliseconds: Self.connectionTimeout)
        } catch let error as PluginError {
            throw error
        } catch {
            throw PluginError("\(error)", status: .unavailable)
        }
        report()
    }

    /// The most bits of the video now.
    private var kilobits: Int {
        guard let capability = video?.capability else { return 100 }
        let usual = Double(capability.size.area) * capability.rate.framesPerSecond * 0.0001
        let configured = settings.videoBitRate > 0 ? settings.videoBitRate : Int(usual)
        return max(Int(Double(configured) * adaptation.share), 100)
    }

    func onSettingsChange(_ settings: Settings) {
        self.settings = settings
        encoder?.video.setKilobits(kilobits)
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        guard let encoder = encoder?.video, let publisher, frame.index < 1 << 48 else { return }
        guard publisher.queue.isOpen, encoder.matches(frame) else {
            for _ in 0..<frame.periods { publisher.queue.loseFrame() }
            return report()
        }
        adapt(publisher)
        waitForRoom(in: publisher.queue)
        for index in max(
            frame.index, nextIndex)..<max(frame.index + Int64(frame.periods), nextIndex)
        {
            let start = encoder.rate.dueNanoseconds(ofFrame: index)
            let interval = Int64(keyInterval) * 1_000_000_000
            let isKey =
                publisher.queue.takesKeyRequest()
                || newestKey.map { start - $0 >= interval } ?? true
            if isKey { newestKey = start }
            try encoder.encode(frame, index: index, isKey: isKey) { try self.addVideo($0) }
            nextIndex = index + 1
        }
        report()
    }

    func onAudio(_ block: borrowing OutputBlock) throws {
        guard block.track.id == audioTrack?.id, let encoder = encoder?.audio, block.index >= 0,
            block.index < 1 << 46
        else { return }
        let first = firstSample ?? block.index
        firstSample = first
        // Blocks that were lost are silence, so that the rest stays in step.
        let silence = [Int16](
            repeating: 0, count: AudioEncoder.format.sampleRate / 50 * AudioEncoder.format.channels)
        while case let missing = block.index - first - encoder.count, missing > 0 {
            let count = min(Int(missing) * AudioEncoder.format.channels, silence.count)
            try encoder.append(silence.span.extracting(..<count)) { try self.addAudio($0) }
        }
        guard block.index == first + encoder.count else { return }
        try encoder.append(block.samples) { try self.addAudio($0) }
    }

    func onStop() {
        if let encoder {
            try? encoder.video.finish { try self.addVideo($0) }
            try? encoder.audio?.finish { try self.addAudio($0) }
        }
        publisher?.finish()
        report()
        (encoder, publisher) = (nil, nil)
    }

    // MARK: Packets

    private func addVideo(_ packet: UnsafeMutablePointer<AVPacket>) throws {
        guard let rate = encoder?.video.rate else { return }
        let index = max(packet.pointee.pts, 0)
        let start = rate.dueNanoseconds(ofFrame: index)
        add(
            try Packet(
                moving: packet, stream: 0, start: start,
                duration: rate.dueNanoseconds(ofFrame: index + 1) - start), isVideo: true)
    }

    private func addAudio(_ packet: UnsafeMutablePointer<AVPacket>) throws {
        let (first, rate) = (firstSample ?? 0, Double(AudioEncoder.format.sampleRate))
        let position = first + packet.pointee.pts
        let start = Int64((Double(position) * 1e9 / rate).rounded())
        let duration = Int64((Double(packet.pointee.duration) * 1e9 / rate).rounded())
        add(
            try Packet(moving: packet, stream: 1, start: start, duration: duration), isVideo: false)
    }

    private func add(_ packet: Packet, isVideo: Bool) {
        bytes += Int64(packet.pointer.pointee.size)
        publisher?.queue.add(packet, isVideo: isVideo)
    }

    /// On a virtual clock time stands while this output is late: nothing is lost then.
    private func waitForRoom(in queue: PacketQueue) {
        let (session, end) = (host.nowNanoseconds, StreamWakeup.now() + 1000)
        let pause = StreamWakeup()
        while queue.isFull, host.nowNanoseconds == session, StreamWakeup.now() < end {
            pause.wait(milliseconds: 5)
        }
    }

    // MARK: The network

    private func adapt(_ publisher: Publisher) {
        let behind = publisher.queue.lateness
        guard let video, adaptation.update(behind: behind, now: host.nowNanoseconds) else { return }
        encoder?.video.setKilobits(kilobits)
        let ceiling = adaptation.ceiling(of: video.capability)
        let reason = "the network is slower than the stream"
        host.setCeiling(of: video.track, to: ceiling, because: reason)
        host.log(
            adaptation.share < 1 ? .warning : .info,
            "\(address.name): \(behind / 1_000_000) ms of media wait; the video has "
                + "\(kilobits) kbit/s now")
    }

    private func report() {
        host.report("bytes-encoded", bytes)
        host.report("frames-lost", publisher?.queue.lostFrames ?? 0)
        host.report("video-bit-rate", kilobits)
    }

    /// Continues a playlist of an earlier run, and removes the segments that no playlist names.
    private func restart(_ playlist: String) throws {
        let path = FilePath(playlist)
        guard let name = path.lastComponent?.string else { return }
        let folder = path.removingLastComponent()
        let place = folder.isEmpty ? FilePath(".") : folder
        let restart = HLSRestart(
            among: (try? FileDescriptor.names(in: place.string)) ?? [], playlist: name,
            try content(of: playlist), seconds: settings.keyInterval)
        if let text = restart.replacement {
            host.log(
                .warning,
                "\(playlist) is missing, damaged or older than its segments: the stream begins a "
                    + "playlist with the next number")
            // The old segments go after that, because they have the newest number.
            try replace(playlist, by: text)
        }
        for orphan in restart.orphans { unlink(place.appending(orphan).string) }
        if restart.seconds < settings.keyInterval {
            host.log(
                .warning,
                "\(playlist): its segments are \(restart.seconds) s long, and players rely on it: "
                    + "key-interval \(settings.keyInterval) applies after the playlist is removed "
                    + "with its segments")
        }
        keyInterval = restart.seconds
        address = .hls(playlist, seconds: restart.seconds)
    }

    /// The content of a playlist; empty if there is none.
    private func content(of playlist: String) throws -> String {
        do {
            return String(
                decoding: try FileDescriptor.contents(of: playlist, limit: 1 << 20), as: UTF8.self)
        } catch Errno.noSuchFileOrDirectory {
            return ""
        } catch {
            throw PluginError(
                "\(playlist): cannot read: \(error). Make it readable, or remove it.",
                status: .unavailable)
        }
    }

    private func replace(_ playlist: String, by text: String) throws {
        let temporary = playlist + ".tmp"
        do {
            let file = try FileDescriptor.creating(temporary, options: .noFollow)
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
            guard rename(temporary, playlist) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlink(temporary)
            throw PluginError(
                "\(temporary): cannot write: \(error). Make room, or name a writable folder.",
                status: .unavailable)
        }
    }

    private func makeFolder(of path: String) throws {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        do {
            try FileDescriptor.makeFolder(String(path[..<slash]))
        } catch {
            throw PluginError(
                "\(path): cannot make its folder: \(error). Name a folder that is writable.",
                status: .unavailable)
        }
    }
}
