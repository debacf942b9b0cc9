internal import CGreenroomKernels
package import GreenroomMedia

/// Converts I420 to 32-bit RGB and back, in memory of a plugin rather than of the host.
package struct PackedConversion: Sendable {
    /// The planes Y, U and V in memory.
    package struct Planes {
        package var y: UnsafeMutablePointer<UInt8>
        package var u: UnsafeMutablePointer<UInt8>
        package var v: UnsafeMutablePointer<UInt8>
        package var yStride: Int
        package var uStride: Int
        package var vStride: Int

        package init(
            y: UnsafeMutablePointer<UInt8>, u: UnsafeMutablePointer<UInt8>,
            v: UnsafeMutablePointer<UInt8>, yStride: Int, uStride: Int, vStride: Int
        ) {
            (self.y, self.u, self.v) = (y, u, v)
            (self.yStride, self.uStride, self.vStride) = (yStride, uStride, vStride)
        }
    }

    private let toRGB: greenroom_to_rgb
    private let fromRGB: greenroom_from_rgb
    private let isBlueFirst: Bool

    /// - Parameters:
    ///   - color: The colour space of Y, U and V.
    ///   - isBlueFirst: Whether the order in memory is BGRA rather than RGBA.
    package init(color: ColorSpace, isBlueFirst: Bool) {
        let weights = greenroom_to_rgb(from: color)
        toRGB = isBlueFirst ? weights : weights.mirrored
        fromRGB = greenroom_from_rgb(to: color, isBlueFirst: isBlueFirst)
        self.isBlueFirst = isBlueFirst
    }

    /// Converts to 32-bit RGB, with an alpha of 255.
    ///
    /// - Parameters:
    ///   - size: The size of the I420 image. The caller guarantees that the memory has these rows.
    ///   - stride: The number of bytes from a row of pixels to the next.
    package func makePixels(
        _ planes: Planes, size: FrameSize, into pixels: UnsafeMutablePointer<UInt8>, stride: Int
    ) {
        let kernels = greenroom_best_kernels().pointee
        withUnsafePointer(to: toRGB) { weights in
            for y in 0..<size.height {
                let u = planes.u + y / 2 * planes.uStride
                let v = planes.v + y / 2 * planes.vStride
                kernels.pixels(
                    planes.y + y * planes.yStride, isBlueFirst ? u : v, isBlueFirst ? v : u,
                    pixels + y * stride, Int32(size.width), weights)
            }
        }
    }

    /// Converts from 32-bit RGB. Alpha is ignored.
    package func makePlanes(
        _ planes: Planes, size: FrameSize, from pixels: UnsafePointer<UInt8>, stride: Int
    ) {
        withUnsafePointer(to: fromRGB) { weights in
            greenroom_make_i420(
                pixels, stride, Int32(size.width), Int32(size.height),
                greenroom_i420(
                    y: planes.y, u: planes.u, v: planes.v, y_stride: planes.yStride,
                    u_stride: planes.uStride, v_stride: planes.vStride), weights)
        }
    }
}
