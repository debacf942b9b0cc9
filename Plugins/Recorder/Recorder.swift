import CFFmpeg
import PluginEncoding
import GreenroomPlugin
import GreenroomSchema

/// Writes the session as a Matroska, WebM or MP4 file, through FFmpeg's libraries, and each participant's
/// track in a separate file.
final class Recorder: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.recorder", name: "Recorder", version: "1.0.0",
        summary: "Writes the session as a Matroska, WebM or MP4 file", vendor: "Greenroom")

    /// The choice of audio tracks.
    enum AudioTracks: String, CaseIterable {
        case mix, separate
    }

    /// The share's place.
    enum ShareFile: String, CaseIterable {
        case track, file
    }

    /// The participants' places.
    enum ParticipantFiles: String, CaseIterable {
        case mix, files
    }

    struct Settings: PluginSettings {
        var file = ""
        var overwrite = false
        var video = VideoChoice.auto
        var videoBitRate = 0
        var audio = AudioChoice.auto
        var audioBitRate = 128
        var audioTracks = AudioTracks.mix
        var share = ShareFile.track
        var participants = ParticipantFiles.files
        var segmentSeconds = 0
        var segmentMegabytes = 0
        var recording = true
        var paused = false
        var replaySeconds = 0
        /// Counts the commands to save: each one sets `saveReplay` to true again.
        private(set) var saveCount = 0
        var saveReplay = false { didSet { if saveReplay { saveCount &+= 1 } } }
        var captions = false

        static let table: [Setting<Self>] = [
            .path(
                "file", \.file,
                title: "File: .mkv, .webm or .mp4; its folder is created if missing",
                required: true),
            .boolean(
                "overwrite", \.overwrite,
                title: "Replace the file if it exists; off: an existing file is an error"),
            .choice(
                "video", \.video, title: "Codec of video; auto: h264 in .mp4, vp8 in the others"),
            .integer(
                "video-bit-rate", \.videoBitRate, in: 0...200_000,
                title: "Mean bit rate of a video track; 0: by size and rate",
                unit: "kbit/s"),
            .choice(
                "audio", \.audio, title: "Codec of audio; auto: aac in .mp4, opus in the others"),
            .integer(
                "audio-bit-rate", \.audioBitRate, in: 16...510, title: "Bit rate of an audio track",
                unit: "kbit/s"),
            .choice(
                "audio-tracks", \.audioTracks,
                title: "Audio tracks: one with the mix, or one each for microphone and share"
            ),
            .choice(
                "share", \.share,
                title: "Share: a track in the file, or a separate file NAME-share"),
            .choice(
                "participants", \.participants,
                title:
                    "Record the sum of the participants' audio as a track of the file, or a separate "
                    + "file per track as well, NAME-ana-camera"),
            .integer(
                "segment-seconds", \.segmentSeconds, in: 0...86_400,
                title: "Continue in another file after this time, NAME-001, NAME-002; 0: never",
                unit: "s"),
            .integer(
                "segment-megabytes", \.segmentMegabytes, in: 0...1_000_000,
                title: "Continue in another file before it is larger than this; 0: never",
                unit: "MB"),
            .boolean(
                "recording", \.recording,
                title: "Record; after a stop the recording continues in another file, NAME-2",
                live: true),
            .boolean(
                "paused", \.paused,
                title: "Pause the recording; the file continues without a gap", live: true),
            .integer(
                "replay-seconds", \.replaySeconds, in: 0...600,
                title: "Keep this time in memory, and write it on command; 0: record to the file",
                unit: "s"),
            .boolean(
                "save-replay", \.saveReplay, title: "true writes the replay, each time it is set",
                live: true),
            .boolean(
                "captions", \.captions,
                title: "Add the captions as a text track, too; only in .mkv"),
        ]

        var limits: FileTracks.Limits {
            FileTracks.Limits(
                seconds: segmentSeconds, bytes: Int64(segmentMegabytes) * 1_000_000)
        }
    }

    private static let logSeconds = 10.0

    private var settings: Settings
    private let host: PluginHost
    /// The recorded tracks, by number.
    private var tracks: [UInt32: Track] = [:]
    private let container: Container
    /// The file of each track; tracks may share one.
    private var files: [UInt32: FileRecorder] = [:]
    /// Statistics of the completed files.
    private var ended = (bytes: Int64(0), files: 0, seconds: 0.0)
    /// The seconds before the last stop.
    private var secondsBefore = 0.0
    /// Whether it is between start and stop, and has not failed.
    private var isStarted = false
    /// The time at which it began, on the session clock.
    private var start: Int64 = 0
    private var hasStopped = false
    /// The pauses of the files that are open.
    private var pauses = RecordingPauses()
    /// The pauses of the files before the last stop.
    private var pausesBefore = 0
    /// Frames of another size than their track's.
    private var skipped = 0
    /// Participants' tracks that had a file before: they were left out for a while.
    private var recordedBefore: Set<UInt32> = []
    /// Participants' tracks whose files could not be opened.
    private var unrecorded: Set<UInt32> = []
    /// The bytes and seconds of the newest line in the log.
    private var logged = (bytes: Int64(0), seconds: 0.0)
    /// Replays that are being written.
    private var saves: [ReplaySave] = []

    init(settings: Settings, host: PluginHost) throws {
        guard let container = Container(path: settings.file) else {
            throw PluginError(
                "\(settings.file): the name has no known extension; end it with .mkv, .webm or "
                    + ".mp4",
                status: .badSetting)
        }
        let replay = settings.replaySeconds
        guard replay == 0 || replay >= 5 && !settings.limits.areSet else {
            throw PluginError(
                replay < 5
                    ? "replay-seconds: \(replay) is too short; write 5 to 600"
                    : "replay-seconds: a replay has no segments; remove segment-seconds and "
                        + "segment-megabytes", status: .badSetting)
        }
        guard !settings.captions || replay == 0 else {
            throw PluginError(
                "captions: a replay can't have them; remove captions or replay-seconds",
                status: .badSetting)
        }
        guard !settings.captions || container == .mkv else {
            throw PluginError(
                "captions: a .\(container.rawValue) can't have them as a track; end the file with .mkv, or "
                    + "remove the setting: the captions are in NAME.vtt anyway", status: .badSetting
            )
        }
        self.container = container
        self.settings = settings
        self.host = host
        // The level is process-wide. Errors that matter are thrown.
        av_log_set_level(AV_LOG_QUIET)
    }

    func onTrack(_ track: Track) -> TrackWant? {
        guard wants(track), !unrecorded.contains(track.id) else { return nil }
        tracks[track.id] = track
        guard settings.recording else { return nil }
        // One who joins later.
        if isStarted, track.participant != nil, files[track.id] == nil {
            openFile(of: track)
            if unrecorded.contains(track.id) { return nil }
        }
        guard let size = track.capability?.size else {
            return .audio(AudioTrackWant(format: AudioTrack.format, blockFrames: 960))
        }
        // The host makes a frame with odd sides one pixel smaller if the codec needs that.
        let even = settings.video.codec(for: container).size(for: size)
        let isExact = even == size && track.participant == nil
        return .video(
            VideoTrackWant(
                size: isExact ? nil : even, fit: even == size ? .letterbox : .stretch,
                pace: .complete))
    }

    private func wants(_ track: Track) -> Bool {
        if track.participant != nil {
            guard settings.participants == .files else { return false }
            return track.kind.isVideo ? track.capability != nil : track.kind != .mixMinus
        }
        return switch track.kind {
        case .camera, .share, .stage: track.capability != nil
        case .microphone, .shareAudio: settings.audioTracks == .separate
        case .mix: settings.audioTracks == .mix
        // The audio of the participants in a call.
        case .incoming: true
        // Record the full mix only if the other mixes are not among the tracks.
        case .fullMix: !tracks.values.contains { $0.kind == .mix || $0.kind == .incoming }
        // The host offers it only if the session file names it.
        case .split: true
        case .mixMinus: false
        }
    }

    func onStart() throws {
        forget()
        guard !tracks.isEmpty || settings.participants == .files else {
            throw PluginError("the session has nothing to record; add a camera or a microphone")
        }
        try openFiles()
        if !settings.recording { stopFiles() }
        isStarted = true
    }

    func onSettingsChange(_ settings: Settings) {
        let old = self.settings
        self.settings = settings
        let hasChanged = settings.recording != old.recording
        guard isStarted else { return }
        if hasChanged {
            if settings.recording { startFiles() } else { stopFiles() }
            host.wantsChanged()
        }
        followPause()
        if settings.saveCount != old.saveCount, settings.recording { saveReplay() }
    }

    /// Writes the replay of each file.
    private func saveReplay() {
        guard settings.replaySeconds > 0 else {
            host.log(.warning, "save-replay has no effect without replay-seconds")
            return
        }
        for file in allFiles {
            do {
                try file.saveReplay(isPaused: pauses.isPaused)
            } catch {
                host.log(.warning, "the replay is not saved: \(error)")
            }
        }
    }

    /// Writes a replay on a thread, because a disk may take longer than a callback may.
    private func write(_ replay: ReplayFile) {
        bookSaves()
        let save = ReplaySave(replay, host: host)
        do {
            try save.begin()
            saves.append(save)
        } catch {
            host.log(.warning, "the replay is not saved: \(error)")
        }
    }

    /// Counts the replays that are complete.
    private func bookSaves() {
        ended.bytes += saves.reduce(0) { $0 + ($1.isDone ? $1.bytes : 0) }
        ended.files += saves.count { $0.isDone && $0.bytes > 0 }
        saves.removeAll { $0.isDone }
    }

    /// Follows the setting `paused`. Media from before the pause may still come, and are recorded.
    private func followPause() {
        guard settings.recording, settings.paused != pauses.isPaused else { return }
        if settings.paused {
            pauses.pause(at: host.nowNanoseconds)
        } else {
            let own = tracks.values.filter { $0.participant == nil && $0.capability != nil }
            pauses.resume(
                at: host.nowNanoseconds,
                frames: own.min { $0.id < $1.id }?.capability?.rate)
        }
        host.report("pauses", pausesBefore + pauses.all.count)
        host.log(.info, settings.paused ? "recording paused" : "recording resumed")
    }

    /// Opens the files of the tracks that there are.
    private func openFiles() throws {
        start = host.nowNanoseconds
        followPause()
        let own = tracks.values.filter { $0.participant == nil }
        let shared =
            settings.share == .track
            ? [] : own.filter { $0.kind == .share || $0.kind == .shareAudio }
        let others = own.filter { track in !shared.contains { $0.id == track.id } }
        for (group, suffix) in [(others, ""), (shared, "-share")] where !group.isEmpty {
            let file = try file(of: group, suffix)
            for track in group { files[track.id] = file }
        }
        for track in tracks.values where track.participant != nil { openFile(of: track) }
        if !unrecorded.isEmpty { host.wantsChanged() }
    }

    /// Completes the files.
    private func stopFiles() {
        hasStopped = true
        pausesBefore += pauses.all.count
        pauses = RecordingPauses()
        let all = allFiles
        files = [:]
        for file in all { complete(file) }
        if isStarted { host.log(.info, "recording stopped after \(Self.tenths(seconds)) s") }
        (secondsBefore, ended.seconds) = (seconds, 0)
        skipped = 0
    }

    /// Continues in other files.
    private func startFiles() {
        // Participants may have left. The host describes the tracks of the others again.
        tracks = tracks.filter { $0.value.participant == nil }
        unrecorded = []
        do {
            try openFiles()
            host.log(.info, "recording started")
        } catch {
            isStarted = false
            host.giveUp("\(error)", status: .unavailable)
        }
    }

    private func file(of tracks: [Track], _ suffix: String) throws -> FileRecorder {
        let path = FileNames(path: settings.file, isNumbered: false).name(suffix)
        let isOwn = tracks.allSatisfy { $0.participant == nil }
        let isBack = tracks.contains { recordedBefore.contains($0.id) }
        return try FileRecorder(
            tracks, path: path, container: container, settings: settings,
            processStart: isOwn ? nil : isBack ? host.nowNanoseconds : start,
            isContinued: hasStopped || isBack,
            completed: { [host] path in host.fileFinished(path) },
            onReplay: { [unowned self] in write($0) })
    }

    /// Opens the file of a participant's track. After an error the recorder does not want the track.
    private func openFile(of track: Track) {
        do {
            files[track.id] = try file(of: [track], "-\(track.name)")
        } catch {
            unrecorded.insert(track.id)
            host.log(.warning, "\(track.name) is not recorded: \(error)")
        }
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        guard let file = files[frame.track.id],
            let track = file.videoTrack(frame.track.id)
        else { return }
        if !track.matches(frame) { reportSkipped(frame, track) }
        do {
            if try file.take(frame, without: pauses) { report() }
        } catch {
            try fail(error, file, frame.track)
        }
    }

    func onAudio(_ block: borrowing OutputBlock) throws {
        guard let file = files[block.track.id] else { return }
        do {
            if try file.take(block, without: pauses) { report() }
        } catch {
            try fail(error, file, block.track)
        }
    }

    /// Adds a caption to the file of the session's own tracks.
    func onSessionEvent(_ json: String) {
        guard isStarted, let caption = CaptionEvent(json),
            let file = allFiles.first(where: \.isOwn)
        else { return }
        do {
            try file.add(caption, without: pauses)
        } catch {
            host.log(.warning, "a caption is not recorded: \(error)")
        }
    }

    func onTrackEnded(_ track: Track) {
        tracks[track.id] = nil
        guard let file = files.removeValue(forKey: track.id) else { return }
        recordedBefore.insert(track.id)
        complete(file)
    }

    /// Completes a file, which the caller has removed from ``files``.
    private func complete(_ file: FileRecorder) {
        do {
            try file.finish()
        } catch {
            host.log(.warning, "\(error)")
        }
        book(file)
    }

    func onStop() {
        defer { forget() }
        defer { for save in saves { save.end() } }
        guard isStarted else { return }
        isStarted = false
        var failure: (text: String, isOrdinary: Bool)?
        for file in allFiles {
            do {
                try file.finish()
            } catch {
                let isOrdinary = Self.isOrdinaryEnd(error, file)
                if failure?.isOrdinary ?? true { failure = ("\(error)", isOrdinary) }
            }
        }
        for save in saves { save.end() }
        report()
        if let failure {
            host.giveUp(failure.text, status: failure.isOrdinary ? .ok : .unavailable)
        }
    }

    // MARK: Report

    /// Each file once, the session's own first.
    private var allFiles: [FileRecorder] {
        var seen: Set<ObjectIdentifier> = []
        return files.sorted { $0.key < $1.key }.map(\.value).filter {
            seen.insert(ObjectIdentifier($0)).inserted
        }
    }

    /// Seconds of media.
    private var seconds: Double {
        secondsBefore + max(allFiles.map(\.seconds).max() ?? 0, ended.seconds)
    }

    private func report() {
        bookSaves()
        let (files, seconds) = (allFiles, seconds)
        let bytes = ended.bytes + files.reduce(0) { $0 + $1.bytes }
        host.report("seconds", seconds)
        host.report("bytes-written", bytes)
        host.report("files", ended.files + files.reduce(0) { $0 + $1.fileCount })
        if settings.replaySeconds > 0 {
            let kept = files.compactMap(\.kept)
            host.report("seconds-kept", kept.map(\.seconds).max() ?? 0)
            host.report("bytes-kept", kept.reduce(0) { $0 + $1.bytes })
            return
        }
        if seconds > 0 { host.report("bit-rate", Int64(Double(bytes) * 8 / seconds)) }
        guard isStarted, let first = files.first,
            seconds >= logged.seconds + Self.logSeconds
        else { return }
        let rate = Double(bytes - logged.bytes) * 8 / (seconds - logged.seconds)
        host.log(
            .info,
            "\(first.newestPath): \(Int(seconds)) s, \(Self.tenths(Double(bytes) / 1e6)) MB, "
                + "now \(Self.tenths(rate / 1e6)) Mbit/s")
        logged = (bytes, seconds)
    }

    /// Keeps what a file that is complete, or has failed, adds to the report.
    private func book(_ file: FileRecorder) {
        ended.bytes += file.bytes
        ended.files += file.fileCount
        ended.seconds = max(ended.seconds, file.seconds)
        report()
    }

    private func reportSkipped(_ frame: borrowing OutputFrame, _ track: RecordedVideo) {
        skipped += 1
        host.report("frames-skipped", skipped)
        guard skipped == 1 else { return }
        host.log(
            .warning,
            "\(frame.track.name): a frame of \(frame.size) in a track of \(track.size) is skipped. "
                + "Frames of another size are skipped, and the previous image stays")
    }

    /// A number with one decimal place.
    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    // MARK: Failures

    /// Ends a participant's file, or else the recording, because later writes would fail like this one. The
    /// other files are completed.
    private func fail(_ error: any Error, _ file: FileRecorder, _ track: Track) throws {
        let isFull = (error as? RecordingError)?.isFull ?? false
        if track.participant != nil, !isFull {
            files[track.id] = nil
            book(file)
            host.log(.warning, "\(track.name) is no longer recorded: \(error)")
            return
        }
        isStarted = false
        for other in allFiles where other !== file { try? other.finish() }
        report()
        let isOrdinary = Self.isOrdinaryEnd(error, file)
        forget()
        host.giveUp("\(error)", status: isOrdinary ? .ok : .unavailable)
        if !isOrdinary { throw PluginError("\(error)", status: .unavailable) }
    }

    /// Whether the disk is full; without room for the first piece there is no recording.
    private static func isOrdinaryEnd(_ error: any Error, _ file: FileRecorder) -> Bool {
        (error as? RecordingError)?.isFull ?? false && file.seconds > 0
    }

    /// Frees the encoders.
    private func forget() {
        isStarted = false
        hasStopped = false
        (pauses, pausesBefore) = (RecordingPauses(), 0)
        files = [:]
        (unrecorded, recordedBefore, saves) = ([], [], [])
        ended = (0, 0, 0)
        secondsBefore = 0
        skipped = 0
        logged = (0, 0)
    }
}
