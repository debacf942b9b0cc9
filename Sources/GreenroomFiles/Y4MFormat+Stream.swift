import GreenroomSystem
import GreenroomMedia

extension Y4MFormat {
    /// Reads the header of a stream.
    ///
    /// - Parameters:
    ///   - stream: At its first byte; afterwards at the first frame.
    ///   - name: The name for errors.
    /// - Returns: The format, and what of the header is ignored, one sentence each; nil if the stream ends
    ///   before the line does.
    /// - Throws: ``FileError`` with the rule, or an error of the stream.
    package static func read(
        from stream: inout some ByteSource, name: String
    ) throws -> (format: Y4MFormat, notes: [String])? {
        let line = try stream.line(atMost: longestHeader)
        // The parser names the fault of a short stream that is no Y4M.
        guard
            line.last == UInt8(ascii: "\n") || line.count == longestHeader
                || !"YUV4MPEG2".utf8.starts(with: line.prefix(9))
        else { return nil }
        let (format, _, notes) = try parse(line, file: name)
        return (format, notes)
    }

    /// Reads a frame.
    ///
    /// - Parameters:
    ///   - stream: At the line before the frame.
    ///   - pixels: Gets the planes, one after the other without padding.
    ///   - name: The name for errors.
    /// - Returns: false if the stream ends before the frame does.
    /// - Throws: ``FileError`` if the stream has something else here, or an error of the stream.
    package func readFrame(
        from stream: inout some ByteSource, into pixels: inout [UInt8], name: String
    ) throws -> Bool {
        let line = Array("FRAME".utf8)
        var start = try stream.bytes(line.count + 1)
        guard start.count == line.count + 1 else { return false }
        if start.last == UInt8(ascii: " ") {
            let rest = try stream.line(atMost: Self.longestHeader)
            guard rest.last == UInt8(ascii: "\n") || rest.count == Self.longestHeader else {
                return false
            }
            start += rest
        }
        guard start.starts(with: line), start.last == UInt8(ascii: "\n") else {
            throw FileError(
                .malformed, file: name, rule: "expected a FRAME line",
                cure: "the stream is damaged here")
        }
        if pixels.count != frameByteCount {
            pixels = [UInt8](repeating: 0, count: frameByteCount)
        }
        let count = try pixels.withUnsafeMutableBytes { try stream.read(into: $0) }
        guard count == frameByteCount else { return false }
        if siting == .left { centerChroma(of: &pixels) }
        return true
    }

    private func centerChroma(of pixels: inout [UInt8]) {
        let luma = PixelFormat.i420.plane(0, of: size)
        var start = luma.rowBytes * luma.rows
        for plane in 1...2 {
            let geometry = PixelFormat.i420.plane(plane, of: size)
            for _ in 0..<geometry.rows {
                var all = pixels.mutableSpan
                var row = all._mutatingExtracting(start..<(start + geometry.rowBytes))
                Self.centerChroma(ofRow: &row)
                start += geometry.rowBytes
            }
        }
    }

    /// Moves the chroma of a row from the left of its pixels to their middle, where frames have it: a quarter
    /// of the way to the next sample.
    package static func centerChroma(ofRow row: inout MutableSpan<UInt8>) {
        for x in row.indices.dropLast() {
            row[x] = UInt8((3 * Int(row[x]) + Int(row[x + 1]) + 2) / 4)
        }
    }
}
