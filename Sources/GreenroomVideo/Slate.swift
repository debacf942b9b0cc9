import GreenroomModel
import GreenroomConversion
import GreenroomMedia

/// The frame that outputs show while their source is lost. The slate names the source and its
/// state, in plain letters on a dark background.
///
/// The host draws a slate once for each want, in the size of the output. A slate has its own
/// memory, because plugins or outputs may have exhausted the track's pool.
final class Slate: Sendable {
    let text: SlateText
    let frame: VideoFrame

    // Luma, in limited range; the hue is the same everywhere.
    private static let ground: UInt8 = 34
    private static let subject: UInt8 = 132
    private static let state: UInt8 = 216
    private static let chroma: [UInt8] = [132, 125]

    /// Draws a slate; nil if there is no memory or no conversion.
    ///
    /// - Parameters:
    ///   - want: The format that outputs receive.
    ///   - size: The size of the frame if the outputs accept any size.
    init?(_ text: SlateText, _ want: VideoWant, size: FrameSize) {
        let pool = FramePool(limit: 2)
        guard let drawn = Self.draw(text, want.size ?? size, from: pool),
            let frame = try? FrameConverter().convert(drawn, to: want, into: pool)
        else { return nil }
        self.text = text
        self.frame = frame
    }

    private static func draw(
        _ text: SlateText, _ size: FrameSize, from pool: FramePool
    ) -> VideoFrame? {
        guard var frame = pool.take(.i420, size) else { return nil }
        for (plane, value) in zip(0..<3, [ground] + chroma) {
            var pixels = frame.mutablePlane(plane)
            for offset in 0..<pixels.byteCount {
                pixels.storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
            }
        }
        let (subject, state) = (text.subject.uppercased(), text.state.uppercased())
        let scale = blockSize(of: state, in: size)
        let smaller = min(blockSize(of: subject, in: size), max(scale * 5 / 9, min(scale, 2)))
        let gap = smaller * BlockFont.height
        let height = smaller * BlockFont.height + gap + scale * BlockFont.height
        let top = (size.height - height) / 2
        draw(subject, smaller, at: top, Self.subject, on: &frame)
        draw(state, scale, at: top + height - scale * BlockFont.height, Self.state, on: &frame)
        return frame
    }

    /// Returns the size of a block in pixels, for a line that is readable at a glance; 0 for a
    /// frame without space.
    private static func blockSize(of line: String, in size: FrameSize) -> Int {
        let columns = max(BlockFont.width(of: line), 1)
        let fitting = size.width * 2 / 3 / columns
        let calm = min(size.width, size.height) / 6 / BlockFont.height
        return min(fitting, calm)
    }

    /// Draws a line in the middle of the frame, which must be large enough.
    private static func draw(
        _ line: String, _ scale: Int, at top: Int, _ luma: UInt8, on frame: inout VideoFrame
    ) {
        let left = (frame.size.width - scale * BlockFont.width(of: line)) / 2
        let stride = frame.strideBytes(0)
        var pixels = frame.mutablePlane(0)
        for (index, letter) in line.enumerated() {
            let begin = left + index * BlockFont.advance * scale
            for y in 0..<BlockFont.height * scale {
                for x in 0..<BlockFont.width * scale
                where BlockFont.hasBlock(letter, column: x / scale, row: y / scale) {
                    pixels.storeBytes(
                        of: luma, toByteOffset: (top + y) * stride + begin + x, as: UInt8.self)
                }
            }
        }
    }
}
