internal import GreenroomMedia

extension ConversionPlan {
    /// Orders the steps of a plan.
    struct StepBuilder {
        private(set) var steps: [Step] = []
        private var format: PixelFormat
        private let geometry: Geometry
        private let turn: Rotation
        private let input: ColorSpace
        private let output: ColorSpace

        init(
            format: PixelFormat, _ geometry: Geometry, turn: Rotation, from input: ColorSpace,
            to output: ColorSpace
        ) {
            self.format = format
            self.geometry = geometry
            self.turn = turn
            self.input = input
            self.output = output
        }

        mutating func addStepsFromYUV(to wanted: PixelFormat) {
            if format.isCompressed { convert(to: .i420, input) }
            crop()
            let recolors = !wanted.isRGB && output != input
            let isPlain = !geometry.scales && turn == .none && !recolors
            if !(isPlain && format.convertsDirectly(to: wanted, input)) {
                convert(to: .i420, input)
                if recolors, !geometry.shrinks { steps.append(.recolor(from: input, to: output)) }
                scaleAndTurn()
                if recolors, geometry.shrinks { steps.append(.recolor(from: input, to: output)) }
                // Without a direct conversion to 24 bits, convert to 32 bits first.
                if !format.convertsDirectly(to: wanted, input) { convert(to: .rgba, input) }
            }
            convert(to: wanted, wanted.isRGB ? input : output)
            copyIfLastStepMovesNothing()
        }

        mutating func addStepsFromRGB(to wanted: PixelFormat) {
            crop()
            if wanted.isRGB {
                if geometry.scales || turn != .none { expand(orderedLike: wanted) }
            } else {
                if output.matrix != .bt601 { expand(orderedLike: .bgra) }
                let isPlain = !geometry.scales && turn == .none
                if !(isPlain && format.convertsDirectly(to: wanted, output)) {
                    convert(to: .i420, output)
                }
            }
            scaleAndTurn()
            convert(to: wanted, output)
            copyIfLastStepMovesNothing()
        }

        private mutating func crop() {
            if let part = geometry.crop { steps.append(.crop(part)) }
        }

        /// Makes 32-bit pixels of 24-bit pixels, because libyuv does not rotate 24-bit pixels, and
        /// scales them slowly.
        private mutating func expand(orderedLike wanted: PixelFormat) {
            guard format.layout.planes[0].sampleCount == 3 else { return }
            convert(to: wanted.hasSameLayout(as: .rgba) ? .rgba : .bgra, output)
        }

        private mutating func convert(to wanted: PixelFormat, _ color: ColorSpace) {
            guard !format.hasSameLayout(as: wanted) else { return }
            steps.append(.convert(wanted, color))
            format = wanted
        }

        private mutating func scaleAndTurn() {
            if geometry.shrinks {
                scale()
                rotate()
            } else {
                rotate()
                scale()
            }
        }

        private mutating func rotate() {
            if turn != .none { steps.append(.rotate(turn)) }
        }

        private mutating func scale() {
            guard geometry.scales else { return }
            let isTurned = steps.contains(.rotate(turn))
            var size = isTurned ? geometry.seen.rotated(by: turn) : geometry.seen
            let wanted = isTurned ? geometry.scaled.rotated(by: turn) : geometry.scaled
            // Weights of 7 bits make good filters only with few taps.
            while size.width >= 8 * wanted.width || size.height >= 8 * wanted.height {
                if size.width >= 8 * wanted.width { size.width /= 2 }
                if size.height >= 8 * wanted.height { size.height /= 2 }
                steps.append(.scale(size))
            }
            if size != wanted { steps.append(.scale(wanted)) }
        }

        /// Adds a copy if no step writes, because crop and letterbox do not write.
        private mutating func copyIfLastStepMovesNothing() {
            switch steps.last {
            case nil, .crop: steps.append(.copy)
            default: break
            }
        }
    }
}

extension PixelFormat {
    /// Whether one pass converts this format to another format.
    ///
    /// Two direct conversions are excluded. libyuv 1857 makes 24-bit RGB from YUV up to 14 levels
    /// off. It converts YUY2 to NV12 with wrong chroma if the width is 17 to 30 pixels above a
    /// multiple of 32.
    ///
    /// - Parameter color: The colour space of the YUV side.
    fileprivate func convertsDirectly(to other: PixelFormat, _ color: ColorSpace) -> Bool {
        switch (self, other) {
        case _ where self == other, (_, .i420):
            true
        case (.i420, _):
            other != .rgb24
        case (.nv12, _), (.nv21, _):
            [.nv12, .nv21, .bgra, .bgrx, .rgba, .rgbx].contains(other)
        case (.p010, .nv12):
            true
        case (.bgra, .nv12), (.bgrx, .nv12), (.rgba, .nv12), (.rgbx, .nv12):
            color == .bt601Limited
        default:
            false
        }
    }
}
