import CFFmpeg
import GreenroomPlugin

/// A format of files, by the ending of their names.
enum Container: String, CaseIterable {
    case mkv, webm, mp4

    /// - Returns: nil for another ending.
    init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        self.init(rawValue: path[path.index(after: dot)...].lowercased())
    }

    /// Its name in FFmpeg.
    var muxer: String { self == .mkv ? "matroska" : rawValue }

    /// Options of its muxer.
    var options: [(String, String)] {
        switch self {
        case .mkv, .webm: []
        // Its index comes first, and then fragments that are playable one by one. A list of all
        // fragments at the end would be kept in memory until then.
        case .mp4: [("movflags", "frag_custom+delay_moov+default_base_moof+skip_trailer")]
        }
    }

    /// The units of a second in which a muxer with a choice counts time.
    static let ticks: Int32 = 90_000
}

/// How video is encoded.
enum VideoCodec: String, CaseIterable {
    /// H.264 in MP4, VP8 in the others.
    case auto
    case vp8, vp9, h264

    func settled(for container: Container) -> VideoCodec {
        self == .auto ? (container == .mp4 ? .h264 : .vp8) : self
    }

    /// Its encoders in FFmpeg, the preferred one first.
    var encoders: [String] {
        switch self {
        case .auto, .vp8: ["libvpx"]
        case .vp9: ["libvpx-vp9"]
        case .h264: ["libx264", "libopenh264"]
        }
    }

    /// A size that it can encode, at most a pixel smaller.
    func size(for size: FrameSize) -> FrameSize {
        guard self == .h264 else { return size }
        return FrameSize(
            width: max(size.width & ~1, 2), height: max(size.height & ~1, 2))
    }

    /// Options of an encoder that let it keep up with live video, without delay, and with equal
    /// results each time.
    static func options(of encoder: String, threads: Int) -> [(String, String)] {
        switch encoder {
        case "libvpx":
            // A positive `cpu-used` would follow the time that encoding takes.
            [
                ("deadline", "realtime"), ("cpu-used", "-10"), ("lag-in-frames", "0"),
                ("auto-alt-ref", "0"), ("slices", "\(threads)"),
            ]
        case "libvpx-vp9":
            [
                ("deadline", "realtime"), ("cpu-used", "8"), ("lag-in-frames", "0"),
                ("auto-alt-ref", "0"), ("row-mt", "1"), ("tile-columns", threads > 1 ? "2" : "0"),
            ]
        case "libx264":
            [("preset", "superfast"), ("tune", "zerolatency"), ("forced-idr", "1")]
        default:
            []
        }
    }
}

/// How audio is encoded.
enum AudioCodec: String, CaseIterable {
    /// AAC in MP4, Opus in the others.
    case auto
    case opus, aac

    func settled(for container: Container) -> AudioCodec {
        self == .auto ? (container == .mp4 ? .aac : .opus) : self
    }

    /// Its encoder in FFmpeg.
    var encoders: [String] { self == .aac ? ["aac"] : ["libopus"] }

    /// The samples of each channel in a packet.
    var packetFrames: Int { self == .aac ? 1024 : 960 }
}
