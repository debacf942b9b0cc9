package import GreenroomMedia

/// The picture that is shown while the camera is missing.
package enum CameraSlate {
    /// Draws a slate in I420, limited range, without padding.
    ///
    /// - Parameter state: Why the camera is missing, such as `unplugged`.
    package static func frame(_ size: FrameSize, _ state: String) -> [UInt8] {
        let chroma = 2 * ((size.width + 1) / 2) * ((size.height + 1) / 2)
        var bytes =
            [UInt8](repeating: 0x20, count: size.area) + [UInt8](repeating: 128, count: chroma)
        let lines = ["CAMERA", state.uppercased()]
        let longest = lines.map(BlockFont.width(of:)).max() ?? 1
        let scale = max(
            min(size.width * 2 / 3 / longest, size.height / 6 / BlockFont.height), 1)
        let height = BlockFont.height * scale
        for (index, line) in lines.enumerated() {
            let top = size.height / 2 + (index == 0 ? -height - height / 2 : height / 2)
            let left = (size.width - scale * BlockFont.width(of: line)) / 2
            for (place, letter) in line.enumerated() {
                for y in 0..<height {
                    for x in 0..<BlockFont.width * scale
                    where BlockFont.hasBlock(letter, column: x / scale, row: y / scale) {
                        let column = left + place * BlockFont.advance * scale + x
                        guard (0..<size.width).contains(column),
                            (0..<size.height).contains(top + y)
                        else { continue }
                        bytes[(top + y) * size.width + column] = index == 0 ? 0x84 : 0xE0
                    }
                }
            }
        }
        return bytes
    }
}
