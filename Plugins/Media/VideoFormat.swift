import CFFmpeg
import MediaDecisions
import GreenroomPlugin

/// Describes how the frames of a video go to the host.
struct VideoFormat {
    /// The format, size and colour of the frames that are sent.
    var format: PixelFormat
    var size: FrameSize
    var color: ColorSpace
    var rotation: Rotation
    /// Whether frames are copied upside down before the host turns them.
    private(set) var isMirrored = false
    var rate: FrameRate
    /// The shape of a pixel; 0 if it is not known.
    private(set) var sampleAspect = AVRational(num: 0, den: 1)
    /// The loss for the viewer, for the log.
    var notes: [String] = []
    /// Whether size and rate belong to the video.
    var isFixed = true

    /// The size upright, and the rate.
    var capability: VideoCapability {
        VideoCapability(size: size.rotated(by: rotation), rate: rate)
    }

    /// The host's formats by FFmpeg's formats.
    private static let formats: [Int32: PixelFormat] = [
        AV_PIX_FMT_YUV420P.rawValue: .i420, AV_PIX_FMT_YUVJ420P.rawValue: .i420,
        // The fourth plane, alpha, is not sent.
        AV_PIX_FMT_YUVA420P.rawValue: .i420,
        AV_PIX_FMT_NV12.rawValue: .nv12, AV_PIX_FMT_NV21.rawValue: .nv21,
        AV_PIX_FMT_YUYV422.rawValue: .yuy2, AV_PIX_FMT_UYVY422.rawValue: .uyvy,
        AV_PIX_FMT_BGRA.rawValue: .bgra, AV_PIX_FMT_RGBA.rawValue: .rgba,
        AV_PIX_FMT_BGR0.rawValue: .bgrx, AV_PIX_FMT_RGB0.rawValue: .rgbx,
        AV_PIX_FMT_RGB24.rawValue: .rgb24,
        AV_PIX_FMT_YUV420P10LE.rawValue: .i010, AV_PIX_FMT_P010LE.rawValue: .p010,
    ]

    /// The format of the host that has the same bytes; nil if there is none.
    static func same(as format: Int32) -> PixelFormat? { formats[format] }

    /// - Throws: A ``PluginError`` for a size that no frame may have.
    init(_ parameters: StreamParameters, name: String) throws {
        let codec = parameters.pointer.pointee
        var size = FrameSize(width: Int(codec.width), height: Int(codec.height))
        let aspect = parameters.sampleAspect
        sampleAspect = aspect
        if aspect.num > 0, aspect.den > 0, aspect.num != aspect.den {
            // Pixels that are not square are made so: the host's are.
            let width = Double(size.width) * av_q2d(aspect)
            if width.isFinite, width >= 1, width <= Double(FrameSize.maximumDimension) {
                size.width = Int((width / 2).rounded()) * 2
            }
        }
        guard size.area > 0 else {
            throw PluginError(
                "\(name): FFmpeg's libraries don't find the size of its video; convert the file",
                status: .badSetting)
        }
        guard size.isLegal else {
            throw PluginError(
                "\(name): its video has \(size) pixels; up to \(FrameSize.maximumDimension) a side "
                    + "can be sent: ffmpeg -i FILE -vf scale=1920:-2 NEW.mp4", status: .badSetting)
        }
        self.size = size
        rotation = Rotation(rawValue: parameters.orientation.degrees) ?? .none
        isMirrored = parameters.orientation.isMirrored
        rate =
            FrameRate(
                numerator: UInt32(clamping: parameters.frameRate.num),
                denominator: UInt32(clamping: parameters.frameRate.den)) ?? FrameRate(30)
        if rate.framesPerSecond < 5 { rate = FrameRate(5) }

        let pixels = AVPixelFormat(rawValue: codec.format)
        let description = av_pix_fmt_desc_get(pixels)
        let bits = description.map { $0.pointee.comp.0.depth } ?? 8
        format = Self.formats[codec.format] ?? (bits > 8 ? .i010 : .i420)
        color = Self.color(of: codec, size)
        if let description, description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 {
            notes.append("\(name): its transparency is not shown")
        }
        if [AVCOL_TRC_SMPTE2084, AVCOL_TRC_ARIB_STD_B67].contains(codec.color_trc) {
            notes.append(
                "\(name): HDR is shown without tone mapping, so its colours are pale. Convert it: "
                    + "ffmpeg -i FILE -vf zscale=t=linear:npl=100,tonemap=hable,zscale=p=bt709:t=bt709:m=bt709,"
                    + "format=yuv420p NEW.mp4")
        }
    }

    /// The format of black frames, and of a stream that has not connected yet.
    init(black capability: VideoCapability) {
        format = .i420
        size = capability.size
        rate = capability.rate
        rotation = .none
        color = ColorSpace(range: .limited, matrix: size.height >= 720 ? .bt709 : .bt601)
        isFixed = false
    }

    private static func color(of codec: AVCodecParameters, _ size: FrameSize) -> ColorSpace {
        let isFull =
            codec.color_range == AVCOL_RANGE_JPEG
            || codec.format == AV_PIX_FMT_YUVJ420P.rawValue
        let matrix: ColorMatrix =
            switch codec.color_space {
            case AVCOL_SPC_BT709: .bt709
            case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: .bt601
            // Wider colour spaces are converted to BT.709.
            case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: .bt709
            default: size.width >= 1280 || size.height > 576 ? .bt709 : .bt601
            }
        return ColorSpace(range: isFull ? .full : .limited, matrix: matrix)
    }

    /// Threads of the decoder: two decode 1080p with time to spare.
    static func threads(for parameters: StreamParameters) -> Int32 {
        let codec = parameters.pointer.pointee
        return Int(codec.width) * Int(codec.height) > 1920 * 1088 ? 4 : 2
    }
}
