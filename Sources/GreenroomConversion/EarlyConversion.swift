package import CGreenroomKernels
package import GreenroomMedia

/// The properties of a frame that determine its conversion.
package struct FrameForm: Equatable, Sendable {
    /// The layout of the frame's pixels.
    package var format: PixelFormat
    /// The size, before the frame's rotation.
    package var size: FrameSize
    /// The rotation that makes the frame upright.
    package var rotation: Rotation
    /// The colour space. For an RGB frame only the matrix matters.
    package var color: ColorSpace

    /// Makes a form.
    package init(_ format: PixelFormat, _ size: FrameSize, _ info: FrameInfo) {
        self.format = format
        self.size = size
        rotation = info.rotation
        color = info.color
    }

    /// Makes the form of a frame.
    package init(_ frame: borrowing VideoFrame) { self.init(frame.format, frame.size, frame.info) }
}

/// Conversion of 32-bit RGB to I420 before a frame is queued.
///
/// If every consumer of a form begins by converting all pixels to the same I420, the sender
/// converts the pixels while it reads them from the plugin's memory. The sender then need not copy
/// four bytes a pixel first, and the results are the same.
package struct EarlyConversion: Equatable, Sendable {
    /// The form of frames to convert, in 32-bit RGB.
    package let form: FrameForm
    /// The colour space of the result.
    package let color: ColorSpace

    /// - Returns: nil for a format other than 32-bit RGB.
    package init?(of form: FrameForm, to color: ColorSpace) {
        guard form.format.is32BitRGB else { return nil }
        self.form = form
        self.color = color
    }

    /// The weights for `greenroom_make_i420`.
    package var weights: greenroom_from_rgb {
        greenroom_from_rgb(to: color, isBlueFirst: form.format.hasSameLayout(as: .bgra))
    }
}

extension PixelFormat {
    /// Whether a pixel has red, green and blue, and is 32 bits long.
    package var is32BitRGB: Bool { isRGB && layout.planes[0].sampleCount == 4 }
}

extension FrameForm {
    /// Returns the colour space of the I420 image with which the conversion of such frames begins;
    /// nil if the I420 image is not the whole image, or not made of 32-bit RGB.
    package func firstColor(for want: VideoWant) -> ColorSpace? {
        guard format.is32BitRGB,
            let plan = try? ConversionPlan.plan(
                format: format, size: size, rotation: rotation, color: color, want: want),
            case .convert(.i420, let color) = plan.steps.first
        else { return nil }
        return color
    }
}

extension VideoFrame {
    /// Fills an I420 frame with pixels from memory outside the pool, after checking its size.
    ///
    /// The reference must be unique. Its info receives the colour space, and the form's rotation.
    ///
    /// - Parameters:
    ///   - conversion: The form of the pixels, and the colour space of the result.
    ///   - source: The first pixel, followed by `byteCount` readable bytes.
    ///   - strideBytes: Stride of the source.
    ///   - byteCount: The length of the source.
    /// - Throws: ``ConversionError/Code/badGeometry``, before reading, if the frame is not I420 of
    ///   the form's size, the stride is shorter than a row, or the source is shorter than the
    ///   image.
    package mutating func fill(
        by conversion: EarlyConversion, from source: UnsafeRawPointer, strideBytes: Int,
        byteCount: Int
    ) throws(ConversionError) {
        precondition(isUnique, "cannot write to a shared frame; acquire a new frame")
        let plane = conversion.form.format.plane(0, of: size)
        guard format == .i420, size == conversion.form.size, strideBytes >= plane.rowBytes,
            strideBytes <= Int32.max, let needed = plane.byteCount(stride: strideBytes),
            byteCount >= needed
        else {
            throw .badGeometry(
                "\(byteCount) bytes with a stride of \(strideBytes) do not hold "
                    + "\(conversion.form.format) \(size)")
        }
        let output = UnsafeFrame(self)
        withUnsafePointer(to: conversion.weights) { weights in
            greenroom_make_i420(
                source.assumingMemoryBound(to: UInt8.self), strideBytes, output.width,
                output.height, output.i420, weights)
        }
        info.color = conversion.color
        info.rotation = conversion.form.rotation
    }
}
