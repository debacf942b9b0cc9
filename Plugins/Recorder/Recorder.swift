import CFFmpeg
import Glibc
import GreenroomPlugin

/// Writes the session as a Matroska, WebM or MP4 file, through FFmpeg's libraries.
final class Recorder: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.recorder", name: "Recorder", version: "1.0.0",
        summary: "Writes the session as a Matroska, WebM or MP4 file", vendor: "Greenroom")

    /// Which audio tracks there are.
    enum AudioTracks: String, CaseIterable {
        case mix, separate
    }

    struct Settings: PluginSettings {
        var file = ""
        var overwrite = false
        var video = VideoCodec.auto
        var videoBitRate = 0
        var audio = AudioCodec.auto
        var audioBitRate = 128
        var audioTracks = AudioTracks.mix
        var segmentSeconds = 0
        var segmentMegabytes = 0

        static let table: [Setting<Self>] = [
            .path(
                "file", \.file,
                title: "File: .mkv, .webm or .mp4; its folder is created if missing",
                required: true),
            .boolean(
                "overwrite", \.overwrite,
                title: "Replace the file if it exists; else that is an error"),
            .choice(
                "video", \.video, title: "Codec of video; auto: h264 in .mp4, vp8 in the others"),
            .integer(
                "video-bit-rate", \.videoBitRate, in: 0...200_000,
                title: "Mean of each video track while it moves; 0: by size and rate",
                unit: "kbit/s"),
            .choice(
                "audio", \.audio, title: "Codec of audio; auto: aac in .mp4, opus in the others"),
            .integer(
                "audio-bit-rate", \.audioBitRate, in: 16...510, title: "Mean of each audio track",
                unit: "kbit/s"),
            .choice(
                "audio-tracks", \.audioTracks,
                title: "One track with the mix, or the microphone and the share's audio separately"
            ),
            .integer(
                "segment-seconds", \.segmentSeconds, in: 0...86_400,
                title: "Continue in another file after this time, NAME-001, NAME-002; 0: don't",
                unit: "s"),
            .integer(
                "segment-megabytes", \.segmentMegabytes, in: 0...1_000_000,
                title: "Continue in another file before it is larger than this; 0: don't",
                unit: "MB"),
        ]

        var limits: Recording.Limits {
            Recording.Limits(
                seconds: segmentSeconds, bytes: Int64(segmentMegabytes) * 1_000_000)
        }
    }

    /// A process that was lost begins anew in the middle of the session, and continues in another
    /// file.
    private static let latestStart: Int64 = 1_000_000_000
    private static let logSeconds = 10.0

    private let settings: Settings
    private let host: PluginHost
    /// What is recorded, by the number of the track.
    private var tracks: [UInt32: Track] = [:]
    private var video: [UInt32: VideoTrack] = [:]
    private var audio: [UInt32: AudioTrack] = [:]
    private var container = Container.mkv
    private var streams: [MediaFile.Stream] = []
    /// Nil before the first frame or block, and after the end.
    private var recording: Recording?
    private var isRecording = false
    /// Its lock on the first file keeps other recordings away from all of them.
    private var first: MediaFile?
    /// Frames of another size than their track's.
    private var skipped = 0
    /// The bytes and seconds of the newest line in the log.
    private var logged = (bytes: Int64(0), seconds: 0.0)

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
        // What matters comes as an error; it is process-wide.
        av_log_set_level(AV_LOG_QUIET)
    }

    func onTrack(_ track: Track) throws -> TrackWant? {
        guard let container = Container(path: settings.file) else {
            throw PluginError(
                "\(settings.file): the name says no format; end it with .mkv, .webm or .mp4",
                status: .badSetting)
        }
        self.container = container
        let isWanted =
            switch track.kind {
            case .camera, .share: track.capability != nil
            case .microphone, .shareAudio: settings.audioTracks == .separate
            case .mix: settings.audioTracks == .mix
            // In a call, what the others say.
            case .incoming: true
            case .mixMinus: false
            }
        // A file's tracks are all there from its start: participants come too late.
        guard isWanted, track.participant == nil else { return nil }
        tracks[track.id] = track
        guard let size = track.capability?.size else {
            return .audio(AudioTrackWant(format: AudioTrack.format, blockFrames: 960))
        }
        // The host makes a frame with odd sides one pixel smaller if the codec needs that.
        let even = settings.video.settled(for: container).size(for: size)
        return .video(
            VideoTrackWant(
                size: even == size ? nil : even, fit: even == size ? .letterbox : .stretch,
                pace: .complete))
    }

    func onStart() throws {
        forget()
        guard !tracks.isEmpty else {
            throw PluginError("the session has nothing to record; add a camera or a microphone")
        }
        do {
            try openTracks()
            try names.makeFolder()
            if !FileNames.exists(names.next) {
                try names.checkWritable()
            } else if !settings.overwrite, !Self.mayBeRestarted {
                throw FileFailure(path: names.next, number: EEXIST)
            }
            if settings.overwrite, !Self.mayBeRestarted { try names.checkUnlocked() }
            // The file is made with the first frame or block. In a process that may have been started
            // again its time says whether the session is at its start: what is there then is
            // another recording's, or else this one's.
        } catch let error as PluginError {
            throw error
        } catch {
            throw PluginError("\(error)", status: .unavailable)
        }
        isRecording = true
    }

    /// Whether this process may stand for one that was lost: it is no session's own. A sandbox that
    /// does not say so is one of such a process.
    private static let mayBeRestarted: Bool = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return true }
        let name = path[..<count].map { UInt8(bitPattern: $0) }
        return name.suffix(17).elementsEqual("/greenroom-runner".utf8)
    }()

    /// Opens the encoders.
    private func openTracks() throws {
        let videoCodec = settings.video.settled(for: container)
        let audioCodec = settings.audio.settled(for: container)
        guard let format = av_guess_format(container.muxer, nil, nil) else {
            throw PluginError("FFmpeg's libraries lack the format \(container.muxer)")
        }
        let hasGlobalHeader = format.pointee.flags & AVFMT_GLOBALHEADER != 0
        var media: Set<Bool> = []
        // The camera before the share, and video before audio.
        let videoFirst = tracks.values.sorted {
            ($0.kind.isVideo ? 0 : 1, $0.id) < ($1.kind.isVideo ? 0 : 1, $1.id)
        }
        for track in videoFirst {
            let encoder: Encoder
            if let capability = track.capability {
                let opened = try VideoTrack(
                    stream: streams.count, capability: capability, codec: videoCodec,
                    kilobits: settings.videoBitRate, hasGlobalHeader: hasGlobalHeader)
                video[track.id] = opened
                encoder = opened.encoder
            } else {
                let opened = try AudioTrack(
                    stream: streams.count, codec: audioCodec, kilobits: settings.audioBitRate,
                    hasGlobalHeader: hasGlobalHeader)
                audio[track.id] = opened
                encoder = opened.encoder
            }
            guard avformat_query_codec(format, encoder.context.pointee.codec_id, 0) == 1 else {
                throw PluginError(
                    "\(settings.file): a .\(container.rawValue) can't have "
                        + "\(track.kind.isVideo ? videoCodec.rawValue : audioCodec.rawValue); "
                        + "choose another codec, or another ending", status: .badSetting)
            }
            streams.append(
                MediaFile.Stream(
                    name: track.name, isDefault: media.insert(track.kind.isVideo).inserted,
                    encoder: encoder, rate: track.capability?.rate))
        }
    }

    private var names: FileNames {
        FileNames(path: settings.file, isNumbered: settings.limits.areSet)
    }

    /// Opens the first file.
    ///
    /// - Parameter start: The time of the first frame or block.
    private func begin(at start: Int64) throws -> Recording {
        var names = names
        // What is there may be of the process before: nothing of it is replaced.
        let isResumed = start > Self.latestStart
        let replaces = settings.overwrite && !isResumed
        if replaces { try names.checkUnlocked() }
        // A file from before the session is no earlier part of this recording.
        if isResumed, !settings.overwrite, names.isOlder(thanSeconds: start / 1_000_000_000 + 2) {
            throw FileFailure(path: names.next, number: EEXIST)
        }
        let (container, streams) = (container, streams)
        return try Recording(from: start, limits: settings.limits) { [weak self] start in
            if isResumed { names.skipTaken() }
            let file = try MediaFile(
                path: names.next, container: container, streams: streams, start: start,
                replaces: replaces)
            if let self, first == nil {
                first = file
                if replaces, names.isNumbered { names.removeLater() }
            }
            names.advance()
            return file
        }
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        guard isRecording, let track = video[frame.track.id] else { return }
        if !track.matches(frame) { reportSkipped(frame, track) }
        do {
            let recording = try recording(at: track.rate.dueNanoseconds(ofFrame: frame.index))
            try track.take(frame, into: recording)
            try write(recording)
        } catch {
            try fail(error)
        }
    }

    func onAudio(_ block: borrowing OutputBlock) throws {
        guard isRecording, let track = audio[block.track.id] else { return }
        do {
            let nanoseconds = block.index.multipliedReportingOverflow(by: 1_000_000_000 / 48_000)
            let recording = try recording(at: nanoseconds.overflow ? .max : nanoseconds.0)
            try track.take(block.samples, index: block.index, into: recording)
            try write(recording)
        } catch {
            try fail(error)
        }
    }

    /// The recording, which is begun if it is not.
    private func recording(at start: Int64) throws -> Recording {
        if let recording { return recording }
        let begun = try begin(at: start)
        recording = begun
        return begun
    }

    /// How far each track is.
    private var ends: [Int64?] { video.values.map(\.end) + audio.values.map(\.end) }

    private func write(_ recording: Recording) throws {
        guard try recording.write(until: ends) else { return }
        report(recording)
        let seconds = recording.seconds
        guard seconds >= logged.seconds + Self.logSeconds else { return }
        let rate = Double(recording.bytes - logged.bytes) * 8 / (seconds - logged.seconds)
        host.log(
            .info,
            "\(recording.path): \(Int(seconds)) s, \(Self.tenths(Double(recording.bytes) / 1e6)) MB, "
                + "now \(Self.tenths(rate / 1e6)) Mbit/s")
        logged = (recording.bytes, seconds)
    }

    private func report(_ recording: Recording) {
        let seconds = recording.seconds
        host.report("seconds", seconds)
        host.report("bytes-written", recording.bytes)
        host.report("files", recording.fileCount)
        if seconds > 0 {
            host.report("bit-rate", Int64(Double(recording.bytes) * 8 / seconds))
        }
    }

    private func reportSkipped(_ frame: borrowing OutputFrame, _ track: VideoTrack) {
        skipped += 1
        host.report("frames-skipped", skipped)
        guard skipped == 1 else { return }
        host.log(
            .warning,
            "\(frame.track.name): a frame of \(frame.size) in a track of \(track.size) is skipped, as "
                + "are all such; the image before it stays")
    }

    /// With one digit behind the point.
    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// Ends the recording early: what keeps one piece from the disk keeps the next ones, too.
    private func fail(_ error: any Error) throws {
        if let recording { report(recording) }
        let isOrdinary = isOrdinaryEnd(error)
        forget()
        host.giveUp("\(error)", status: isOrdinary ? .ok : .unavailable)
        if !isOrdinary { throw PluginError("\(error)", status: .unavailable) }
    }

    /// Whether the disk is full; without room for the first piece there is no recording.
    private func isOrdinaryEnd(_ error: any Error) -> Bool {
        (error as? FileFailure)?.isFull ?? false && (recording?.seconds ?? 0) > 0
    }

    /// Frees the encoders, and gives back what they keep.
    private func forget() {
        isRecording = false
        recording = nil
        first = nil
        for track in video.values { track.releaseFrames() }
        video = [:]
        audio = [:]
        streams = []
        skipped = 0
        logged = (0, 0)
    }

    func onStop() {
        defer { forget() }
        guard let recording, isRecording else { return }
        do {
            for track in video.values { try track.finish(into: recording) }
            for track in audio.values { try track.finish(into: recording) }
            try recording.finish(at: ends)
        } catch {
            host.giveUp("\(error)", status: isOrdinaryEnd(error) ? .ok : .unavailable)
        }
        report(recording)
    }
}
