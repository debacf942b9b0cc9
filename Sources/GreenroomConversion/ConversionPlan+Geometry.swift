internal import GreenroomMedia

extension ConversionPlan {
    /// Which part of a frame goes where in the result.
    ///
    /// The part and its scaled size are in the frame's own coordinates, before it is turned,
    /// so that turning may come before or after scaling.
    struct Geometry: Equatable {
        /// The part of the frame that is seen, or nil for all of it.
        let crop: PixelRect?
        /// The size of that part before scaling.
        let seen: FrameSize
        /// Its size after scaling, before turning.
        let scaled: FrameSize
        /// The size of the result.
        let canvas: FrameSize
        /// Where the turned picture lies in the result.
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
                    "the picture is \(upright) and the consumer takes \(canvas) alone: send that "
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
