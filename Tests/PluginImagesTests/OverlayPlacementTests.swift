import GreenroomMedia
import PluginImages
import Testing

struct OverlayPlacementTests {
    private let frame = FrameSize(width: 641, height: 361)

    static let corners: [(OverlayPosition, Int, Int)] = [
        (.topLeft, 10, 10), (.top, 270, 10), (.topRight, 531, 10),
        (.left, 10, 155), (.centre, 270, 155), (.right, 531, 155),
        (.bottomLeft, 10, 301), (.bottom, 270, 301), (.bottomRight, 531, 301),
    ]

    @Test(arguments: corners)
    func `an overlay keeps its margin to the edges that its position names`(
        _ row: (position: OverlayPosition, x: Int, y: Int)
    ) {
        let placement = OverlayPlacement(
            of: FrameSize(width: 100, height: 50), in: frame, at: row.position, margin: 10,
            scale: 0)
        #expect((placement.x, placement.y) == (row.x, row.y))
        #expect(placement.size == FrameSize(width: 100, height: 50))
    }

    @Test(arguments: [
        ("100x50", 0.25, "160x80"), ("1000x100", 1.0, "641x64"), ("10x1000", 0.5, "4x361"),
        ("100x50", 0.0001, "1x1"), ("2000x1000", 0.0, "641x321"), ("9x7", 0.0, "9x7"),
    ])
    func `an overlay's scale is a part of the frame's width, limited by the frame`(
        _ row: (image: String, scale: Double, expected: String)
    ) throws {
        let placement = OverlayPlacement(
            of: try #require(FrameSize(row.image)), in: frame, at: .centre, margin: 0,
            scale: row.scale)
        #expect(placement.size.description == row.expected)
    }

    @Test(arguments: OverlayPosition.allCases, [0, 16, 8192])
    func `an image stays within the frame at every margin`(
        _ position: OverlayPosition, _ margin: Int
    ) {
        for frame in [FrameSize(width: 1, height: 1), FrameSize(width: 33, height: 17)] {
            for scale in [0, 0.2, 1] {
                let placement = OverlayPlacement(
                    of: FrameSize(width: 30, height: 20), in: frame, at: position,
                    margin: margin, scale: scale)
                #expect(placement.x >= 0 && placement.x + placement.size.width <= frame.width)
                #expect(placement.y >= 0 && placement.y + placement.size.height <= frame.height)
                #expect(placement.size.isLegal)
            }
        }
    }
}
