import CFFmpeg
import SystemPackage
import Glibc
import PluginEncoding
import GreenroomPlugin

/// Records tracks into one file, or into the segments of one.
///
/// The file is made with the first frame or block.
final class FileRecorder {
    /// A process that was lost begins anew in the middle of the session, and continues in another
    /// file.
    private static let latestStart: Int64 = 1_000_000_000

    private let settings: Recorder.Settings
    private let container: Container
    private let path: String
    /// Of a participant's track: when this process began to record. Nil for the session's own.
    private let processStart: Int64?
    /// Whether this process has recorded before a pause.
    private let isContinued: Bool
    private var video: [UInt32: RecordedVideo] = [:]
    private var audio: [UInt32: AudioTrack] = [:]
    private var streams: [MediaFile.Stream] = []
    /// Nil before the first frame or block.
    private var recording: FileTracks?
    /// Its lock on the first file keeps other recordings away from all of them.
    private var first: MediaFile?

    /// Opens the encoders, and checks that the file can be made.
    ///
    /// - Parameters:
    ///   - path: Of the file, with the ending of the container.
    ///   - processStart: For a participant's track, whose times count from its opening: when this
    ///     process began to record, or to record again, on the session clock.
    ///   - isContinued: Whether this process has recorded before a pause: existing files stay.
    init(
        _ tracks: some Collection<Track>, path: String, container: Container,
        settings: Recorder.Settings, processStart: Int64? = nil, isContinued: Bool = false
    ) throws {
        (self.processStart, self.isContinued) = (processStart, isContinued)
        self.settings = settings
        self.container = container
        self.path = path
        do {
            try openEncoders(of: tracks)
            try names.makeFolder()
            let mayContinue = isContinued || Self.mayBeRestarted
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
        // The frames that they keep belong to the host.
        for track in video.values { track.releaseFrames() }
    }

    // MARK: What it has written

    /// Seconds of media.
    var seconds: Double { recording?.seconds ?? 0 }
    /// Bytes of all segments.
    var bytes: Int64 { recording?.bytes ?? 0 }
    /// The segments so far.
    var fileCount: Int { recording?.fileCount ?? 0 }
    /// The newest segment.
    var newestPath: String { recording?.path ?? path }

    // MARK: Recording

    /// The track that a frame is of; nil if this file does not have it.
    func videoTrack(_ id: UInt32) -> RecordedVideo? { video[id] }

    /// Takes a frame of one of its tracks.
    ///
    /// - Returns: Whether something was written.
    func take(_ frame: borrowing OutputFrame) throws -> Bool {
        guard let track = video[frame.track.id] else { return false }
        let recording = try recording(
            at: track.rate.dueNanoseconds(ofFrame: frame.index), now: frame.timeNanoseconds)
        try track.take(frame, into: recording)
        return try recording.write(until: ends)
    }

    /// Takes a block of one of its tracks.
    ///
    /// - Returns: Whether something was written.
    func take(_ block: borrowing OutputBlock) throws -> Bool {
        guard let track = audio[block.track.id] else { return false }
        guard block.index < 1 << 46 else { return false }
        let recording = try recording(
            at: AudioTrack.time(of: block.index), now: block.timeNanoseconds)
        try track.take(block.samples, index: block.index, into: recording)
        return try recording.write(until: ends)
    }

    /// Encodes what is left, and completes the file.
    func finish() throws {
        guard let recording else { return }
        for track in video.values { try track.finish(into: recording) }
        for track in audio.values { try track.finish(into: recording) }
        try recording.finish(at: ends)
    }

    /// The position of each track.
    private var ends: [Int64?] { video.values.map(\.end) + audio.values.map(\.end) }

    // MARK: Files

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
                    kilobits: settings.videoBitRate, hasGlobalHeader: hasGlobalHeader)
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
    ///   - now: The same on the session clock.
    private func begin(at start: Int64, now: Int64) throws -> FileTracks {
        var names = names
        // An existing file may be of the process before, or from before a pause: it is not replaced.
        let isResumed =
            processStart.map {
                (isContinued || Self.mayBeRestarted)
                    && now.subtractingReportingOverflow(start).0 < $0
            }
            ?? (isContinued || start > Self.latestStart)
        let replaces = settings.overwrite && !isResumed
        if replaces { try names.checkUnlocked() }
        // A file from before the session is no earlier part of this recording.
        if isResumed, !isContinued, !settings.overwrite,
            names.isOlder(thanSeconds: start / 1_000_000_000 + 2)
        {
            throw RecordingError(path: names.next, underlyingError: .fileExists)
        }
        let (container, streams) = (container, streams)
        return try FileTracks(from: start, limits: settings.limits) { [weak self] start in
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

    /// The recording, which is begun if it is not.
    private func recording(at start: Int64, now: Int64) throws -> FileTracks {
        if let recording { return recording }
        let begun = try begin(at: start, now: now)
        recording = begun
        return begun
    }
}
