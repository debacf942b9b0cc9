package import GreenroomSystem
import Glibc
import GreenroomMedia

/// Writes a Y4M file or stream of 4:2:0 video, frame by frame.
///
/// Each frame is appended completely, normally in one system call, so the file is valid whenever
/// the process ends. A process that is killed during the call can leave an incomplete last frame,
/// which ``Y4MReader`` and ffmpeg ignore. If a frame fails because the disk is full, the partial
/// data is removed and writing can continue. The format has no limit of file size.
///
/// The process must ignore `SIGPIPE`, so that a closed pipe is an error like any other. A write
/// blocks while the reader of a pipe does not read: call it on a separate thread. Use it from one
/// thread at a time.
package struct Y4MWriter: ~Copyable, Sendable {
    /// The format in the header.
    package let format: Y4MFormat
    /// Frames written so far.
    package private(set) var frameCount: Int64 = 0

    private let file: Descriptor
    private let canCut: Bool
    private var byteCount: Int64 = 0
    private var gathered = Buffer(byteCount: 0)
    private var brokenBy: FileError?

    /// Creates a file that only this user can read, and writes the header.
    ///
    /// - Parameters:
    ///   - path: The file. A link is not followed.
    ///   - replaces: Whether the file may exist.
    package init(path: String, format: Y4MFormat, replaces: Bool = true) throws(FileError) {
        let file = try Descriptor.creating(path, replaces: replaces)
        try self.init(file, canCut: true, format: format)
    }

    /// Writes the header to an open file, pipe or terminal, such as standard output.
    ///
    /// - Parameters:
    ///   - descriptor: Open for writing. It is duplicated: the caller keeps its own and may close it.
    ///   - name: The name in errors.
    package init(
        descriptor: Int32, name: String = "standard output", format: Y4MFormat
    ) throws(FileError) {
        let file = try Descriptor.duplicating(descriptor, name: name)
        // Its offset is unknown: another program may have written before.
        try self.init(file, canCut: false, format: format)
    }

    private init(
        _ file: consuming Descriptor, canCut: Bool, format: Y4MFormat
    ) throws(FileError) {
        guard format.size.isLegal else {
            throw FileError(
                .badArgument, file: file.name, rule: "\(format.size) is not a valid size",
                cure: "width and height must be from 1 to \(FrameSize.maximumDimension)")
        }
        let header = Array(format.header.utf8)
        let result = header.withUnsafeBytes { header in
            withUnsafeTemporaryAllocation(of: iovec.self, capacity: 1) { parts in
                parts.initialize(
                    repeating: iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: header.baseAddress),
                        iov_len: header.count))
                return Result { () throws(FileError) in try file.append(parts) }
            }
        }
        try result.get()
        self.file = file
        self.canCut = canCut
        self.format = format
        byteCount = Int64(header.count)
    }

    /// Closes the file and reports delayed write errors.
    package consuming func close() throws(FileError) {
        try file.close()
    }
}

