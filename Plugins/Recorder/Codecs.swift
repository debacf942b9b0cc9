import PluginEncoding

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
        // Fragmented MP4: the header first, then self-contained fragments. No final index, because
        // it would stay in memory until the end.
        case .mp4: [("movflags", "frag_custom+delay_moov+default_base_moof+skip_trailer")]
        }
    }

    /// The units of a second in which a muxer with a choice counts time.
    static let ticks: Int32 = 90_000
}

/// The setting `video`.
enum VideoChoice: String, CaseIterable {
    /// H.264 in MP4, VP8 in the others.
    case auto
    case vp8, vp9, h264

    func codec(for container: Container) -> VideoCodec {
        switch self {
        case .auto: container == .mp4 ? .h264 : .vp8
        case .vp8: .vp8
        case .vp9: .vp9
        case .h264: .h264
        }
    }
}

/// The setting `audio`.
enum AudioChoice: String, CaseIterable {
    /// AAC in MP4, Opus in the others.
    case auto
    case opus, aac

    func codec(for container: Container) -> AudioCodec {
        switch self {
        case .auto: container == .mp4 ? .aac : .opus
        case .opus: .opus
        case .aac: .aac
        }
    }
}
