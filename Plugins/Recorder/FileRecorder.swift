import CFFmpeg
import SystemPackage
import Glibc
import GreenroomSchema
import PluginEncoding
import GreenroomPlugin

/// Records tracks into one file, or into the segments of one.
///
/// The file is made with the first frame or block.
final class FileRecorder {
    /// After this time, a recording that begins belongs to a restarted process, and continues in another
    /// file.
    private static let latestStart: Int64 = 1_000_000_000

    private let settings: Recorder.Settings
    private let container: Container
    private let path: String
    /// The time at which this process began to record a participant's track; nil for the session's own
    /// tracks.
    private let processStart: Int64?
    /// Whether this process has recorded before, and was stopped.
    private let isContinued: Bool
    private let completed: (_ path: String) -> Void
    private var video: [UInt32: RecordedVideo] = [:]
    private var audio: [UInt32: AudioTrack] = [:]
    /// The tracks that have begun.
    private var paused: [UInt32: PausedTrack] = [:]
    private var streams: [MediaFile.Stream] = []
    /// The number of the text track; nil without one.
    private var captionStream: Int?
    /// Nil before the first frame or block.
    private var recording: FileTracks?
    /// The start of the track whose media came first, on the session clock.
    private var origin: Int64 = 0
    /// The first file, whose lock keeps other recordings away from all files of this one.
    private var first: MediaFile?
    /// The memory of a replay; nil before the first frame or block.
    private var memory: ReplayMemory?
    /// The end of a requested replay, which waits for its media; nil without a request.
    private var saveTime: Int64?
    /// Receives each replay that is ready to be written.
    private let onReplay: (ReplayFile) -> Void

    /// Opens the encoders, and checks that the file can be made.
    ///
    /// - Parameters:
    ///   - path: Of the file, with the ending of the container.
    ///   - processStart: For a participant's track, whose times count from its opening: when this
    ///     process began to record, or to record again, on the session clock.
    ///   - isContinued: Whether this process has recorded before a pause: existing files stay.
    ///   - completed: Called with the path of each complete file.
    init(
        _ tracks: some Collection<Track>, path: String, container: Container,
        settings: Recorder.Settings, processStart: Int64? = nil, isContinued: Bool = false,
        completed: @escaping (_ path: String) -> Void,
        onReplay: @escaping (ReplayFile) -> Void
    ) throws {
        self.completed = completed
        // A replay replaces nothing.
        (self.processStart, self.isContinued) = (
            processStart, isContinued || settings.replaySeconds > 0
        )
        self.onReplay = onReplay
        self.settings = settings
        self.container = container
        self.path = path
        do {
            try openEncoders(of: tracks)
            try names.makeFolder()
            let mayContinue = self.isContinued || Self.mayBeRestarted
            if !FileNames.exists(names.next) {
                try names.checkWritable()
            } else if !settings.overwrite, !mayContinue {
                throw RecordingError(path: names.next, underlyingError: .fileExists)
            }
            if settings.overwrite, !mayContinue { try names.checkUnlocked() }
            // After a restart of the process, the first frame's time decides: at the session's
            // start an existing file belongs to an earlier recording, later to this one.
        } catch let error as PluginError {
            throw error
        } catch {
            throw PluginError("\(error)", status: .unavailable)
        }
    }

    deinit {
        // Return the host's frames that the tracks keep.
        for track in video.values { track.releaseFrames() }
    }

    // MARK: Written media

    /// Seconds of media.
    var seconds: Double { recording?.seconds ?? 0 }
    /// Bytes of all segments.
    var bytes: Int64 { kept == nil ? recording?.bytes ?? 0 : 0 }
    /// The segments so far.
    var fileCount: Int { kept == nil ? recording?.fileCount ?? 0 : 0 }
    /// The newest segment.
    var newestPath: String { recording?.path ?? path }

    // MARK: Recording

    /// The track of a frame; nil if this file does not have the track.
    func videoTrack(_ id: UInt32) -> RecordedVideo? { video[id] }

