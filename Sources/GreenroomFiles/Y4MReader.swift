package import GreenroomSystem
import GreenroomMedia

/// Reads frames of a Y4M file of 8-bit 4:2:0 video, in any order.
///
/// Frames are read from the file on demand; nothing is allocated per frame. Use it from one thread
/// at a time.
package struct Y4MReader: ~Copyable, Sendable {
    /// The format in the header.
    package let format: Y4MFormat
    /// The number of complete frames.
    package let frameCount: Int
    /// Warnings about parts of the file that are ignored, such as a truncated last frame; usually
    /// empty.
    package let notes: [String]

    private let file: Descriptor
    private let layout: Y4MFrameLayout
    private var staging = Buffer(byteCount: 0)

    /// Opens a file, reads its header and counts its frames.
    ///
    /// - Throws: ``FileError`` with the offset, the rule and the fix.
    package init(path: String) throws(FileError) {
        let file = try Descriptor.reading(path)
        let length = try file.byteCount()
        let start = try file.bytes(Y4MFormat.longestHeader, at: 0)
        let (format, headerByteCount, notes) = try Y4MFormat.parse(start, file: path)
        let layout = try Y4MFrameLayout(
            file, from: Int64(headerByteCount), to: length, pixels: Int64(format.frameByteCount))
        self.format = format
        self.layout = layout
        frameCount = layout.count
        self.notes =
            notes
            + (layout.hasParameters
                ? [
                    "\(path): the FRAME lines have parameters, such as interlacing, which are "
                        + "ignored; convert the file: ffmpeg -i FILE NEW.y4m"
                ] : [])
            + (layout.leftOver > 0
                ? ["\(path): the last frame was cut off; its \(layout.leftOver) bytes are left out"]
                : [])
        self.file = file
    }

    /// Reads a frame into the caller's memory.
    ///
    /// - Parameters:
    ///   - index: The frame, 0 to ``frameCount`` − 1.
    ///   - y: The memory for luma.
    ///   - yStride: Bytes from a row to the next, at least the width.
    ///   - u: The memory for U; half the size, rounded up.
    ///   - uStride: Likewise.
    ///   - v: The memory for V.
    ///   - vStride: Likewise.
    /// - Throws: ``FileError/Code/badArgument`` for a frame that doesn't exist or a plane that
    ///   is shorter than the frame's; ``FileError/Code/malformed`` if the file has changed since
    ///   it was opened.
    package mutating func readFrame(
        _ index: Int,
        y: inout MutableRawSpan, yStride: Int,
        u: inout MutableRawSpan, uStride: Int,
        v: inout MutableRawSpan, vStride: Int
    ) throws(FileError) {
        guard (0..<frameCount).contains(index) else {
            throw FileError(
                .badArgument, file: file.name, rule: "no frame \(index)",
                cure: "ask for one of the \(frameCount) frames, counted from 0")
        }
        try format.check(y.byteCount, stride: yStride, plane: 0, file: file.name)
        try format.check(u.byteCount, stride: uStride, plane: 1, file: file.name)
        try format.check(v.byteCount, stride: vStride, plane: 2, file: file.name)

        var offset = try layout.offset(ofFrame: index, in: file)
        try readPlane(0, into: &y, stride: yStride, at: &offset)
        try readPlane(1, into: &u, stride: uStride, at: &offset)
        try readPlane(2, into: &v, stride: vStride, at: &offset)
    }

    private mutating func readPlane(
        _ plane: Int, into target: inout MutableRawSpan, stride: Int, at offset: inout Int64
    ) throws(FileError) {
        let geometry = PixelFormat.i420.plane(plane, of: format.size)
        let byteCount = geometry.rowBytes * geometry.rows
        let isTight = stride == geometry.rowBytes
        if !isTight { staging.reserve(byteCount) }
        let staged = UnsafeMutableRawBufferPointer(rebasing: staging.bytes.prefix(byteCount))
        let place = offset
        let result = target.withUnsafeMutableBytes { target in
            Result { () throws(FileError) in
                let whole = UnsafeMutableRawBufferPointer(rebasing: target.prefix(byteCount))
                try file.readWhole(into: isTight ? whole : staged, at: place)
                guard !isTight else { return }
                for row in 0..<geometry.rows {
                    let from = (row * geometry.rowBytes)..<((row + 1) * geometry.rowBytes)
                    let to = (row * stride)..<(row * stride + geometry.rowBytes)
                    UnsafeMutableRawBufferPointer(rebasing: target[to])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: staged[from]))
                }
            }
        }
        try result.get()
        offset += Int64(byteCount)
    }
}

