import CLibYUV
public import GreenroomMedia

extension Picture {
    /// The picture in another size, each pixel an average of those it stands for.
    ///
    /// Transparent pixels do not bleed their invisible colour into the visible ones.
    ///
    /// - Parameter size: Brought within the legal sides.
    public func scaled(to size: FrameSize) -> Picture {
        var source = Picture(size: self.size)
        var result = Picture(size: size)
        let size = result.size
        let from = bytes
        var between = source.mutableBytes
        var to = result.mutableBytes
        // libyuv works on four bytes with alpha last, whatever the order of the other three.
        // The sizes and lengths agree by construction, so that none of the calls can fail.
        from.withUnsafeBufferPointer { from in
            between.withUnsafeMutableBufferPointer { between in
                to.withUnsafeMutableBufferPointer { to in
                    let stride = Int32(self.strideBytes)
                    let (width, height) = (Int32(self.width), Int32(self.height))
                    let newStride = Int32(size.width * 4)
                    let (newWidth, newHeight) = (Int32(size.width), Int32(size.height))
                    ARGBAttenuate(
                        from.baseAddress, stride, between.baseAddress, stride, width, height)
                    ARGBScale(
                        between.baseAddress, stride, width, height,
                        to.baseAddress, newStride, newWidth, newHeight, kFilterBox)
                    ARGBUnattenuate(
                        to.baseAddress, newStride, to.baseAddress, newStride, newWidth, newHeight)
                }
            }
        }
        return result
    }
}

extension FrameSize {
    /// The largest size of the same proportions within another one, rounded, at least 1x1.
    public func fitted(within limit: FrameSize) -> FrameSize {
        guard width > 0, height > 0 else { return FrameSize(width: 1, height: 1) }
        let scale = min(Double(limit.width) / Double(width), Double(limit.height) / Double(height))
        return FrameSize(
            width: min(max(Int((Double(width) * scale).rounded()), 1), max(limit.width, 1)),
            height: min(max(Int((Double(height) * scale).rounded()), 1), max(limit.height, 1)))
    }
}