extension Y4MWriter {
    /// Appends a frame.
    ///
    /// - Parameters:
    ///   - y: Rows of luma.
    ///   - yStride: Bytes from a row to the next, at least the width.
    ///   - u: Rows of U, half the size rounded up.
    ///   - uStride: Likewise.
    ///   - v: Rows of V.
    ///   - vStride: Likewise.
    /// - Throws: ``FileError/Code/badArgument`` for a short plane, before the first write;
    ///   ``FileError/Code/readerGone``, ``FileError/Code/full``. After a
    ///   stream failed within a frame, every call throws the same error.
    package mutating func write(
        y: RawSpan, yStride: Int, u: RawSpan, uStride: Int, v: RawSpan, vStride: Int
    ) throws(FileError) {
        if let brokenBy { throw brokenBy }
        try format.check(y.byteCount, stride: yStride, plane: 0, file: file.name)
        try format.check(u.byteCount, stride: uStride, plane: 1, file: file.name)
        try format.check(v.byteCount, stride: vStride, plane: 2, file: file.name)

        let luma = PixelFormat.i420.plane(0, of: format.size)
        let chroma = PixelFormat.i420.plane(1, of: format.size)
        let lumaBytes = luma.rowBytes * luma.rows
        let chromaBytes = chroma.rowBytes * chroma.rows
        let lumaGathers = yStride != luma.rowBytes
        if lumaGathers || uStride != chroma.rowBytes || vStride != chroma.rowBytes {
            gathered.reserve(lumaBytes + 2 * chromaBytes)
        }
        let scratch = gathered.bytes.baseAddress
        let marker: StaticString = "FRAME\n"

        let result = y.withUnsafeBytes { y in
            u.withUnsafeBytes { u in
                v.withUnsafeBytes { v in
                    withUnsafeTemporaryAllocation(of: iovec.self, capacity: 4) { parts in
                        parts.initialize(repeating: iovec())
                        parts[0] = iovec(
                            iov_base: UnsafeMutableRawPointer(mutating: marker.utf8Start),
                            iov_len: marker.utf8CodeUnitCount)
                        parts[1] = luma.part(of: y, stride: yStride, gatheredAt: scratch)
                        parts[2] = chroma.part(
                            of: u, stride: uStride, gatheredAt: scratch?.advanced(by: lumaBytes))
                        parts[3] = chroma.part(
                            of: v, stride: vStride,
                            gatheredAt: scratch?.advanced(by: lumaBytes + chromaBytes))
                        return Result { () throws(FileError) in try file.append(parts) }
                    }
                }
            }
        }
        switch result {
        case .success:
            frameCount += 1
            byteCount += Int64(marker.utf8CodeUnitCount + lumaBytes + 2 * chromaBytes)
        case .failure(let error):
            do throws(FileError) {
                guard canCut else { throw error }
                try file.setByteCount(byteCount)
                try file.seek(to: byteCount)
            } catch {
                brokenBy = error
            }
            throw error
        }
    }
}

extension PlaneGeometry {
    /// The plane's rows without padding: in place if there is none, otherwise copied.
    fileprivate func part(
        of plane: UnsafeRawBufferPointer, stride: Int, gatheredAt scratch: UnsafeMutableRawPointer?
    ) -> iovec {
        let byteCount = rowBytes * rows
        if stride == rowBytes {
            return iovec(
                iov_base: UnsafeMutableRawPointer(mutating: plane.baseAddress), iov_len: byteCount)
        }
        let target = UnsafeMutableRawBufferPointer(start: scratch, count: byteCount)
        for row in 0..<rows {
            UnsafeMutableRawBufferPointer(
                rebasing: target[(row * rowBytes)..<((row + 1) * rowBytes)]
            )
            .copyMemory(
                from: UnsafeRawBufferPointer(
                    rebasing: plane[(row * stride)..<(row * stride + rowBytes)]))
        }
        return iovec(iov_base: scratch, iov_len: byteCount)
    }
}

extension Y4MFormat {
    /// Throws if the plane is too short for its rows and stride.
    func check(
        _ byteCount: Int, stride: Int, plane: Int, file: String
    ) throws(FileError) {
        let geometry = PixelFormat.i420.plane(plane, of: size)
        // Computed only for an error: this runs for every plane of every frame.
        var name: String { ["Y", "U", "V"][plane] }
        guard stride >= geometry.rowBytes else {
            throw FileError(
                .badArgument, file: file,
                rule: "plane \(name): a stride of \(stride) bytes is shorter than a row of \(size)",
                cure: "pass at least \(geometry.rowBytes)")
        }
        guard let least = geometry.byteCount(stride: stride), byteCount >= least else {
            throw FileError(
                .badArgument, file: file,
                rule: "plane \(name): \(byteCount) bytes do not hold \(geometry.rows) rows"
                    + " at a stride of \(stride)",
                cure: "pass the whole plane")
        }
    }
}
