package import GreenroomABI
package import GreenroomMedia
package import GreenroomNegotiation

/// A track as an output plugin sees it.
package struct OutputTrack: Equatable, Sendable {
    /// The track's number, never zero.
    package var id: UInt32
    /// The track's kind: one of `GR_TRACK_…`.
    package var kind: UInt32
    /// The track's name for files and messages, e.g. `"camera"`.
    package var name: String
    /// The participant who owns the track; nil for the session's own tracks.
    package var participant: Participant?
    /// The maximum size and rate of a video track, or the agreed size and rate; nil for audio.
    package var capability: VideoCapability?

    /// A participant of a call.
    package struct Participant: Hashable, Sendable {
        /// The participant's number, never zero.
        package var number: UInt32
        /// The participant's name for users.
        package var name: String

        package init(number: UInt32, name: String) {
            self.number = number
            self.name = name
        }
    }

    /// Describes a track.
    package init(
        id: UInt32, kind: UInt32, name: String, capability: VideoCapability?,
        participant: Participant? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.capability = capability
        self.participant = participant
    }

    /// Passes the track as a C struct to a body. The pointer is valid only during the call.
    func withABI<Result>(_ body: (UnsafePointer<gr_track>) -> Result) -> Result {
        name.withCString { name in
            (participant?.name ?? "").withCString { participantName in
                var track = gr_track(
                    struct_size: UInt32(MemoryLayout<gr_track>.size), id: id, kind: kind,
                    participant: participant?.number ?? 0, name: name,
                    participant_name: participant == nil ? nil : participantName,
                    capability: capability.map(gr_capability.init) ?? gr_capability())
                return body(&track)
            }
        }
    }
}

/// An output plugin's want for a track.
package enum TrackRequest: Equatable, Sendable {
    /// The plugin does not want the track.
    case nothing
    /// The plugin wants the track's video.
    case video(VideoTrackRequest)
    /// The plugin wants the track's audio.
    case audio(AudioTrackRequest)
}

/// An output plugin's want of a track's video.
package struct VideoTrackRequest: Equatable, Sendable {
    /// A format to which frames can be converted.
    package var format: PixelFormat
    /// The size, rate, fit and matrix.
    package var video: VideoSinkWant
    /// Whether frames are delivered on arrival instead of at their times.
    package var isComplete: Bool
}

/// An output plugin's want of a track's audio.
package struct AudioTrackRequest: Equatable, Sendable {
    /// The format of the samples; always legal.
    package var format: AudioFormat
    /// The length of a block, in samples per channel: 1 to 100 ms.
    package var blockFrames: Int
}

extension gr_want {
    /// A want before the plugin writes it: not wanted, with default values.
    package static var ordinary: gr_want {
        gr_want(
            struct_size: UInt32(MemoryLayout<gr_want>.size), is_wanted: 0,
            format: UInt32(GR_FORMAT_I420), fit: UInt32(GR_FIT_LETTERBOX),
            capability: gr_capability(), matrix: 0, pace: UInt32(GR_PACE_LIVE),
            sample_rate_hz: UInt32(AudioFormat.session.sampleRate),
            channels: UInt32(AudioFormat.session.channels),
            block_frames: UInt32(AudioFormat.session.sampleRate / 100), reserved: 0)
    }
}

extension TrackRequest {
    /// Reads a plugin's want of a track.
    ///
    /// - Parameter isVideo: Whether the track is video.
    package init(_ want: gr_want, isVideo: Bool) throws(InvalidValueError) {
        switch want.is_wanted {
        case 0: self = .nothing
        case 1:
            self =
                isVideo ? .video(try VideoTrackRequest(want)) : .audio(try AudioTrackRequest(want))
        default:
            throw InvalidValueError(
                "is_wanted is \(want.is_wanted). Set it to 0 or 1.")
        }
    }
}

extension VideoTrackRequest {
    fileprivate init(_ want: gr_want) throws(InvalidValueError) {
        guard let format = PixelFormat(rawValue: want.format),
            [.i420, .nv12, .bgra, .rgba].contains(format)
        else {
            throw InvalidValueError(
                "format is \(want.format). Outputs get GR_FORMAT_I420, NV12, BGRA or "
                    + "RGBA.")
        }
        let written = want.capability
        var size: FrameSize?
        if written.width != 0 || written.height != 0 {
            let wanted = FrameSize(width: Int(written.width), height: Int(written.height))
            guard wanted.isLegal else {
                throw InvalidValueError(
                    "the size is \(wanted); width and height must be 1 to "
                        + "\(FrameSize.maximumDimension); both 0: the track's own.")
            }
            size = wanted
        }
        var rate: FrameRate?
        if written.fps_numerator != 0 {
            guard
                let wanted = FrameRate(
                    numerator: written.fps_numerator, denominator: written.fps_denominator)
            else {
                throw InvalidValueError(
                    "the rate is \(written.fps_numerator)/\(written.fps_denominator), "
                        + "and rates are above 0 and at most 1000; numerator 0: the track's own.")
            }
            rate = wanted
        }
        let fits: [UInt32: Fit] = [
            UInt32(GR_FIT_LETTERBOX): .letterbox, UInt32(GR_FIT_CROP): .crop,
            UInt32(GR_FIT_STRETCH): .stretch,
        ]
        guard let fit = fits[want.fit] else {
            throw InvalidValueError("fit is \(want.fit). Use one of GR_FIT_....")
        }
        let matrix = ColorMatrix(rawValue: want.matrix)
        guard matrix != nil || want.matrix == 0 else {
            throw InvalidValueError(
                "matrix is \(want.matrix). Use one of GR_MATRIX_..., or 0.")
        }
        guard want.pace == UInt32(GR_PACE_LIVE) || want.pace == UInt32(GR_PACE_COMPLETE) else {
            throw InvalidValueError("pace is \(want.pace). Use one of GR_PACE_....")
        }
        self.init(
            format: format, video: VideoSinkWant(size: size, rate: rate, fit: fit, matrix: matrix),
            isComplete: want.pace == UInt32(GR_PACE_COMPLETE))
    }
}

extension AudioTrackRequest {
    fileprivate init(_ want: gr_want) throws(InvalidValueError) {
        let format = AudioFormat(
            sampleRate: Int(want.sample_rate_hz), channels: Int(want.channels))
        guard format.isLegal else {
            throw InvalidValueError(
                "the audio is \(want.sample_rate_hz) Hz with \(want.channels) channels, "
                    + "and outputs get 8000 to 192000 Hz with 1 or 2.")
        }
        let shortest = (format.sampleRate + 999) / 1000
        let longest = format.sampleRate * AudioFormat.longestBlockMilliseconds / 1000
        guard shortest <= Int(want.block_frames), Int(want.block_frames) <= longest else {
            throw InvalidValueError(
                "block_frames is \(want.block_frames), but at \(format.sampleRate) Hz "
                    + "blocks have \(shortest) to \(longest): 1 to 100 ms.")
        }
        self.init(format: format, blockFrames: Int(want.block_frames))
    }
}
