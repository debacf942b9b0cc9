public import GreenroomMedia
public import GreenroomPlugin

/// A frame of a track, as an output gets it: upright I420 in the track's size.
public struct TestFrame: Sendable {
    /// Whether the source sent it, or the host put it there.
    public let content: OutputFrame.Content
    /// The period of the track that shows it first, from 0.
    public let index: Int64
    /// The number of periods that show it.
    public let periods: Int
    /// The size in pixels.
    public let size: FrameSize
    /// The bytes of Y, U and V, without padding.
    public let planes: [[UInt8]]

    init(copying frame: borrowing OutputFrame) {
        content = frame.content
        index = frame.index
        periods = frame.periods
        size = frame.size
        var planes: [[UInt8]] = []
        for plane in 0..<frame.planeCount {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(frame.size.area)
            for y in 0..<frame.geometry(ofPlane: plane).rows {
                let row = frame.row(y, ofPlane: plane)
                for x in row.indices { bytes.append(row[x]) }
            }
            planes.append(bytes)
        }
        self.planes = planes
    }

    /// The luma of a pixel, 16 for black to 235 for white; 0 outside of the frame.
    public func luma(x: Int, y: Int) -> UInt8 {
        guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return 0 }
        return planes[0][y * size.width + x]
    }

    /// The mean luma of all pixels.
    public var meanLuma: Double {
        Double(planes[0].reduce(0) { $0 + Int($1) }) / Double(max(planes[0].count, 1))
    }
}
