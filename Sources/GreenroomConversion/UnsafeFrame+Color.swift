internal import CGreenroomKernels
internal import CJPEG
internal import CLibYUV
internal import GreenroomMedia

// libyuv names 32-bit formats by the order of bits in a register, from the top: its ARGB is BGRA in
// memory and its ABGR is RGBA. Its RAW is RGB24 in memory, and its RGB24 is BGR. Swapped names give
// the missing functions: red and blue swapped.

extension PixelFormat {
    /// Whether a conversion can produce the format. Any format that converts to I420 can be the
    /// input.
    var canBeMade: Bool {
        switch self {
        case .i420, .nv12, .nv21, .yuy2, .uyvy, .bgra, .rgba, .bgrx, .rgbx, .rgb24: true
        default: false
        }
    }
}

extension UnsafeFrame {
    /// Decodes a JPEG image with a checked structure to I420. A damaged image is an error.
    func decode(byteCount: Int, to output: UnsafeFrame) throws(ConversionError) {
        let result = greenroom_decode_jpeg(
            planes[0], byteCount,
            greenroom_i420(
                y: output.planes[0], u: output.planes[1], v: output.planes[2],
                y_stride: output.strides[0], u_stride: output.strides[1],
                v_stride: output.strides[2], width: output.width, height: output.height))
        guard result == 0 else {
            throw .badData("the JPEG image is damaged: its data does not decode to \(size)")
        }
    }

    /// Converts between YUV formats of one colour space.
    func convertYUVToYUV(to output: UnsafeFrame) throws(ConversionError) {
        if format.layout.bits > 8 { return narrow(to: output) }
        let (y, u, v) = (planes[0], planes[1], planes[2])
        let (yStride, uStride, vStride) = (strides[0], strides[1], strides[2])
        let (toY, toU, toV) = (output.planes[0], output.planes[1], output.planes[2])
        let (toYStride, toUStride, toVStride) =
            (output.strides[0], output.strides[1], output.strides[2])
        let result: Int32 =
            switch (format, output.format) {
            case (.i420, .nv12):
                I420ToNV12(
                    y, yStride, u, uStride, v, vStride, toY, toYStride, toU, toUStride, width,
                    height)
            case (.i420, .nv21):
                I420ToNV21(
                    y, yStride, u, uStride, v, vStride, toY, toYStride, toU, toUStride, width,
                    height)
            case (.i420, .yuy2):
                I420ToYUY2(
                    y, yStride, u, uStride, v, vStride, toY, toYStride, width, height)
            case (.i420, .uyvy):
                I420ToUYVY(
                    y, yStride, u, uStride, v, vStride, toY, toYStride, width, height)
            case (.nv12, .i420):
                NV12ToI420(
                    y, yStride, u, uStride, toY, toYStride, toU, toUStride, toV, toVStride, width,
                    height)
            case (.nv21, .i420):
                NV21ToI420(
                    y, yStride, u, uStride, toY, toYStride, toU, toUStride, toV, toVStride, width,
                    height)
            case (.nv12, .nv21), (.nv21, .nv12):
                NV21ToNV12(
                    y, yStride, u, uStride, toY, toYStride, toU, toUStride, width, height)
            case (.yuy2, .i420):
                YUY2ToI420(
                    y, yStride, toY, toYStride, toU, toUStride, toV, toVStride, width, height)
            case (.uyvy, .i420):
                UYVYToI420(
                    y, yStride, toY, toYStride, toU, toUStride, toV, toVStride, width, height)
            default:
                -1
            }
        try ConversionError.check(result, self, output)
    }

    /// Cuts 10 bits to 8: I010 to I420, P010 to NV12 or I420.
    private func narrow(to output: UnsafeFrame) {
        // libyuv multiplies, and keeps the upper 16 bits of 32.
        let scale = Int32(1 << (24 - format.layout.bits - format.layout.shift))
        func cut(_ y: Int, ofPlane index: Int, to result: UnsafeMutablePointer<UInt8>) {
            let count = format.plane(index, of: size).rowBytes / 2
            row(y, ofPlane: index).withMemoryRebound(to: UInt16.self, capacity: count) {
                Convert16To8Plane($0, 0, result, 0, scale, Int32(count), 1)
            }
        }
        let splits = output.format.planeCount > format.planeCount
        for index in 0..<(splits ? 1 : format.planeCount) {
            for y in 0..<format.plane(index, of: size).rows {
                cut(y, ofPlane: index, to: output.row(y, ofPlane: index))
            }
        }
        guard splits else { return }
        let chroma = chromaSize
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * chroma.width) { pairs in
            guard let pairs = pairs.baseAddress else { return }
            for y in 0..<chroma.height {
                cut(y, ofPlane: 1, to: pairs)
                SplitUVPlane(
                    pairs, 0, output.row(y, ofPlane: 1), 0, output.row(y, ofPlane: 2), 0,
                    Int32(chroma.width), 1)
            }
        }
    }

    /// Converts between RGB formats.
    func convertRGBToRGB(to output: UnsafeFrame) throws(ConversionError) {
        let (from, fromStride) = (planes[0], strides[0])
        let (to, toStride) = (output.planes[0], output.strides[0])
        let result: Int32 =
            switch (format, output.format) {
            case (.bgra, .rgba), (.bgra, .rgbx), (.bgrx, .rgba), (.bgrx, .rgbx),
                (.rgba, .bgra), (.rgba, .bgrx), (.rgbx, .bgra), (.rgbx, .bgrx):
                ARGBToABGR(from, fromStride, to, toStride, width, height)
            case (.rgb24, .bgra), (.rgb24, .bgrx):
                RAWToARGB(from, fromStride, to, toStride, width, height)
            case (.rgb24, .rgba), (.rgb24, .rgbx):
                RGB24ToARGB(from, fromStride, to, toStride, width, height)
            case (.bgra, .rgb24), (.bgrx, .rgb24):
                ARGBToRAW(from, fromStride, to, toStride, width, height)
            case (.rgba, .rgb24), (.rgbx, .rgb24):
                ARGBToRGB24(from, fromStride, to, toStride, width, height)
            default:
                -1
            }
        try ConversionError.check(result, self, output)
    }

    /// Converts RGB to I420 of any colour space, or to BT.601 limited NV12.
    func convertRGBToYUV(
        _ color: ColorSpace, to output: UnsafeFrame
    ) throws(ConversionError) {
        let (from, fromStride) = (planes[0], strides[0])
        let (y, u, v) = (output.planes[0], output.planes[1], output.planes[2])
        let (yStride, uStride, vStride) =
            (output.strides[0], output.strides[1], output.strides[2])
        let result: Int32
        switch (format, output.format, color) {
        case (.bgra, .nv12, .bt601Limited), (.bgrx, .nv12, .bt601Limited):
            result = ARGBToNV12(from, fromStride, y, yStride, u, uStride, width, height)
        case (.rgba, .nv12, .bt601Limited), (.rgbx, .nv12, .bt601Limited):
            result = ABGRToNV12(from, fromStride, y, yStride, u, uStride, width, height)
        case (.rgb24, .i420, .bt601Limited):
            result = RAWToI420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.rgb24, .i420, .bt601Full):
            result = RAWToJ420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.bgra, .i420, _), (.bgrx, .i420, _), (.rgba, .i420, _), (.rgbx, .i420, _):
            convertRGBToYUV(
                greenroom_from_rgb(to: color, isBlueFirst: format.hasSameLayout(as: .bgra)),
                to: output)
            result = 0
        default:
            result = -1
        }
        try ConversionError.check(result, self, output)
    }
}
