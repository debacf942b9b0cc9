import CFFmpeg
import GreenroomPlugin

/// Copies decoded frames into frames of the host, and converts what the host does not take.
final class FrameWriter {
    private let format: VideoFormat
    private var scaler: OpaquePointer?

    init(_ format: VideoFormat) { self.format = format }

    deinit { sws_freeContext(scaler) }

    /// Fills a frame; without a decoded one it is black.
    func write(_ decoded: MediaFrame?, to frame: inout MutableFrame) throws {
        guard let decoded else { return blacken(&frame) }
        var source = decoded.pointer.pointee
        if format.isMirrored { Self.turnUpsideDown(&source) }
        let isSame =
            VideoFormat.same(as: source.format) == frame.format
            && source.width == frame.width && source.height == frame.height
        if isSame {
            copy(source, to: &frame)
        } else {
            try convert(source, to: &frame)
        }
    }

    /// Begins with the last row of each plane.
    private static func turnUpsideDown(_ frame: inout AVFrame) {
        let shift =
            av_pix_fmt_desc_get(AVPixelFormat(rawValue: frame.format))
            .map { Int($0.pointee.log2_chroma_h) } ?? 0
        let rows = max(Int(frame.height), 1)
        let chromaRows = (rows + (1 << shift) - 1) >> shift
        func turn(
            _ data: inout UnsafeMutablePointer<UInt8>?, _ stride: inout Int32, _ rows: Int
        ) {
            data = data.map { $0 + Int(stride) * (rows - 1) }
            stride = -stride
        }
        turn(&frame.data.0, &frame.linesize.0, rows)
        turn(&frame.data.1, &frame.linesize.1, chromaRows)
        turn(&frame.data.2, &frame.linesize.2, chromaRows)
        turn(&frame.data.3, &frame.linesize.3, rows)
    }

    private func copy(_ source: AVFrame, to frame: inout MutableFrame) {
        let planes = [
            (source.data.0, source.linesize.0), (source.data.1, source.linesize.1),
            (source.data.2, source.linesize.2),
        ]
        for plane in 0..<frame.planeCount {
            let (data, stride) = planes[plane]
            let geometry = frame.geometry(ofPlane: plane)
            let target = Int32(clamping: frame.strideBytes(ofPlane: plane))
            var bytes = frame.plane(plane)
            bytes.withUnsafeMutableBytes { bytes in
                guard let data, let start = bytes.baseAddress else { return }
                av_image_copy_plane(
                    start.assumingMemoryBound(to: UInt8.self), target, data, stride,
                    Int32(geometry.rowBytes), Int32(geometry.rows))
            }
        }
    }

    private func convert(_ source: AVFrame, to frame: inout MutableFrame) throws {
        guard source.width > 0, source.height > 0 else { return blacken(&frame) }
        let target = Self.pixels(of: frame.format)
        // A stream that connects late, or changes, has another shape than the frame.
        let aspect =
            format.sampleAspect.num > 0 ? format.sampleAspect : source.sample_aspect_ratio
        let part = FittedPart(of: source.width, source.height, aspect, in: frame.size)
        if part.size != frame.size { blacken(&frame) }
        scaler = sws_getCachedContext(
            scaler, source.width, source.height, AVPixelFormat(rawValue: source.format),
            Int32(part.size.width), Int32(part.size.height), target,
            SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nil, nil, nil)
        guard let scaler else {
            throw PluginError("no conversion for the pixel format", status: .unsupported)
        }
        let matrix = format.color.matrix == .bt709 ? SWS_CS_ITU709 : SWS_CS_ITU601
        let isFull: Int32 = format.color.range == .full ? 1 : 0
        let own =
            [AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL].contains(source.colorspace)
            ? SWS_CS_BT2020 : matrix
        sws_setColorspaceDetails(
            scaler, sws_getCoefficients(own), source.color_range == AVCOL_RANGE_JPEG ? 1 : isFull,
            sws_getCoefficients(matrix), isFull, 0, 1 << 16, 1 << 16)
        let (first, second, third) = (
            Int32(frame.strideBytes(ofPlane: 0)), Int32(frame.strideBytes(ofPlane: 1)),
            Int32(frame.strideBytes(ofPlane: 2))
        )
        let strides = [first, second, third, 0]
        let starts = (0..<3).map { part.start(inPlane: $0, stride: Int(strides[$0]), of: target) }
        frame.withPlanes { y, u, v in
            y.withUnsafeMutableBytes { y in
                u.withUnsafeMutableBytes { u in
                    v.withUnsafeMutableBytes { v in
                        let targets =
                            zip([y, u, v], starts).map { bytes, start in
                                bytes.baseAddress.map {
                                    ($0 + start).assumingMemoryBound(to: UInt8.self)
                                }
                            } + [nil]
                        let sources: [UnsafePointer<UInt8>?] = [
                            source.data.0, source.data.1, source.data.2, source.data.3,
                        ].map { $0.map { UnsafePointer($0) } }
                        let sourceStrides = [
                            source.linesize.0, source.linesize.1, source.linesize.2,
                            source.linesize.3,
                        ]
                        sws_scale(
                            scaler, sources, sourceStrides, 0, source.height, targets, strides)
                    }
                }
            }
        }
    }

