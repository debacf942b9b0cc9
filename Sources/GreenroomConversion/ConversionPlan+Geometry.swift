internal import GreenroomMedia

extension ConversionPlan {
    /// Source and destination rectangles of a conversion.
    ///
    /// The cropped and scaled sizes are in the frame's own orientation, so that rotation may
    /// precede or follow scaling.
    struct Geometry: Equatable {
        /// The visible part of the frame; nil if the whole frame is visible.
        let crop: PixelRect?
        /// The size of the visible part before scaling.
        let seen: FrameSize
        /// The size of the visible part after scaling, before rotation.
        let scaled: FrameSize
        /// The size of the result.
        let canvas: FrameSize
        /// The position of the rotated image in the result.
        let placement: PixelRect

        init(
            of size: FrameSize, turnedBy turn: Rotation, for want: VideoWant
        ) throws(ConversionError) {
            let upright = size.rotated(by: turn)
            canvas = want.size ?? upright
            guard size.isLegal, canvas.isLegal else {
                throw .badGeometry(
                    "cannot make \(canvas) of \(size): sides go from 1 to "
                        + "\(FrameSize.maximumDimension)")
            }
            guard upright != canvas || want.fit != .reject else {
                crop = nil
                seen = size
                scaled = size
                placement = PixelRect(x: 0, y: 0, size: canvas)
                return
            }
            let picture: FrameSize
            switch want.fit {
            case .reject:
                throw .rejected(
                    "the image is \(upright) but the consumer takes only \(canvas): send that "
                        + "size, or declare the fit policy letterbox, crop or stretch")
            case .stretch:
                seen = size
                picture = canvas
            case .crop:
                seen = size.largestInside(shapedLike: canvas.rotated(by: turn))
                picture = canvas
            case .letterbox:
                seen = size
                picture = canvas.largestInside(shapedLike: upright)
            }
            crop = seen == size ? nil : PixelRect(seen, centredIn: size)
            scaled = picture.rotated(by: turn)
            placement = PixelRect(picture, centredIn: canvas)
        }

        var scales: Bool { seen != scaled }
        var shrinks: Bool { scaled.area < seen.area }
        var changesPixels: Bool { crop != nil || scales || placement.size != canvas }
    }
}
