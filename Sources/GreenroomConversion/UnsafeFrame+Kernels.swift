internal import CGreenroomKernels
internal import GreenroomMedia

/// Runs the kernels over the rows of images.
extension UnsafeFrame {
    private var kernels: greenroom_kernels { greenroom_best_kernels().pointee }
    private var chromaWidth: Int32 { Int32(chromaSize.width) }

    /// The planes of an I420 image for C.
    var i420: greenroom_i420 {
        greenroom_i420(
            y: planes[0], u: planes[1], v: planes[2], y_stride: Int(strides[0]),
            u_stride: Int(strides[1]), v_stride: Int(strides[2]))
    }

    /// Converts 32-bit RGB to I420.
    func convertRGBToYUV(_ weights: greenroom_from_rgb, to output: UnsafeFrame) {
        withUnsafePointer(to: weights) { weights in
            greenroom_make_i420(
                planes[0], Int(strides[0]), width, height, output.i420, weights)
        }
    }

    /// Converts I420, NV12 or NV21 to 32-bit RGB.
    func convertYUVToRGB(_ weights: greenroom_to_rgb, to output: UnsafeFrame) {
        let hasPairs = format != .i420
        let convert = hasPairs ? kernels.pixels_of_pairs : kernels.pixels
        let isBlueFirst = output.format.hasSameLayout(as: .bgra)
        // For blue first: U, then V. For red first, and for NV21: V, then U.
        var first = (plane: planes[1], stride: Int(strides[1]))
        var second = first
        if hasPairs { second.plane += 1 } else { second = (planes[2], Int(strides[2])) }
        if isBlueFirst == (format == .nv21) { swap(&first, &second) }
        withUnsafePointer(to: isBlueFirst ? weights : weights.mirrored) { weights in
            for y in 0..<size.height {
                convert(
                    row(y, ofPlane: 0), first.plane + y / 2 * first.stride,
                    second.plane + y / 2 * second.stride, output.row(y, ofPlane: 0), width, weights)
            }
        }
    }

    /// Changes range and matrix of I420.
    func recolor(_ weights: greenroom_recolor, to output: UnsafeFrame) {
        let kernels = kernels
        withUnsafePointer(to: weights) { weights in
            for y in 0..<size.height {
                prefetch(y + 1, ofPlane: 0)
                let (luma, result) = (row(y, ofPlane: 0), output.row(y, ofPlane: 0))
                if weights.pointee.keepsMatrix {
                    kernels.range(luma, result, width, weights)
                } else {
                    kernels.matrix(
                        luma, row(y / 2, ofPlane: 1), row(y / 2, ofPlane: 2), result, width,
                        weights)
                }
            }
            for y in 0..<chromaSize.height {
                kernels.recolor(
                    row(y, ofPlane: 1), row(y, ofPlane: 2), output.row(y, ofPlane: 1),
                    output.row(y, ofPlane: 2), chromaWidth, weights)
            }
        }
    }

    /// Begins to load a row, if there is one: a frame of a session is in no cache.
    private func prefetch(_ y: Int, ofPlane index: Int) {
        let plane = format.plane(index, of: size)
        guard y < plane.rows else { return }
        greenroom_prefetch(row(y, ofPlane: index), plane.rowBytes)
    }
}