/// The offsets of a file's frames.
///
/// Nearly every file has the same line before each frame, so the offset of a frame is computed.
/// Only a file with different lines is scanned, once, from start to end.
struct Y4MFrameLayout {
    /// The limit of the line before a frame, in bytes.
    private static let longestLine = 256
    /// The length of the line without parameters, in bytes.
    private static let plainLine = Int64("FRAME\n".utf8.count)

    /// The number of complete frames.
    let count: Int
    /// Bytes after the last complete frame.
    let leftOver: Int64
    /// Whether a line has more than `FRAME`.
    let hasParameters: Bool

    private enum Places {
        case even(first: Int64, line: Int64, step: Int64)
        /// The offsets of the frames' pixels.
        case listed([Int64])
    }
    private let places: Places

    /// Finds the frames between two offsets.
    init(
        _ file: borrowing Descriptor, from start: Int64, to end: Int64, pixels: Int64
    ) throws(FileError) {
        guard start < end else {
            (count, leftOver, hasParameters, places) = (0, 0, false, .listed([]))
            return
        }
        guard let line = try Self.line(in: file, at: start, end: end) else {
            (count, leftOver, hasParameters, places) = (0, end - start, false, .listed([]))
            return
        }
        let step = line + pixels
        let whole = (end - start) / step
        let rest = (end - start) % step
        let last = start + max(whole - 1, 0) * step
        let behind = start + whole * step
        let lastFits = try Self.isLine(line, in: file, at: last)
        let restFits = try Self.beginsLine(in: file, at: behind, end: end)
        if lastFits, restFits {
            count = Int(whole)
            leftOver = rest
            hasParameters = line > Self.plainLine
            places = .even(first: start, line: line, step: step)
            return
        }

        var listed: [Int64] = []
        var offset = start
        var hasParameters = false
        while offset < end, let line = try Self.line(in: file, at: offset, end: end),
            pixels <= end - offset - line
        {
            if line > Self.plainLine { hasParameters = true }
            listed.append(offset + line)
            offset += line + pixels
        }
        count = listed.count
        leftOver = end - offset
        self.hasParameters = hasParameters
        places = .listed(listed)
    }

    /// The offset of a frame's pixels.
    func offset(
        ofFrame index: Int, in file: borrowing Descriptor
    ) throws(FileError) -> Int64 {
        switch places {
        case .listed(let offsets):
            return offsets[index]
        case .even(let first, let line, let step):
            let offset = first + Int64(index) * step
            guard try Self.isLine(line, in: file, at: offset) else {
                throw Self.noLine(at: offset, file: file.name)
            }
            return offset + line
        }
    }

    /// The length of the line at an offset, which must be `FRAME`, parameters and a line feed; nil
    /// if the file ends before the line does.
    private static func line(
        in file: borrowing Descriptor, at offset: Int64, end: Int64
    ) throws(FileError) -> Int64? {
        let bytes = try file.bytes(Int(min(Int64(longestLine), end - offset)), at: offset)
        let word = Array("FRAME".utf8)
        guard bytes.starts(with: word.prefix(bytes.count)) else {
            throw noLine(at: offset, file: file.name)
        }
        if let feed = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            guard feed == word.count || bytes[word.count] == UInt8(ascii: " ") else {
                throw noLine(at: offset, file: file.name)
            }
            return Int64(feed + 1)
        }
        guard bytes.count < longestLine else {
            throw FileError(
                .malformed, file: file.name, offset: offset,
                rule: "the FRAME line does not end within \(longestLine) bytes",
                cure: "create the file again")
        }
        return nil
    }

    /// Whether there is a line of a given length at an offset. Allocates nothing.
    private static func isLine(
        _ length: Int64, in file: borrowing Descriptor, at offset: Int64
    ) throws(FileError) -> Bool {
        let result = withUnsafeTemporaryAllocation(byteCount: Int(length), alignment: 1) { line in
            Result { () throws(FileError) in
                line.initializeMemory(as: UInt8.self, repeating: 0)
                return try file.read(into: line, at: offset) == line.count
                    && zip(line, "FRAME".utf8).allSatisfy(==)
                    && line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1
            }
        }
        return try result.get()
    }

    /// Whether the bytes at an offset, if any, are the start of a truncated line.
    private static func beginsLine(
        in file: borrowing Descriptor, at offset: Int64, end: Int64
    ) throws(FileError) -> Bool {
        let bytes = try file.bytes(Int(min(5, end - offset)), at: offset)
        return "FRAME".utf8.starts(with: bytes)
    }

    private static func noLine(at offset: Int64, file: String) -> FileError {
        FileError(
            .malformed, file: file, offset: offset, rule: "expected a FRAME line",
            cure: "the file is damaged here: create it again")
    }
}
