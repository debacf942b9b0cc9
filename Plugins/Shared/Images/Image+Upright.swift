import GreenroomMedia

extension Image {
    /// Returns the image rotated and mirrored according to its camera's orientation.
    consuming func upright(from orientation: EXIFOrientation) -> Image {
        guard orientation != .upright else { return self }
        let turned = size.turned(by: orientation)
        var result = Image(size: turned)
        let from = bytes
        var to = result.mutableBytes
        for y in 0..<turned.height {
            for x in 0..<turned.width {
                let source = orientation.source(ofX: x, y: y, width: width, height: height)
                let read = source.y * strideBytes + source.x * 4
                let write = (y * turned.width + x) * 4
                for byte in 0..<4 { to[write + byte] = from[read + byte] }
            }
        }
        return result
    }
}
