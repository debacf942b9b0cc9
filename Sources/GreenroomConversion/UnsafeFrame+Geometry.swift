internal import CLibYUV
internal import GreenroomMedia

extension UnsafeFrame {
    /// Copies to a picture of the same format and size.
    func copy(to output: UnsafeFrame) {
        for index in 0..<format.planeCount {
            let plane = format.plane(index, of: size)
            CopyPlane(
                planes[index], strides[index], output.planes[index], output.strides[index],
                Int32(plane.rowBytes), Int32(plane.rows))
        }
    }

    /// Scales an I420 or 32-bit RGB picture.
    func scale(
        to output: UnsafeFrame, _ filter: ConversionPlan.ScaleFilter
    ) throws(ConversionError) {
        let mode = filter == .box ? kFilterBox : kFilterBilinear
        let result =
            format == .i420
            ? I420Scale(
                planes[0], strides[0], planes[1], strides[1], planes[2], strides[2], width, height,
                output.planes[0], output.strides[0], output.planes[1], output.strides[1],
                output.planes[2], output.strides[2], output.width, output.height, mode)
            : ARGBScale(
                planes[0], strides[0], width, height, output.planes[0], output.strides[0],
                output.width, output.height, mode)
        try ConversionError.check(result, self, output)
    }

    /// Rotates an I420 or 32-bit RGB picture clockwise.
    func rotate(_ rotation: Rotation, to output: UnsafeFrame) throws(ConversionError) {
        let mode = RotationMode(rotation.rawValue)
        let result =
            format == .i420
            ? I420Rotate(
                planes[0], strides[0], planes[1], strides[1], planes[2], strides[2],
                output.planes[0], output.strides[0], output.planes[1], output.strides[1],
                output.planes[2], output.strides[2], width, height, mode)
            : ARGBRotate(
                planes[0], strides[0], output.planes[0], output.strides[0], width, height, mode)
        try ConversionError.check(result, self, output)
    }

    /// Fills the area outside a rectangle with black.
    func fillBlack(around inside: PixelRect, _ range: ColorRange) {
        let right = inside.x + inside.size.width
        let below = inside.y + inside.size.height
        let bars =
            [
                PixelRect(x: 0, y: 0, size: FrameSize(width: size.width, height: inside.y)),
                PixelRect(
                    x: 0, y: below, size: FrameSize(width: size.width, height: size.height - below)),
                PixelRect(x: 0, y: 0, size: FrameSize(width: inside.x, height: size.height)),
                PixelRect(
                    x: right, y: 0, size: FrameSize(width: size.width - right, height: size.height)),
            ] as InlineArray<4, PixelRect>
        for index in bars.indices where bars[index].size.area > 0 {
            part(bars[index]).fillBlack(range)
        }
    }

    /// Fills the picture with black.
    func fillBlack(_ range: ColorRange) {
        let luma = UInt32(range.blackLuma)
        switch format {
        case .i420, .nv12, .nv21:
            for index in 0..<format.planeCount {
                let plane = format.plane(index, of: size)
                SetPlane(
                    planes[index], strides[index], Int32(plane.rowBytes), Int32(plane.rows),
                    index == 0 ? luma : 128)
            }
        case .yuy2:
            fillWords(luma | 128 << 8 | luma << 16 | 128 << 24)
        case .uyvy:
            fillWords(128 | luma << 8 | 128 << 16 | luma << 24)
        case .bgra, .rgba, .bgrx, .rgbx:
            fillWords(0xff00_0000)
        case .rgb24:
            SetPlane(planes[0], strides[0], width * 3, height, 0)
        case .i010:
            // Ten bits, in the low bits of 16.
            fillSamples(luma << 2, chroma: 128 << 2)
        case .p010:
            // Ten bits, in the high bits.
            fillSamples(luma << 8, chroma: 128 << 8)
        case .mjpeg:
            break
        }
    }

    /// Fills every plane with 16-bit samples.
    private func fillSamples(_ luma: UInt32, chroma: UInt32) {
        for index in 0..<format.planeCount {
            let plane = format.plane(index, of: size)
            let sample = UInt16(index == 0 ? luma : chroma).littleEndian
            for y in 0..<plane.rows {
                UnsafeMutableRawPointer(row(y, ofPlane: index))
                    .initializeMemory(
                        as: UInt16.self, repeating: sample, count: plane.rowBytes / 2)
            }
        }
    }

    private func fillWords(_ word: UInt32) {
        let plane = format.plane(0, of: size)
        ARGBRect(planes[0], strides[0], 0, 0, Int32(plane.rowBytes / 4), Int32(plane.rows), word)
    }
}
