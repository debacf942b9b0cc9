import GreenroomMedia
import GreenroomPlugin
import GreenroomX11

extension CapturedImage {
    /// A slate, in the look of the host's own: what is missing and why, on a dark ground.
    static func slate(_ missing: MissingImage, _ size: FrameSize) -> CapturedImage {
        let image = CapturedImage(capacity: size.area * bytesOfPixel)
        image.resize(to: size)
        for index in image.bytes.indices { image.bytes[index] = 0x16 }
        let lines = [missing.subject, missing.state].map { $0.uppercased() }
        let scale = max(
            min(
                size.width * 2 / 3 / max(lines.map(BlockFont.width(of:)).max() ?? 1, 1),
                min(size.width, size.height) / 6 / BlockFont.height), 1)
        let height = BlockFont.height * scale
        for (index, line) in lines.enumerated() {
            let middle = size.height / 2 + (index == 0 ? -height - height / 2 : height / 2)
            image.draw(line, scale, top: middle, brightness: index == 0 ? 0x84 : 0xe0)
        }
        return image
    }

    private func draw(_ line: String, _ scale: Int, top: Int, brightness: UInt8) {
        let left = (size.width - scale * BlockFont.width(of: line)) / 2
        for (index, letter) in line.enumerated() {
            let begin = left + index * BlockFont.advance * scale
            for y in 0..<BlockFont.height * scale {
                for x in 0..<BlockFont.width * scale
                where BlockFont.hasBlock(letter, column: x / scale, row: y / scale) {
                    let (column, row) = (begin + x, top + y)
                    guard (0..<size.width).contains(column), (0..<size.height).contains(row) else {
                        continue
                    }
                    let place = row * strideBytes + column * Self.bytesOfPixel
                    for byte in place..<place + 3 { bytes[byte] = brightness }
                }
            }
        }
    }
}
