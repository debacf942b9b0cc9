public import GreenroomMedia

extension Picture {
    /// The picture as large as fits, in the middle of black; transparent parts are black too.
    ///
    /// - Parameter size: The size of the result, brought within the legal sides.
    public func letterboxed(into size: FrameSize) -> Picture {
        var result = Picture(size: size)
        let scaled = scaled(to: self.size.fitted(within: result.size))
        let (left, top) = ((result.width - scaled.width) / 2, (result.height - scaled.height) / 2)
        let resultStride = result.strideBytes
        let from = scaled.bytes
        var to = result.mutableBytes
        for pixel in 0..<to.count / 4 { to[pixel * 4 + 3] = 255 }
        for y in 0..<scaled.height {
            for x in 0..<scaled.width {
                let read = y * scaled.strideBytes + x * 4
                let write = (top + y) * resultStride + (left + x) * 4
                let alpha = UInt32(from[read + 3])
                for component in 0..<3 {
                    let value = UInt32(from[read + component]) * alpha
                    to[write + component] = UInt8(truncatingIfNeeded: (value + 127) / 255)
                }
            }
        }
        return result
    }
}
