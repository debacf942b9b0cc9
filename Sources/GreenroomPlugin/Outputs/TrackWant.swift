public import GreenroomMedia

/// The media that an ``Output`` wants of a track.
///
/// The host converts once for all outputs with equal wants, and converts nothing for a track that no
/// output wants.
public enum TrackWant: Equatable, Sendable {
    /// Frames.
    case video(VideoTrackWant = VideoTrackWant())
    /// Blocks of audio.
    case audio(AudioTrackWant = AudioTrackWant())
}

/// The format of the frames that an ``Output`` wants.
public struct VideoTrackWant: Equatable, Sendable {
    /// The treatment of another aspect ratio.
    public enum Fit: UInt32, CaseIterable, Sendable {
        /// Whole and centred, with black bars.
        case letterbox = 1
        /// Its middle fills the frame.
        case crop = 2
        /// Whole and distorted.
        case stretch = 3
    }

    /// The time at which frames arrive.
    public enum Pace: UInt32, CaseIterable, Sendable {
        /// Each at its time, for viewers.
        case live = 1
        /// As soon as possible, for files.
        case complete = 2
    }

    /// I420, NV12, BGRA or RGBA; the host refuses other formats.
    public var format: PixelFormat
    /// The size; nil for the track's own.
    public var size: FrameSize?
    /// The frame rate; nil for the track's own.
    public var rate: FrameRate?
    /// The treatment of another aspect ratio.
    public var fit: Fit
    /// The matrix between RGB and YUV; nil for BT.709 from 720 lines on and BT.601 below. The range
    /// is limited.
    public var matrix: ColorMatrix?
    /// The time at which frames arrive.
    public var pace: Pace

    /// Makes a want.
    public init(
        format: PixelFormat = .i420, size: FrameSize? = nil, rate: FrameRate? = nil,
        fit: Fit = .letterbox, matrix: ColorMatrix? = nil, pace: Pace = .live
    ) {
        self.format = format
        self.size = size
        self.rate = rate
        self.fit = fit
        self.matrix = matrix
        self.pace = pace
    }
}

/// The format of the audio that an ``Output`` wants.
public struct AudioTrackWant: Equatable, Sendable {
    /// The sample rate, 8000 to 192000 Hz, and one or two channels. The host resamples and mixes.
    public var format: AudioFormat
    /// The samples of each channel in a block, 1 to 100 ms of them; nil for 10 ms.
    public var blockFrames: Int?

    /// Makes a want.
    public init(format: AudioFormat = .session, blockFrames: Int? = nil) {
        self.format = format
        self.blockFrames = blockFrames
    }
}
