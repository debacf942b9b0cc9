import Glibc
import TestSupport

/// A Y4M file, read independently of the product.
///
/// The format: a line of parameters, then for each frame a line that begins with `FRAME`, and
/// the planes Y, U, V without padding. Only 8-bit 4:2:0 is read.
package final class Y4MRecording {
    /// The parameters of the first line by their letter; `X` ones by their whole name.
    package let parameters: [String: String]
    package let width: Int
    package let height: Int
    /// Complete frames.
    package let frameCount: Int
    /// Bytes after the last complete frame; 0 in a valid file.
    package let trailingBytes: Int

    private let descriptor: Int32
    private let headerBytes: Int
    private let frameBytes: Int
    private let fileBytes: Int
    private let frameOffsets: [Int]

    /// Opens a file.
    ///
    /// - Parameter indexed: Whether to find every frame; read a file with very many by
    ///   ``eachFrame(_:)`` alone.
    package init(_ path: String, indexed: Bool = true) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure("can't open \(path)") }
        descriptor = file
        let size = Int(lseek(file, 0, SEEK_END))
        let header = try Self.line(of: file, at: 0, path)
        let words = header.split(separator: " ")
        guard words.first == "YUV4MPEG2" else { throw Failure("\(path) is no Y4M file: \(header)") }
        var parameters: [String: String] = [:]
        for word in words.dropFirst() {
            if word.hasPrefix("X"), let equals = word.firstIndex(of: "=") {
                parameters[String(word[..<equals])] = String(word[equals...].dropFirst())
            } else {
                parameters[String(word.prefix(1))] = String(word.dropFirst())
            }
        }
        guard let width = Int(parameters["W"] ?? ""), let height = Int(parameters["H"] ?? ""),
            width > 0, height > 0
        else { throw Failure("\(path): no size in \(header)") }
        let chroma = parameters["C"] ?? "420"
        guard chroma.hasPrefix("420"), !chroma.hasPrefix("420p1") else {
            throw Failure("\(path): chroma \(chroma) is not read here")
        }
        self.width = width
        self.height = height
        self.parameters = parameters

        let bytes = width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
        headerBytes = header.utf8.count + 1
        frameBytes = bytes
        fileBytes = size
        var offset = headerBytes
        var offsets: [Int] = []
        while indexed, offset < size {
            guard let line = try? Self.line(of: file, at: offset, path), line.hasPrefix("FRAME"),
                offset + line.utf8.count + 1 + bytes <= size
            else { break }
            offsets.append(offset + line.utf8.count + 1)
            offset += line.utf8.count + 1 + bytes
        }
        frameOffsets = offsets
        frameCount = offsets.count
        trailingBytes = size - offset
    }

    deinit { close(descriptor) }

    /// The frame rate in the header.
    package var framesPerSecond: Double? {
        let parts = (parameters["F"] ?? "").split(separator: ":").compactMap { Double($0) }
        return parts.count == 2 && parts[1] > 0 ? parts[0] / parts[1] : nil
    }

    /// A frame by its index, from 0.
    package func frame(_ index: Int) throws -> YUVImage {
        guard frameOffsets.indices.contains(index) else {
            throw Failure("there is no frame \(index) of \(frameCount)")
        }
        let chromaWidth = (width + 1) / 2
        let chromaHeight = (height + 1) / 2
        let luma = frameOffsets[index]
        let chroma = luma + width * height
        return YUVImage(
            width: width, height: height,
            y: try bytes(width * height, at: luma),
            u: try bytes(chromaWidth * chromaHeight, at: chroma),
            v: try bytes(chromaWidth * chromaHeight, at: chroma + chromaWidth * chromaHeight))
    }

    /// Maps each frame's bytes: Y, U, V.
    package func eachFrame<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws
        -> [Result]
    {
        guard let mapped = mmap(nil, fileBytes, PROT_READ, MAP_PRIVATE, descriptor, 0),
            mapped != MAP_FAILED
        else { throw Failure("can't map \(fileBytes) bytes") }
        defer { munmap(mapped, fileBytes) }
        let file = UnsafeRawBufferPointer(start: mapped, count: fileBytes)
        let line = Array("FRAME\n".utf8)
        var results: [Result] = []
        var offset = headerBytes
        while offset + line.count + frameBytes <= fileBytes {
            let first = offset + line.count
            guard file[offset..<first].elementsEqual(line) else {
                throw Failure("frame \(results.count) begins with something else than FRAME")
            }
            results.append(try body(.init(rebasing: file[first..<first + frameBytes])))
            offset = first + frameBytes
        }
        return results
    }

    private func bytes(_ count: Int, at offset: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            guard pread(descriptor, buffer.baseAddress, count, off_t(offset)) == count else {
                throw Failure("can't read \(count) bytes at \(offset)")
            }
            done = count
        }
    }

    private static func line(of file: Int32, at offset: Int, _ path: String) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = pread(file, &bytes, bytes.count, off_t(offset))
        guard count > 0, let end = bytes.prefix(count).firstIndex(of: 0x0a) else {
            throw Failure("\(path): no line at \(offset)")
        }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}

/// An 8-bit 4:2:0 frame.
package struct YUVImage: Equatable {
    package var width: Int
    package var height: Int
    package var y: [UInt8]
    package var u: [UInt8]
    package var v: [UInt8]

    package init(width: Int, height: Int, y: [UInt8], u: [UInt8], v: [UInt8]) {
        (self.width, self.height, self.y, self.u, self.v) = (width, height, y, u, v)
    }

    /// The values at a pixel.
    package subscript(x: Int, row: Int) -> YUV {
        let chroma = row / 2 * ((width + 1) / 2) + x / 2
        return YUV(y: Int(y[row * width + x]), u: Int(u[chroma]), v: Int(v[chroma]))
    }
}

/// The values of a pixel.
package struct YUV: Equatable, CustomStringConvertible {
    package var y: Int
    package var u: Int
    package var v: Int

    package init(y: Int, u: Int, v: Int) { (self.y, self.u, self.v) = (y, u, v) }

    package var description: String { "Y\(y) U\(u) V\(v)" }

    /// Whether every value is within a distance of another's.
    package func isNear(_ other: YUV, within tolerance: Int) -> Bool {
        abs(y - other.y) <= tolerance && abs(u - other.u) <= tolerance
            && abs(v - other.v) <= tolerance
    }

    /// Converts red, green and blue of 0 to 255 by the formulas of the standards.
    ///
    /// - Parameters:
    ///   - kr: The weight of red in luma: 0.299 of BT.601, 0.2126 of BT.709.
    ///   - kb: The weight of blue: 0.114, 0.0722.
    package static func of(
        _ color: (red: Double, green: Double, blue: Double), kr: Double, kb: Double, isFull: Bool
    ) -> YUV {
        let luma = (kr * color.red + (1 - kr - kb) * color.green + kb * color.blue) / 255
        let cb = (color.blue / 255 - luma) / (2 - 2 * kb)
        let cr = (color.red / 255 - luma) / (2 - 2 * kr)
        let (lumaSpan, chromaSpan, black) = isFull ? (255.0, 255.0, 0.0) : (219.0, 224.0, 16.0)
        return YUV(
            y: Int((black + lumaSpan * luma).rounded()), u: Int((128 + chromaSpan * cb).rounded()),
            v: Int((128 + chromaSpan * cr).rounded()))
    }
}