    /// Encodes a frame of one of the file's tracks.
    ///
    /// - Returns: Whether something was written.
    func take(_ frame: borrowing OutputFrame, without pauses: RecordingPauses) throws -> Bool {
        guard let track = video[frame.track.id], frame.periods > 0,
            (0..<1 << 48).contains(frame.index)
        else { return false }
        let rate = track.rate
        let origin = frame.timeNanoseconds &- rate.dueNanoseconds(ofFrame: frame.index)
        let runs = paused[
            frame.track.id,
            default: PausedTrack(
                origin: origin, numerator: Int(rate.numerator),
                denominator: Int(rate.denominator))
        ].runs(of: frame.index..<frame.index + Int64(frame.periods), without: pauses)
        guard let first = runs.first else { return false }
        let recording = try recording(
            at: rate.dueNanoseconds(ofFrame: first.index), origin: origin)
        for run in runs { try track.take(frame, run, into: recording) }
        return try write(recording)
    }

    /// Takes a block of one of its tracks.
    ///
    /// - Returns: Whether something was written.
    func take(_ block: borrowing OutputBlock, without pauses: RecordingPauses) throws -> Bool {
        guard let track = audio[block.track.id], (0..<1 << 46).contains(block.index) else {
            return false
        }
        let origin = block.timeNanoseconds &- AudioTrack.time(of: block.index)
        let runs = paused[
            block.track.id,
            default: PausedTrack(origin: origin, numerator: AudioTrack.format.sampleRate)
        ].runs(of: block.index..<block.index + Int64(block.frameCount), without: pauses)
        guard let first = runs.first else { return false }
        let recording = try recording(at: AudioTrack.time(of: first.index), origin: origin)
        let channels = AudioTrack.format.channels
        for run in runs {
            let start = Int(run.periods.lowerBound - block.index) * channels
            let samples = block.samples.extracting(start..<start + run.periods.count * channels)
            try track.take(samples, index: run.index, into: recording)
        }
        return try write(recording)
    }

    /// Writes what all tracks have passed, and then a replay that waits for it.
    private func write(_ recording: FileTracks) throws -> Bool {
        let isNew = try recording.write(until: ends)
        if let time = saveTime, recording.written > time { try save() }
        return isNew
    }

    /// Writes a replay as soon as the media up to now are in memory.
    ///
    /// - Parameter isPaused: Whether no more media come.
    func saveReplay(isPaused: Bool) throws {
        guard let end = ends.compactMap(\.self).max() else { return }
        saveTime = saveTime ?? end
        if isPaused { try save() }
    }

    private func save() throws {
        saveTime = nil
        guard let packets = try memory?.packets(), let start = packets.map(\.start).min() else {
            return
        }
        var names = names
        names.skipTaken()
        let file = try MediaFile(
            path: names.next, container: container, streams: streams, start: max(start, 0),
            replaces: false)
        onReplay(ReplayFile(file, packets))
    }

    /// The time and the bytes of the replay in memory; nil for a recording to files.
    var kept: (seconds: Double, bytes: Int64)? {
        guard settings.replaySeconds > 0 else { return nil }
        return (memory?.seconds ?? 0, memory?.size ?? 0)
    }

    /// Whether the file has the session's own tracks.
    var isOwn: Bool { processStart == nil }

    /// Adds a caption to the file that is written; nothing before its first frame or block.
    func add(_ caption: CaptionEvent, without pauses: RecordingPauses) throws {
        guard settings.replaySeconds == 0, let recording,
            let times = pauses.inFile(from: caption.start, to: caption.end, origin: origin)
        else { return }
        var caption = caption
        (caption.start, caption.end) = times
        try recording.add(caption, replaces: settings.overwrite)
    }

    /// Encodes what is left, and completes the file.
    func finish() throws {
        guard let recording else { return }
        for track in video.values { try track.finish(into: recording) }
        for track in audio.values { try track.finish(into: recording) }
        try recording.finish(at: ends)
        if saveTime != nil { try save() }
    }

    /// The position of each track.
    private var ends: [Int64?] { video.values.map(\.end) + audio.values.map(\.end) }

    // MARK: Files

