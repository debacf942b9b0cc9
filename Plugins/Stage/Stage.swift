import Glibc
import PluginImages
import GreenroomPlugin
import GreenroomSchema
import StageDecisions
import PluginText

/// Composes cameras, shares and participants to one picture.
final class Stage: Composer {
    static let plugin = PluginDescription(
        id: "org.greenroom.stage", name: "Stage", version: "1.0.0",
        summary: "Everybody in one picture: grid, speaker, share, picture in picture, custom",
        vendor: "Greenroom")

    /// A track that the stage has learned of.
    private struct Known {
        var track: Track
        /// The last answer.
        var want: TrackWant?
    }

    /// The video of a source.
    private struct Feed {
        var picture: Picture
        /// Whether its camera is off.
        var isOff: Bool
    }

    /// The time that a camera may take to its first frame before its tile has initials.
    private static let patience: Int64 = 500_000_000
    /// Levels are measured ten times a second.
    private static let levels = AudioTrackWant(
        format: AudioFormat(sampleRate: 8000, channels: 1), blockFrames: 800)

    let color = ColorSpace.bt709Limited
    private let host: PluginHost
    private var settings: StageSettings
    private var layout: StageLayout
    private let backgroundColor: Color
    private let image: Image?
    private var canvas = VideoCapability(width: 1280, height: 720, fps: 30)
    private var known: [UInt32: Known] = [:]
    private var entries: [StageEntry] = []
    private var feeds: [StageSource: Feed] = [:]
    /// The time at which each source was first there.
    private var since: [StageSource: Int64] = [:]
    private var speaker = ActiveSpeaker()
    private var shownSpeaker: StageSource?
    private var motion = StageMotion()
    /// Whether a frame was sent; tiles animate only from an earlier frame.
    private var isSending = false
    private var painter: StagePainter
    private var captions = CaptionLines()
    private var background: Picture?
    private let bars: YUVColor

    init(settings: StageSettings, host: PluginHost) throws {
        self.host = host
        self.settings = settings
        layout = try settings.arrangement()
        // Another layout may need the places later.
        _ = try settings.places()
        backgroundColor = try Color(settings.background, of: "background", hasAlpha: false)
        bars = YUVColor(red: 0, green: 0, blue: 0, in: .bt709Limited)
        painter = StagePainter(host: host, color: .bt709Limited)
        guard !settings.backgroundImage.isEmpty else {
            image = nil
            return
        }
        do {
            let read = try Image(contentsOf: settings.backgroundImage)
            for note in read.notes { host.log(.warning, note) }
            image = consume read
        } catch {
            throw PluginError("\(error)", status: .badSetting)
        }
    }

    func onSettingsChange(_ settings: StageSettings) {
        let isNameNew = settings.name != self.settings.name
        self.settings = settings
        do throws(PluginError) {
            layout = try settings.arrangement()
        } catch {
            host.log(.warning, "\(error.text). Keeping the current layout")
        }
        if isNameNew { listEntries() }
        arrange()
    }

    func onSessionEvent(_ json: String) {
        guard settings.captions, let caption = CaptionEvent(json) else { return }
        captions.add(caption.line, at: host.nowNanoseconds)
    }

    // MARK: The picture

    func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        resize(to: suggested)
        return .accept
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? {
        resize(to: suggested)
        return nil
    }

