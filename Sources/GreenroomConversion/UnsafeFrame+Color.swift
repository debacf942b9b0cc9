internal import CLibYUV
internal import GreenroomMedia

// libyuv names 32-bit formats by the order of bits in a register, from the top: its ARGB is BGRA in
// memory and its ABGR is RGBA. Its RAW is RGB24 in memory, and its RGB24 is BGR. Swapped names give
// the missing functions: red and blue swapped, or U and V swapped with mirrored constants (Yvu).

extension PixelFormat {
    /// Whether a conversion can produce it. Any format that converts to I420 can be the input.
    var canBeMade: Bool {
        switch self {
        case .i420, .nv12, .nv21, .yuy2, .uyvy, .bgra, .rgba, .bgrx, .rgbx, .rgb24: true
        default: false
        }
    }
}

extension UnsafeFrame {
    /// Decodes a JPEG image with a checked structure to I420.
    func decode(byteCount: Int, to output: UnsafeFrame) throws(ConversionError) {
        let result = MJPGToI420(
            planes[0], byteCount, output.planes[0], output.strides[0], output.planes[1],
            output.strides[1], output.planes[2], output.strides[2], width, height, output.width,
            output.height)
        guard result == 0 else {
            throw .badData("the JPEG image does not decode to an image of \(size)")
        }
    }

    /// Converts between YUV formats of one colour space.
    func convertYUVToYUV(to output: UnsafeFrame) throws(ConversionError) {
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
            case (.i010, .i420):
                // The scale is 2^16 over the number of levels above 8 bits: here 10 bits.
                narrow(to: output, scale: 1 << 14)
            case (.p010, .nv12):
                narrow(to: output, scale: 1 << 8)
            default:
                -1
            }
        try ConversionError.check(result, self, output)
    }

    /// Reduces 10 bits to 8, plane by plane.
    private func narrow(to output: UnsafeFrame, scale: Int32) -> Int32 {
        for index in 0..<format.planeCount {
            let plane = output.format.plane(index, of: size)
            planes[index].withMemoryRebound(to: UInt16.self, capacity: plane.rowBytes) {
                Convert16To8Plane(
                    $0, strides[index] / 2, output.planes[index], output.strides[index], scale,
                    Int32(plane.rowBytes), Int32(plane.rows))
            }
        }
        return 0
    }

    /// Converts I420, NV12 or NV21 to RGB; BT.709 limited only from I420 to 32-bit RGB.
    func convertYUVToRGB(
        _ color: ColorSpace, to output: UnsafeFrame
    ) throws(ConversionError) {
        let (y, u, v) = (planes[0], planes[1], planes[2])
        let (yStride, uStride, vStride) = (strides[0], strides[1], strides[2])
        let (to, toStride) = (output.planes[0], output.strides[0])
        if color == .bt709Limited, format == .i420, output.format != .rgb24 {
            return convertYUVToRGB(ColorTransform.ToRGB(from: color), to: output)
        }
        let isBlueFirst = output.format.hasSameLayout(as: .bgra)
        let constants = color.constants(mirrored: !isBlueFirst)
        let result: Int32 =
            switch (format, output.format) {
            case (.i420, .bgra), (.i420, .bgrx):
                I420ToARGBMatrix(
                    y, yStride, u, uStride, v, vStride, to, toStride, constants, width, height)
            case (.i420, .rgba), (.i420, .rgbx):
                I420ToARGBMatrix(
                    y, yStride, v, vStride, u, uStride, to, toStride, constants, width, height)
            case (.i420, .rgb24):
                I420ToRGB24Matrix(
                    y, yStride, v, vStride, u, uStride, to, toStride, constants, width, height)
            case (.nv12, .bgra), (.nv12, .bgrx), (.nv21, .rgba), (.nv21, .rgbx):
                NV12ToARGBMatrix(y, yStride, u, uStride, to, toStride, constants, width, height)
            case (.nv21, .bgra), (.nv21, .bgrx), (.nv12, .rgba), (.nv12, .rgbx):
                NV21ToARGBMatrix(y, yStride, u, uStride, to, toStride, constants, width, height)
            case (.nv12, .rgb24):
                NV21ToRGB24Matrix(y, yStride, u, uStride, to, toStride, constants, width, height)
            case (.nv21, .rgb24):
                NV12ToRGB24Matrix(y, yStride, u, uStride, to, toStride, constants, width, height)
            default:
                -1
            }
        try ConversionError.check(result, self, output)
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
        case (.bgra, .i420, .bt601Limited), (.bgrx, .i420, .bt601Limited):
            result = ARGBToI420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.rgba, .i420, .bt601Limited), (.rgbx, .i420, .bt601Limited):
            result = ABGRToI420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.rgb24, .i420, .bt601Limited):
            result = RAWToI420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.bgra, .i420, .bt601Full), (.bgrx, .i420, .bt601Full):
            result = ARGBToJ420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.rgba, .i420, .bt601Full), (.rgbx, .i420, .bt601Full):
            result = ABGRToJ420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.rgb24, .i420, .bt601Full):
            result = RAWToJ420(
                from, fromStride, y, yStride, u, uStride, v, vStride, width, height)
        case (.bgra, .i420, _), (.bgrx, .i420, _), (.rgba, .i420, _), (.rgbx, .i420, _):
            convertRGBToYUV(ColorTransform.FromRGB(to: color), to: output)
            result = 0
        default:
            result = -1
        }
        try ConversionError.check(result, self, output)
    }
}

extension ColorSpace {
    /// libyuv's constants for converting this to RGB, mirrored for red before blue.
    fileprivate func constants(mirrored: Bool) -> UnsafePointer<YuvConstants> {
        let isFull: Int32 = range == .full ? 1 : 0
        let is709: Int32 = matrix == .bt709 ? 1 : 0
        return mirrored
            ? greenroom_yvu_constants(isFull, is709) : greenroom_yuv_constants(isFull, is709)
    }
}
