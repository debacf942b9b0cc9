package import GreenroomMedia

/// Describes how video is encoded.
package enum VideoCodec: Sendable {
    case vp8, vp9, h264

    /// Its encoders in FFmpeg, the preferred one first.
    package var encoders: [String] {
        switch self {
        case .vp8: ["libvpx"]
        case .vp9: ["libvpx-vp9"]
        case .h264: ["libx264", "libopenh264"]
        }
    }

    /// A size that it can encode, at most a pixel smaller.
    package func size(for size: FrameSize) -> FrameSize {
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

/// Describes how audio is encoded.
package enum AudioCodec: Sendable {
    case opus, aac

    /// Its encoder in FFmpeg.
    package var encoders: [String] { self == .aac ? ["aac"] : ["libopus"] }

    /// The samples of each channel in a packet.
    package var packetFrames: Int { self == .aac ? 1024 : 960 }
}