    private func resize(to capability: VideoCapability) {
        canvas = capability
        background = nil
        arrange(isCut: true)
    }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        let now = time.ptsNanoseconds
        if layout.followsSpeaker, speaker.current != shownSpeaker { arrange() }
        let size = FrameSize(width: frame.width & ~1, height: frame.height & ~1)
        if background?.size != size {
            background = painter.background(size, backgroundColor, image: image)
        }
        // A frame of the size before a change may be too small for a tile.
        let tiles = motion.tiles(at: now).filter { $0.rect.clipped(to: size) == $0.rect }
        let strides = (0..<3).map { Int32(clamping: frame.strideBytes(ofPlane: $0)) }
        frame.withPlanes { y, u, v in
            // The host's memory, valid until the frame is sent.
            let planes = [
                y.withUnsafeMutableBytes { $0.baseAddress },
                u.withUnsafeMutableBytes { $0.baseAddress },
                v.withUnsafeMutableBytes { $0.baseAddress },
            ].compactMap { $0?.assumingMemoryBound(to: UInt8.self) }
            guard planes.count == 3 else { return }
            let target = Planes(
                y: planes[0], u: planes[1], v: planes[2], strideY: strides[0],
                strideU: strides[1], strideV: strides[2], size: size)
            for gap in StageRect.uncovered(by: tiles.map(\.rect), in: size) {
                background?.draw(gap, to: target)
            }
            for tile in tiles { draw(tile, to: target, at: now) }
            guard settings.captions, let text = painter.caption(captions.text(at: now), in: size)
            else { return }
            target.blend(text)
        }
    }

    private func draw(_ tile: StageTile, to target: Planes, at now: Int64) {
        let rect = tile.rect
        let part = target.part(rect)
        let entry = entries.first { $0.source == tile.source }
        defer {
            if settings.labels, let entry,
                let label = painter.label(entry.label, in: rect, of: target.size)
            {
                target.blend(label)
            }
        }
        if feeds[tile.source]?.isOff == false {
            feeds[tile.source]?.picture.draw(to: part)
            return
        }
        // A camera that is about to begin has no initials for a moment.
        let isAwaited = hasVideo(tile.source) && now - (since[tile.source] ?? now) < Self.patience
        let hasInitials = !isAwaited || feeds[tile.source] != nil
        painter.placeholder(hasInitials ? entry?.label ?? "" : "", rect.size).draw(to: part)
    }

    private func hasVideo(_ source: StageSource) -> Bool {
        known.values.contains { $0.track.kind.isVideo && self.source(of: $0.track) == source }
    }

    // MARK: Tracks

    func onTrack(_ track: Track) throws -> TrackWant? {
        known[track.id] = Known(track: track, want: known[track.id]?.want)
        listEntries()
        arrange(answering: track.id)
        return known[track.id]?.want
    }

    func onTrackEnded(_ track: Track) {
        known[track.id] = nil
        if track.kind.isVideo, let source = source(of: track) { feeds[source] = nil }
        listEntries()
        arrange()
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        guard let source = source(of: frame.track) else { return }
        if frame.content == .black {
            feeds[source]?.isOff = true
            return
        }
        guard let tile = motion.tiles.first(where: { $0.source == source }) else { return }
        var feed =
            feeds.removeValue(forKey: source)
            ?? Feed(picture: Picture(tile.rect.size), isOff: false)
        feed.picture.take(frame, fit: tile.fit, size: tile.rect.size, bars: bars)
        feed.isOff = false
        feeds[source] = feed
    }

    func onAudio(_ block: borrowing OutputBlock) throws {
        guard let source = source(of: block.track) else { return }
        var sum = 0.0
        let samples = block.samples
        for index in samples.indices {
            let value = Double(samples[index]) / 32768
            sum += value * value
        }
        let mean = sum / Double(max(samples.count, 1))
        speaker.hear(source, 10 * log10(max(mean, 1e-10)), at: block.timeNanoseconds)
    }

    func onStartSend() throws {
        let now = host.nowNanoseconds
        for source in since.keys { since[source] = now }
        isSending = true
    }

    func onStopSend() {
        isSending = false
        // Old frames must not show after the next start.
        feeds = [:]
    }

    /// The tile that a track belongs to; nil for a track without one.
    private func source(of track: Track) -> StageSource? {
        switch (track.kind, track.participant) {
        case (.camera, nil), (.share, nil): .own(track.id)
        // `microphone.desk` belongs to `camera.desk`.
        case (.microphone, nil):
            known.values.first {
                $0.track.kind == .camera && $0.track.participant == nil
                    && $0.track.name == track.name.replacing("microphone", with: "camera")
            }.map { .own($0.track.id) }
        case (.share, let participant?): .share(participant.number)
        case (.camera, let participant?), (.microphone, let participant?),
            (.mixMinus, let participant?):
            .person(participant.number)
        case (.stage, _), (.shareAudio, _), (.mix, _), (.incoming, _), (.fullMix, _),
            (.split, _), (.mixMinus, nil):
            nil
        }
    }

    /// The size of a source's video; nil before it is agreed.
    private func size(of source: StageSource) -> FrameSize? {
        known.values.lazy.filter { $0.track.kind.isVideo && self.source(of: $0.track) == source }
            .compactMap { $0.track.capability?.size }.first
    }

    /// Lists the entries: the session's own tracks, then the participants in the order of joining.
    private func listEntries() {
        var entries: [StageEntry] = []
        for known in known.values.sorted(by: { $0.track.id < $1.track.id }) {
            let track = known.track
            guard let source = source(of: track), track.kind.isVideo || track.participant != nil,
                !entries.contains(where: { $0.source == source })
            else { continue }
            if let participant = track.participant {
                let isShare = track.kind == .share
                entries.append(
                    StageEntry(
                        source,
                        reference: isShare ? "share of \(participant.name)" : participant.name,
                        label: participant.name, isShare: isShare, size: size(of: source)))
            } else {
                let name = track.name.split(separator: ".").dropFirst().first.map(String.init)
                entries.append(
                    StageEntry(
                        source, reference: track.name,
                        label: track.kind == .share ? "" : name ?? settings.name,
                        isShare: track.kind == .share, size: size(of: source)))
            }
        }
        entries =
            entries.filter { if case .own = $0.source { true } else { false } }
            + entries.filter { if case .own = $0.source { false } else { true } }
        let now = host.nowNanoseconds
        for entry in entries where since[entry.source] == nil { since[entry.source] = now }
        for entry in self.entries where !entries.contains(where: { $0.source == entry.source }) {
            since[entry.source] = nil
            feeds[entry.source] = nil
            speaker.forget(entry.source)
        }
        self.entries = entries
    }

    /// Arranges the tiles again, and wants of the tracks what they need.
    ///
    /// - Parameter answering: The number of a track whose want is the answer of the running callback.
    private func arrange(isCut: Bool = false, answering: UInt32? = nil) {
        shownSpeaker = speaker.current
        let tiles = layout.tiles(of: entries, speaker: shownSpeaker, in: canvas.size)
        if tiles != motion.tiles {
            motion.move(
                to: tiles, isAnimated: settings.animated && !isCut && isSending,
                at: host.nowNanoseconds)
        }
        if let answering, let track = known[answering]?.track {
            // Compute the want first, because it depends on the known tracks.
            let answer = want(of: track)
            known[answering]?.want = answer
        }
        guard known.values.contains(where: { want(of: $0.track) != $0.want }) else { return }
        host.wantsChanged()
    }

    /// The want for a track: the size of its tile; nil without a tile.
    private func want(of track: Track) -> TrackWant? {
        guard let source = source(of: track) else { return nil }
        if track.kind == .microphone {
            return layout.followsSpeaker ? .audio(Self.levels) : nil
        }
        guard track.kind.isVideo, let tile = motion.tiles.first(where: { $0.source == source })
        else { return nil }
        let fit: VideoTrackWant.Fit =
            switch tile.fit {
            case .crop: .crop
            case .letterbox: .letterbox
            case .stretch: .stretch
            }
        return .video(
            VideoTrackWant(
                size: tile.rect.size, rate: canvas.rate, fit: fit, matrix: .bt709, pace: .complete))
    }
}