    /// Whether this process may replace a lost one: it is greenroom-runner, not the host. A sandbox that hides
    /// the answer is a sandbox of greenroom-runner.
    private static let mayBeRestarted: Bool = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return true }
        let name = path[..<count].map { UInt8(bitPattern: $0) }
        return name.suffix(17).elementsEqual("/greenroom-runner".utf8)
    }()

    /// Opens the encoders.
    private func openEncoders(of tracks: some Collection<Track>) throws {
        let videoCodec = settings.video.codec(for: container)
        let audioCodec = settings.audio.codec(for: container)
        guard let format = av_guess_format(container.muxer, nil, nil) else {
            throw PluginError("FFmpeg's libraries lack the format \(container.muxer)")
        }
        let hasGlobalHeader = format.pointee.flags & AVFMT_GLOBALHEADER != 0
        var media: Set<Bool> = []
        // The camera before the share, and video before audio.
        let videoFirst = tracks.sorted {
            ($0.kind.isVideo ? 0 : 1, $0.id) < ($1.kind.isVideo ? 0 : 1, $1.id)
        }
        for track in videoFirst {
            let encoder: Encoder
            if let capability = track.capability {
                let opened = try RecordedVideo(
                    stream: streams.count, capability: capability, codec: videoCodec,
                    kilobits: settings.videoBitRate, hasGlobalHeader: hasGlobalHeader,
                    keepsKeys: settings.replaySeconds > 0)
                video[track.id] = opened
                encoder = opened.encoder.encoder
            } else {
                let opened = try AudioTrack(
                    stream: streams.count, codec: audioCodec, kilobits: settings.audioBitRate,
                    hasGlobalHeader: hasGlobalHeader)
                audio[track.id] = opened
                encoder = opened.encoder.encoder
            }
            guard avformat_query_codec(format, encoder.context.pointee.codec_id, 0) == 1 else {
                throw PluginError(
                    "\(path): a .\(container.rawValue) can't have "
                        + "\(track.kind.isVideo ? "\(videoCodec)" : "\(audioCodec)"); "
                        + "choose another codec, or another ending", status: .badSetting)
            }
            streams.append(
                MediaFile.Stream(
                    name: track.name, isDefault: media.insert(track.kind.isVideo).inserted,
                    encoder: encoder, rate: track.capability?.rate))
        }
        if settings.captions, isOwn {
            captionStream = streams.count
            streams.append(MediaFile.Stream(name: "captions", isDefault: false))
        }
    }

    private var names: FileNames {
        // A participant's camera that is on again is the track `ana-camera-2`.
        FileNames(
            path: path, isNumbered: settings.limits.areSet,
            continuation: processStart == nil ? "-" : "-part-")
    }

    /// Opens the first file.
    ///
    /// - Parameters:
    ///   - start: The time of the first frame or block in its track.
    ///   - origin: The start of the track, on the session clock.
    private func begin(at start: Int64, origin: Int64) throws -> FileTracks {
        var names = names
        // Do not replace a file that an earlier process of this recording has written, or this process before
        // a stop.
        let isResumed =
            processStart.map {
                (isContinued || Self.mayBeRestarted) && origin < $0
            }
            ?? (isContinued || start > Self.latestStart)
        let replaces = settings.overwrite && !isResumed
        if replaces { try names.checkUnlocked() }
        // A file that is older than the session is not a part of this recording.
        if isResumed, !isContinued, !settings.overwrite,
            names.isOlder(thanSeconds: start / 1_000_000_000 + 2)
        {
            throw RecordingError(path: names.next, underlyingError: .fileExists)
        }
        let (container, streams) = (container, streams)
        if settings.replaySeconds > 0 {
            return try FileTracks(
                from: start, limits: FileTracks.Limits(), captions: nil, completed: { _ in }
            ) {
                [unowned self] start in
                let memory = ReplayMemory(
                    path: path, start: start, seconds: settings.replaySeconds,
                    videoStreams: Set(video.values.map(\.stream)))
                self.memory = memory
                return memory
            }
        }
        return try FileTracks(
            from: start, limits: settings.limits, captions: captionStream, completed: completed
        ) {
            [weak self] start in
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

    /// The recording; begins it if necessary.
    private func recording(at start: Int64, origin: Int64) throws -> FileTracks {
        if let recording { return recording }
        let begun = try begin(at: start, origin: origin)
        recording = begun
        self.origin = origin
        return begun
    }
}
