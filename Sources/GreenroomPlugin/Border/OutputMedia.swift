internal import GreenroomABI
internal import GreenroomMedia

// Tracks, wants, frames and blocks of outputs, to and from the C structs.

extension Track {
    /// Nil for a kind that this version does not know.
    init?(_ track: gr_track) {
        guard let kind = Kind(rawValue: track.kind) else { return nil }
        participant =
            track.participant == 0
            ? nil
            : Participant(
                number: track.participant,
                name: track.participant_name.map { String(cString: $0) } ?? "")
        id = track.id
        self.kind = kind
        name = String(cString: track.name)
        capability = kind.isVideo ? VideoCapability(track.capability) : nil
    }
}

extension UnsafeMutablePointer<gr_want> {
    /// Whether there is room for an answer; checked before the plugin is asked for one.
    func check() throws(PluginError) {
        guard pointee.struct_size >= MemoryLayout<gr_want>.size else { throw .short("gr_want") }
    }

    /// Writes an answer down.
    func write(_ want: TrackWant?) {
        pointee.is_wanted = want == nil ? 0 : 1
        switch want {
        case .video(let want):
            pointee.format = want.format.rawValue
            pointee.fit = want.fit.rawValue
            pointee.capability = gr_capability(
                width: UInt32(clamping: want.size?.width ?? 0),
                height: UInt32(clamping: want.size?.height ?? 0),
                fps_numerator: want.rate?.numerator ?? 0,
                fps_denominator: want.rate?.denominator ?? 0)
            pointee.matrix = want.matrix?.rawValue ?? 0
            pointee.pace = want.pace.rawValue
        case .audio(let want):
            pointee.sample_rate_hz = UInt32(clamping: want.format.sampleRate)
            pointee.channels = UInt32(clamping: want.format.channels)
            pointee.block_frames = UInt32(
                clamping: want.blockFrames ?? want.format.sampleRate / 100)
        case nil: break
        }
    }
}

extension TrackWant {
    /// Whether it is one of a kind of tracks.
    func fits(_ kind: Track.Kind) -> Bool {
        switch self {
        case .video: kind.isVideo
        case .audio: !kind.isVideo
        }
    }
}

extension ReadableMemory {
    /// Takes over a frame of the host; nil if it says something of itself that cannot be, or its
    /// planes are shorter than its format, size and strides need.
    init?(_ frame: gr_video_frame) {
        guard
            let layout = DeclaredLayout(
                format: frame.format, width: frame.width, height: frame.height,
                planeCount: frame.plane_count),
            let planes = layout.planes(
                frame.planes, orNone: ReadablePlane.none,
                { ReadablePlane(start: $0, byteCount: $1, stride: $2, geometry: $3) })
        else { return nil }
        format = layout.format
        size = layout.size
        color = FrameInfo(frame.info).color
        self.planes = planes
    }
}

extension OutputFrame {
    /// Takes over a frame of the host; nil if it says something of itself that cannot be.
    init?(_ frame: UnsafePointer<gr_output_frame>, of track: Track, from lender: FrameLender) {
        guard track.kind.isVideo, frame.pointee.index >= 0, frame.pointee.periods > 0,
            let memory = ReadableMemory(frame.pointee.frame)
        else { return nil }
        self.init(
            track: track,
            // Treat an unknown kind of content like a new frame, because it is worth showing.
            content: Content(rawValue: frame.pointee.content) ?? .new,
            periods: Int(frame.pointee.periods), index: frame.pointee.index,
            timeNanoseconds: frame.pointee.frame.info.pts_ns, memory: memory,
            id: frame.pointee.id, lender: lender)
    }
}

extension OutputBlock {
    /// Takes over a block of the host; nil if it says something of itself that cannot be.
    init?(_ block: UnsafePointer<gr_output_block>, of track: Track) {
        let audio = block.pointee.block
        let format = AudioFormat(
            sampleRate: Int(audio.sample_rate_hz), channels: Int(audio.channels))
        // Two channels of 2^32 samples of two bytes fit.
        guard !track.kind.isVideo, block.pointee.index >= 0, format.isLegal,
            case let count = Int(audio.frame_count) * format.channels, count > 0,
            let samples = audio.samples, UInt(bitPattern: samples) % 2 == 0,
            audio.size_bytes >= UInt64(count * MemoryLayout<Int16>.size)
        else { return nil }
        self.init(
            track: track, format: format, index: block.pointee.index,
            timeNanoseconds: audio.pts_ns,
            memory: UnsafeBufferPointer(start: samples, count: count))
    }
}

extension MutableAudioBlock {
    /// Takes over a block of the host; nil if it says something of itself that cannot be.
    init?(_ block: gr_audio_edit) {
        guard (1...2).contains(block.channels),
            block.frame_count == UInt32(AudioEditing.blockFrames)
        else { return nil }
        let channels = Int(block.channels)
        let count = channels * AudioEditing.blockFrames
        self.init(
            channels: channels, timeNanoseconds: block.pts_ns,
            memory: UnsafeMutableBufferPointer(start: block.samples, count: count),
            reference: block.reference.map { UnsafeBufferPointer(start: $0, count: count) })
    }
}
