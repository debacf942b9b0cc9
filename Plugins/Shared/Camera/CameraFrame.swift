package import GreenroomMedia
package import GreenroomPlugin

/// The positions of a frame's planes in a camera's buffer, one after the other.
package struct CameraPlanes: Equatable, Sendable {
    /// A plane's bytes and the length of its rows with padding.
    package struct Plane: Equatable, Sendable {
        package var bytes: Range<Int>
        package var strideBytes: Int
    }

    package let planes: [Plane]

    /// - Parameters:
    ///   - strideBytes: Bytes from a row of the first plane to the next; 0 for rows without padding.
    ///   - count: The bytes of the buffer that are the frame.
    /// - Returns: nil if the buffer holds less than a frame, or the format has no planes.
    package init?(format: PixelFormat, size: FrameSize, strideBytes: Int, count: Int) {
        guard !format.isCompressed, size.isLegal, strideBytes >= 0 else { return nil }
        var planes: [Plane] = []
        var start = 0
        for index in 0..<format.planeCount {
            let geometry = format.plane(index, of: size)
            // Planes of chroma alone have half of the luma's row.
            let own = format.planeCount == 3 && index > 0 ? (strideBytes + 1) / 2 : strideBytes
            let stride = strideBytes == 0 ? geometry.rowBytes : own
            guard stride >= geometry.rowBytes, stride <= 1 << 20 else { return nil }
            // The last row may lack its padding.
            let end = start + stride * (geometry.rows - 1) + geometry.rowBytes
            guard end <= count else { return nil }
            planes.append(Plane(bytes: start..<end, strideBytes: stride))
            start += stride * geometry.rows
        }
        self.planes = planes
    }
}

extension FramePlanes {
    /// The planes of a frame in a camera's buffer.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, _ planes: CameraPlanes) {
        let planes = planes.planes
        switch planes.count {
        case 1: self.init(Plane(bytes, planes[0]))
        case 2: self.init(Plane(bytes, planes[0]), Plane(bytes, planes[1]))
        default:
            self.init(
                y: Plane(bytes, planes[0]), u: Plane(bytes, planes[1]), v: Plane(bytes, planes[2]))
        }
    }
}

extension FramePlanes.Plane {
    @_lifetime(copy bytes)
    fileprivate init(_ bytes: Span<UInt8>, _ plane: CameraPlanes.Plane) {
        self.init(bytes.bytes.extracting(plane.bytes), strideBytes: plane.strideBytes)
    }
}

/// Decides when a frame shows, on the session clock.
package enum CameraTime {
    /// - Parameters:
    ///   - frame: The capture time on the monotonic clock; nil if the camera does not report it.
    ///   - monotonicNow: Now, on the same clock.
    ///   - now: Now, on the session clock.
    /// - Returns: The time of the capture, if that is less than a second ago; else now.
    package static func session(frame: Int64?, monotonicNow: Int64, now: Int64) -> Int64 {
        guard let frame else { return now }
        let (age, overflow) = monotonicNow.subtractingReportingOverflow(frame)
        guard !overflow, (0...1_000_000_000).contains(age) else { return now }
        return max(now - age, 0)
    }
}
