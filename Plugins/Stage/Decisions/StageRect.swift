package import GreenroomMedia

/// A rectangle of a picture, in pixels. Edges of what is composed are even, since chroma has one
/// sample for two pixels.
package struct StageRect: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole of a picture.
    package init(_ size: FrameSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    package var size: FrameSize { FrameSize(width: width, height: height) }

    /// With even edges; at least 2x2.
    package var even: StageRect {
        StageRect(x: x & ~1, y: y & ~1, width: max(width & ~1, 2), height: max(height & ~1, 2))
    }

    /// The largest centred rectangle of 16:9 in it.
    package var widescreen: StageRect {
        let fitted = min(width, height * 16 / 9)
        let (w, h) = (fitted, fitted * 9 / 16)
        return StageRect(x: x + (width - w) / 2, y: y + (height - h) / 2, width: w, height: h)
    }

    /// Between this one and another.
    ///
    /// - Parameter part: 0 for this one to 1 for the other.
    package func moved(to other: StageRect, part: Double) -> StageRect {
        func between(_ from: Int, _ to: Int) -> Int {
            from + Int((Double(to - from) * part).rounded())
        }
        return StageRect(
            x: between(x, other.x), y: between(y, other.y), width: between(width, other.width),
            height: between(height, other.height)
        ).even
    }

    /// The parts of a picture that no rectangle covers.
    package static func uncovered(by rects: [StageRect], in size: FrameSize) -> [StageRect] {
        let covered = rects.compactMap { $0.clipped(to: size) }
        let edges = Set([0, size.height] + covered.flatMap { [$0.y, $0.y + $0.height] }).sorted()
        var rest: [StageRect] = []
        for (top, bottom) in zip(edges, edges.dropFirst()) {
            let across = covered.filter { $0.y <= top && $0.y + $0.height >= bottom }
                .sorted { $0.x < $1.x }
            var x = 0
            for rect in across {
                if rect.x > x {
                    rest.append(StageRect(x: x, y: top, width: rect.x - x, height: bottom - top))
                }
                x = max(x, rect.x + rect.width)
            }
            guard x < size.width else { continue }
            rest.append(StageRect(x: x, y: top, width: size.width - x, height: bottom - top))
        }
        return rest
    }

    /// Its part within a picture; nil if none is.
    package func clipped(to size: FrameSize) -> StageRect? {
        let (left, top) = (max(x, 0), max(y, 0))
        let (right, bottom) = (min(x + width, size.width), min(y + height, size.height))
        guard right > left, bottom > top else { return nil }
        return StageRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