    /// The formats that frames are converted to.
    private static func pixels(of format: PixelFormat) -> AVPixelFormat {
        switch format {
        case .i420: AV_PIX_FMT_YUV420P
        case .nv12: AV_PIX_FMT_NV12
        case .nv21: AV_PIX_FMT_NV21
        case .yuy2: AV_PIX_FMT_YUYV422
        case .uyvy: AV_PIX_FMT_UYVY422
        case .bgra: AV_PIX_FMT_BGRA
        case .rgba: AV_PIX_FMT_RGBA
        case .bgrx: AV_PIX_FMT_BGR0
        case .rgbx: AV_PIX_FMT_RGB0
        case .rgb24: AV_PIX_FMT_RGB24
        case .i010: AV_PIX_FMT_YUV420P10LE
        case .p010: AV_PIX_FMT_P010LE
        case .mjpeg: AV_PIX_FMT_NONE
        }
    }

    private func blacken(_ frame: inout MutableFrame) {
        let source: [Int] = (0..<frame.planeCount).map { frame.strideBytes(ofPlane: $0) }
        let (width, height) = (Int32(frame.width), Int32(frame.height))
        let pixels = Self.pixels(of: frame.format)
        let range = format.color.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        frame.withPlanes { y, u, v in
            y.withUnsafeMutableBytes { y in
                u.withUnsafeMutableBytes { u in
                    v.withUnsafeMutableBytes { v in
                        var targets =
                            [y, u, v].map { $0.baseAddress?.assumingMemoryBound(to: UInt8.self) }
                            + [nil]
                        let strides = source + [Int](repeating: 0, count: 4 - source.count)
                        _ = av_image_fill_black(
                            &targets, strides, pixels, range, width, height)
                    }
                }
            }
        }
    }
}

/// The part of a frame that a video of another shape covers: as large as possible, in the middle.
private struct FittedPart {
    private(set) var size: FrameSize
    private var (x, y) = (0, 0)

    /// Shapes that differ less than this are the same: sizes are rounded.
    private static let tolerance = 0.02

    /// - Parameter aspect: The shape of a pixel, if it is known.
    init(of width: Int32, _ height: Int32, _ aspect: AVRational, in frame: FrameSize) {
        size = frame
        let pixel = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1
        let shape = Double(width) * pixel / Double(height)
        let excess = shape * Double(frame.height) / Double(frame.width)
        guard excess.isFinite, excess > 0, abs(excess - 1) > Self.tolerance else { return }
        func even(_ length: Double) -> Int { max(Int(length / 2) * 2, 2) }
        if excess > 1 {
            size.height = min(even(Double(frame.height) / excess), frame.height)
        } else {
            size.width = min(even(Double(frame.width) * excess), frame.width)
        }
        (x, y) = ((frame.width - size.width) / 4 * 2, (frame.height - size.height) / 4 * 2)
    }

    /// The offset of its start in the bytes of a plane.
    func start(inPlane plane: Int, stride: Int, of format: AVPixelFormat) -> Int {
        guard let description = av_pix_fmt_desc_get(format)?.pointee else { return 0 }
        let components = [description.comp.0, description.comp.1, description.comp.2]
        guard let component = components.first(where: { Int($0.plane) == plane }) else { return 0 }
        let isChroma = plane > 0
        let column = isChroma ? x >> Int(description.log2_chroma_w) : x
        let row = isChroma ? y >> Int(description.log2_chroma_h) : y
        return row * stride + column * Int(component.step)
    }
}
