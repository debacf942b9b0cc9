package import Testing

/// The frame of hostile sources: four flat quarters, red, green, blue and grey.
package struct Quarters {
    /// BT.709, instead of BT.601.
    package var isBT709 = false
    /// The clockwise rotation of the frame, in quarter turns.
    package var turns = 0

    package init(isBT709: Bool = false, turns: Int = 0) {
        (self.isBT709, self.turns) = (isBT709, turns)
    }

    private static let colors: [(red: Double, green: Double, blue: Double)] = [
        (200, 40, 40), (40, 200, 40), (40, 40, 200), (200, 200, 200),
    ]

    /// The quarters as they lie, top left, top right, bottom right, bottom left, in limited
    /// range.
    package var expected: [YUV] {
        let clockwise = [0, 1, 3, 2].map { color in
            YUV.of(
                Self.colors[color], kr: isBT709 ? 0.2126 : 0.299, kb: isBT709 ? 0.0722 : 0.114,
                isFull: false)
        }
        return (0..<4).map { clockwise[($0 + 4 - turns) % 4] }
    }

    /// Expects the quarters in a frame that they fill: in their middles, and in all four corners
    /// of each but for two pixels at the seams, where chroma is shared.
    package func expect(
        in picture: YUVImage, within tolerance: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (width, height) = (picture.width, picture.height)
        let places = [(0, 0), (1, 0), (1, 1), (0, 1)]
        for (place, expected) in zip(places, expected) {
            for x in Self.points(of: width, isSecondHalf: place.0 == 1) {
                for y in Self.points(of: height, isSecondHalf: place.1 == 1)
                where !picture[x, y].isNear(expected, within: tolerance) {
                    Issue.record(
                        "at \(x), \(y) of \(width)x\(height) is \(picture[x, y]), not \(expected)",
                        sourceLocation: sourceLocation)
                    return
                }
            }
        }
    }

    private static func points(of side: Int, isSecondHalf: Bool) -> [Int] {
        isSecondHalf ? [side / 2 + 3, side * 3 / 4, side - 1] : [0, side / 4, side / 2 - 3]
    }
}
