/// The data encoded in a frame of the hostile sources that number their frames.
///
/// The upper half is flat: its colour encodes the frame's number, the offer's revision and the live
/// setting `tag`. The lower half has stripes a pixel wide, which vanish when it is scaled down.
package struct MarkedFrame: Equatable {
    /// The frame's number, modulo 160.
    package var number: Int
    /// The revision of the offer that it was made for, modulo 16.
    package var revision: Int
    /// The setting `tag` when it was made.
    package var tag: Int
    /// Whether the frame was never scaled down.
    package var isSharp: Bool

    /// Decodes a frame without bars; nil if it is not such a frame.
    package init?(_ picture: YUVImage) {
        let (width, height) = (picture.width, picture.height)
        let color = picture[width / 2, height / 4]
        guard (40..<200).contains(color.y), color.u >= 60, color.v >= 60, color.u < 192,
            color.v < 192
        else { return nil }
        number = color.y - 40
        revision = (color.u - 60) / 8
        tag = (color.v - 60) / 8
        let stripes = (width / 4..<width / 2).map { picture[$0, height * 3 / 4].y }
        isSharp = (stripes.max() ?? 0) - (stripes.min() ?? 0) > 140
    }
}

extension Y4MRecording {
    /// Decodes every frame; nil for other frames such as black.
    package func marks() throws -> [MarkedFrame?] {
        try (0..<frameCount).map { MarkedFrame(try frame($0)) }
    }
}

/// The sequence of a source's frames in a recording.
package struct Cadence: CustomStringConvertible {
    /// A frame that is shown.
    package struct Shown: Equatable {
        /// Its number, which does not wrap around.
        package var number: Int
        /// The number of periods that show it.
        package var periods: Int
    }

    package var shown: [Shown] = []

    /// - Parameter marks: Frames as a source made them, of which it sends no 80 between two that
    ///   follow each other here.
    package init(_ marks: some Sequence<MarkedFrame>) {
        for mark in marks {
            guard let last = shown.last else {
                shown.append(Shown(number: mark.number, periods: 1))
                continue
            }
            let step = (mark.number - last.number) % 160
            let distance = step < -80 ? step + 160 : step >= 80 ? step - 160 : step
            if distance == 0 {
                shown[shown.count - 1].periods += 1
            } else {
                shown.append(Shown(number: last.number + distance, periods: 1))
            }
        }
    }

    /// The differences of consecutive numbers.
    package var steps: [Int] { zip(shown.dropFirst(), shown).map { $0.number - $1.number } }

    /// The number of periods of each frame.
    package var periods: [Int] { shown.map(\.periods) }

    package var description: String {
        shown.map { "\($0.number)x\($0.periods)" }.joined(separator: " ")
    }
}
