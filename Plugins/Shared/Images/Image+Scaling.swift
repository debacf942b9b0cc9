import CLibYUV
package import GreenroomMedia

extension Image {
    /// Returns the image in another size. Each pixel is an average of the pixels that it replaces.
    ///
    /// The invisible colour of transparent pixels does not affect visible pixels.
    ///
    /// - Parameter size: The size, limited to the legal range.
    package func scaled(to size: FrameSize) -> Image {
        var result = premultiplied().scaledAsItIs(to: size)
        let (stride, width, height) = result.libyuvGeometry
        result.withPixels { pixels in
            _ = ARGBUnattenuate(pixels, stride, pixels, stride, width, height)
        }
        return result
    }

    /// Returns the largest image that fits, centred on black. Transparent parts show black.
    ///
    /// - Parameter size: The size of the result, limited to the legal range.
    package func letterboxed(into size: FrameSize) -> Image {
        var result = Image(size: size)
        var scaled = premultiplied().scaledAsItIs(to: self.size.fitted(within: result.size))
        let (left, top) = ((result.width - scaled.width) / 2, (result.height - scaled.height) / 2)
        let (stride, width, height) = result.libyuvGeometry
        let (scaledStride, scaledWidth, scaledHeight) = scaled.libyuvGeometry
        scaled.withPixels { from in
            result.withPixels { to in
                _ = ARGBRect(to, stride, 0, 0, width, height, 0xFF00_0000)
                let corner = to + top * Int(stride) + left * 4
                _ = ARGBBlend(
                    from, scaledStride, corner, stride, corner, stride, scaledWidth, scaledHeight)
            }
        }
        return result
    }
}

// libyuv accepts four bytes with alpha last, in any order of the other three. Sizes and lengths
// agree by construction, so its functions cannot fail here.
extension Image {
    fileprivate var libyuvGeometry: (stride: Int32, width: Int32, height: Int32) {
        (Int32(strideBytes), Int32(width), Int32(height))
    }

    fileprivate mutating func withPixels(_ body: (UnsafeMutablePointer<UInt8>) -> Void) {
        var bytes = mutableBytes
        bytes.withUnsafeMutableBufferPointer { memory in
            if let start = memory.baseAddress { body(start) }
        }
    }

    /// Returns the image with its colours multiplied by alpha.
    private func premultiplied() -> Image {
        var result = Image(size: size)
        let (stride, width, height) = libyuvGeometry
        let from = bytes
        from.withUnsafeBufferPointer { from in
            result.withPixels { to in
                _ = ARGBAttenuate(from.baseAddress, stride, to, stride, width, height)
            }
        }
        return result
    }

    /// Returns the image in another size, and treats alpha as another colour.
    ///
    /// Scales plane by plane, and by at most a factor of eight at once, because libyuv darkens
    /// whole pixels when it enlarges them or averages very many.
    private consuming func scaledAsItIs(to size: FrameSize) -> Image {
        guard size != self.size else { return self }
        let eighth = FrameSize(
            width: max(size.width, self.width / 8), height: max(size.height, self.height / 8))
        guard eighth == size else { return scaledAsItIs(to: eighth).scaledAsItIs(to: size) }
        var result = Image(size: size)
        let (stride, width, height) = libyuvGeometry
        let (newStride, newWidth, newHeight) = result.libyuvGeometry
        let (area, newArea) = (self.size.area, result.size.area)
        var planes = [UInt8](repeating: 0, count: area * 4)
        var newPlanes = [UInt8](repeating: 0, count: newArea * 4)
        planes.withUnsafeMutableBufferPointer { planes in
            newPlanes.withUnsafeMutableBufferPointer { newPlanes in
                guard let from = planes.baseAddress, let to = newPlanes.baseAddress else { return }
                self.withPixels { pixels in
                    SplitARGBPlane(
                        pixels, stride, from, width, from + area, width, from + 2 * area, width,
                        from + 3 * area, width, width, height)
                }
                for plane in 0..<4 {
                    ScalePlane(
                        from + plane * area, width, width, height,
                        to + plane * newArea, newWidth, newWidth, newHeight, kFilterBox)
                }
                result.withPixels { pixels in
                    MergeARGBPlane(
                        to, newWidth, to + newArea, newWidth, to + 2 * newArea, newWidth,
                        to + 3 * newArea, newWidth, pixels, newStride, newWidth, newHeight)
                }
            }
        }
        return result
    }
}

extension FrameSize {
    /// Returns the largest size of the same proportions within a limit, rounded, at least 1x1.
    package func fitted(within limit: FrameSize) -> FrameSize {
        guard width > 0, height > 0 else { return FrameSize(width: 1, height: 1) }
        let scale = min(Double(limit.width) / Double(width), Double(limit.height) / Double(height))
        return FrameSize(
            width: min(max(Int((Double(width) * scale).rounded()), 1), max(limit.width, 1)),
            height: min(max(Int((Double(height) * scale).rounded()), 1), max(limit.height, 1)))
    }
}
