package import CGreenroomKernels
package import GreenroomMedia

/// What decides how a frame is converted.
package struct FrameForm: Equatable, Sendable {
    /// The layout of its pixels.
    package var format: PixelFormat
    /// The size, before its rotation.
    package var size: FrameSize
    /// How to rotate it upright.
    package var rotation: Rotation
    /// The meaning of its values. Of an RGB frame only the matrix matters.
    package var color: ColorSpace

    /// Makes a form.
    package init(_ format: PixelFormat, _ size: FrameSize, _ info: FrameInfo) {
        self.format = format
        self.size = size
        rotation = info.rotation
        color = info.color
    }

    /// The form of a frame.
    package init(_ frame: borrowing VideoFrame) { self.init(frame.format, frame.size, frame.info) }
}

/// Conversion of 32-bit RGB to I420 before a frame is queued.
///
/// Where everything that takes frames of a form begins by converting all of their pixels to the same I420,
/// the sender does that while it takes the pixels from the plugin's memory: it need not copy four bytes
/// a pixel first, and the results are the same.
package struct EarlyConversion: Equatable, Sendable {
    /// The frames that it converts: of 32-bit RGB.
    package let form: FrameForm
    /// The colour space of the result.
    package let color: ColorSpace

    /// - Returns: nil for a form of another format than 32-bit RGB.
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
    /// The colour space of the I420 image with which the conversion of such frames begins, if that is the
    /// whole image and made of 32-bit RGB; nil otherwise.
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
    /// The reference must be unique. Its info gets the colour space, and the form's rotation.
    ///
    /// - Parameters:
    ///   - conversion: The form of the pixels, and what they become.
    ///   - source: The first pixel, followed by `byteCount` readable bytes.
    ///   - strideBytes: Stride of the source.
    ///   - byteCount: The length of the source.
    /// - Throws: ``ConversionError/Code/badGeometry``, before reading, if the frame is not I420 of the
    ///   form's size, the stride shorter than a row or the source shorter than the image.
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
