internal import CLibYUV
internal import GreenroomMedia

extension UnsafeFrame {
    /// Copies to an image of the same format and size.
    func copy(to output: UnsafeFrame) {
        for index in 0..<format.planeCount {
            let plane = format.plane(index, of: size)
            CopyPlane(
                planes[index], strides[index], output.planes[index], output.strides[index],
                Int32(plane.rowBytes), Int32(plane.rows))
        }
    }

    /// Rotates an I420 or 32-bit RGB image clockwise.
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

    /// Fills the image with black.
    func fillBlack(_ range: ColorRange) {
        let layout = format.layout
        for index in 0..<format.planeCount {
            let plane = format.plane(index, of: size)
            guard plane.rows > 0, plane.rowBytes > 0 else { continue }
            let group = layout.planes[index]
            let groupBytes = group.sampleCount * layout.sampleBytes
            let first = row(0, ofPlane: index)
            for sample in 0..<group.sampleCount {
                let value = group.samples[sample].black(range) << (layout.bits - 8 + layout.shift)
                for byte in 0..<layout.sampleBytes {
                    let offset = sample * layout.sampleBytes + byte
                    for place in stride(from: offset, to: plane.rowBytes, by: groupBytes) {
                        first[place] = UInt8(truncatingIfNeeded: value >> (8 * byte))
                    }
                }
            }
            // Every row equals the first row. libyuv's CopyPlane is slow for the short rows of bars.
            for y in 1..<plane.rows {
                row(y, ofPlane: index).update(from: first, count: plane.rowBytes)
            }
        }
    }
}

extension PixelFormat.Sample {
    /// Returns the sample's 8-bit value in a black pixel. Alpha is opaque.
    fileprivate func black(_ range: ColorRange) -> Int {
        switch self {
        case .y: Int(range.blackLuma)
        case .u, .v: 128
        case .red, .green, .blue, .none: 0
        case .unused: 255
        }
    }
}
