import AgoraStyle

// The helpers that Fora Soft's article describes and leaves to the app.

/// A file in the folder of the app group, mapped for writing. The app and its extension map the same
/// bytes.
final class MappedFile {
    /// The orientation in 4 bytes, then a frame.
    let memory: UnsafeMutableRawPointer
    /// Room for 1080p in NV12.
    let size = 4 << 20

    /// Maps the file; nil without a group or if the file can't be made.
    init?() {
        let group = "group.com.<YourOrganizationName>.<>"
        guard
            let folder = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: group)
        else { return nil }
        let file = open(
            folder.appendingPathComponent("frame").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            os_log("can't open a file in \(folder.path): errno \(errno)", type: .error)
            return nil
        }
        defer { close(file) }
        guard ftruncate(file, off_t(size)) == 0,
            let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else {
            os_log("can't map a file in \(folder.path): errno \(errno)", type: .error)
            return nil
        }
        self.memory = memory
    }

    deinit { munmap(memory, size) }

    /// Copies bytes; those out of range stay.
    func read(at range: Range<Int>, to value: UnsafeMutableRawPointer) {
        let range = range.clamped(to: 0..<size)
        memcpy(value, memory + range.lowerBound, range.count)
    }
}

/// A frame as bytes: the orientation, then format, width, height and bytes of a row of each plane, then
/// the planes. Each number has 4 bytes.
enum PixelBufferSerializer {
    static func serialize(_ buffer: CVPixelBuffer) -> Data {
        var data = Data()
        func append(_ number: UInt32) {
            withUnsafeBytes(of: number) { data.append(contentsOf: $0) }
        }
        let planes = 0..<CVPixelBufferGetPlaneCount(buffer)
        append(CGImagePropertyOrientation.up.rawValue)
        append(CVPixelBufferGetPixelFormatType(buffer))
        append(UInt32(CVPixelBufferGetWidth(buffer)))
        append(UInt32(CVPixelBufferGetHeight(buffer)))
        for plane in planes { append(UInt32(CVPixelBufferGetBytesPerRowOfPlane(buffer, plane))) }
        for plane in planes {
            guard let base = CVPixelBufferGetBaseAddressOfPlane(buffer, plane) else { continue }
            let count =
                CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
                * CVPixelBufferGetHeightOfPlane(buffer, plane)
            data.append(base.assumingMemoryBound(to: UInt8.self), count: count)
        }
        return data
    }

    /// Makes a frame of the bytes behind the orientation; nil for anything else. The extension may write
    /// at the same time: each number is read once.
    static func deserialize(_ data: Data) -> CVPixelBuffer? {
        data.withUnsafeBytes { bytes in
            var offset = 0
            func next() -> Int? {
                guard offset + 4 <= bytes.count else { return nil }
                defer { offset += 4 }
                return Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            guard let type = next(), let width = next(), let height = next() else { return nil }
            var buffer: CVPixelBuffer?
            _ = CVPixelBufferCreate(
                kCFAllocatorDefault, width, height, OSType(truncatingIfNeeded: type), nil, &buffer)
            guard let buffer else { return nil }
            var strides: [Int] = []
            for _ in 0..<CVPixelBufferGetPlaneCount(buffer) {
                guard let stride = next() else { return nil }
                strides.append(stride)
            }
            for (plane, stride) in strides.enumerated() {
                let own = CVPixelBufferGetBytesPerRowOfPlane(buffer, plane)
                let rows = CVPixelBufferGetHeightOfPlane(buffer, plane)
                guard offset + rows * stride <= bytes.count, let source = bytes.baseAddress,
                    let base = CVPixelBufferGetBaseAddressOfPlane(buffer, plane)
                else { return nil }
                for y in 0..<rows {
                    memcpy(base + y * own, source + offset + y * stride, min(own, stride))
                }
                offset += rows * stride
            }
            return buffer
        }
    }
}
