import GreenroomMedia
import PluginImages
import Testing

struct ImageScalingTests {
    @Test(arguments: [
        (4, 4, 2, 2), (7, 5, 3, 2), (9, 9, 20, 31), (1, 1, 5, 5), (300, 200, 1, 1),
    ])
    func `an image of one colour keeps that colour when it is scaled`(_ row: (Int, Int, Int, Int)) {
        var image = Image(size: FrameSize(width: row.0, height: row.1))
        fill(&image) { _, _ in [200, 100, 50, 128] }
        let scaled = image.scaled(to: FrameSize(width: row.2, height: row.3))
        #expect(scaled.size == FrameSize(width: row.2, height: row.3))
        for (index, byte) in copy(of: scaled).enumerated() {
            // Each of up to three steps may lose one level, which an alpha of a half doubles.
            #expect(abs(Int(byte) - [200, 100, 50, 128][index % 4]) <= 4)
        }
    }

    @Test(arguments: [(8, 6, 40, 30), (37, 29, 38, 90), (40, 30, 20, 15)])
    func `opaque colours stay exact, enlarged or halved`(_ row: (Int, Int, Int, Int)) {
        var image = Image(size: FrameSize(width: row.0, height: row.1))
        fill(&image) { _, _ in [200, 1, 255, 255] }
        let scaled = image.scaled(to: FrameSize(width: row.2, height: row.3))
        let isKept = copy(of: scaled).enumerated().allSatisfy { index, byte in
            byte == [200, 1, 255, 255][index % 4]
        }
        #expect(isKept)
    }

    @Test func `halving an image averages its pixels`() {
        var image = Image(size: FrameSize(width: 4, height: 4))
        fill(&image) { x, y in
            let grey = UInt8(x * 10 + y * 40)
            return [grey, grey, grey, 255]
        }
        let scaled = image.scaled(to: FrameSize(width: 2, height: 2))
        let greys = copy(of: scaled).indices.filter { $0 % 4 == 0 }.map { copy(of: scaled)[$0] }
        for (found, expected) in zip(greys, [25, 45, 105, 125]) {
            #expect(abs(Int(found) - expected) <= 1)
        }
    }

    @Test func `the colour of transparent pixels does not bleed`() {
        var image = Image(size: FrameSize(width: 8, height: 8))
        fill(&image) { x, _ in x % 2 == 0 ? [0, 0, 255, 255] : [255, 0, 0, 0] }
        let scaled = image.scaled(to: FrameSize(width: 4, height: 4))
        let pixel = scaled.row(1)
        #expect(pixel[0] <= 2)
        #expect(pixel[2] >= 253)
        #expect((126...129).contains(pixel[3]))
    }

    @Test(arguments: [
        ("1920x1080", "1280x720", "1280x720"), ("1000x1000", "1280x720", "720x720"),
        ("100x50", "1280x720", "1280x640"), ("8192x1", "640x480", "640x1"),
    ])
    func `fitting keeps the aspect ratio`(_ row: (String, String, String)) throws {
        let (size, limit) = (try #require(FrameSize(row.0)), try #require(FrameSize(row.1)))
        #expect(size.fitted(within: limit).description == row.2)
    }

    private func fill(_ image: inout Image, _ pixel: (Int, Int) -> [UInt8]) {
        let (width, height) = (image.width, image.height)
        var bytes = image.mutableBytes
        for y in 0..<height {
            for x in 0..<width {
                for (index, byte) in pixel(x, y).enumerated() {
                    bytes[(y * width + x) * 4 + index] = byte
                }
            }
        }
    }
}
