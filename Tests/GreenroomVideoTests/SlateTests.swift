import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import Testing

@testable import GreenroomVideo

@Suite struct SlateTests {
    private static let text = SlateText(subject: "camera", state: "restarting")

    private func slate(
        _ size: FrameSize, _ format: PixelFormat = .i420, range: ColorRange? = .limited,
        _ text: SlateText = Self.text
    ) throws -> Slate {
        try #require(
            Slate(text, VideoWant(format: format, size: size, range: range), size: size))
    }

    /// The luma of the picture, row by row.
    private func luma(_ slate: Slate) -> [[UInt8]] { Self.luma(slate.frame) }

    private static func luma(_ frame: borrowing VideoFrame) -> [[UInt8]] {
        let stride = frame.strideBytes(0)
        var rows: [[UInt8]] = []
        for y in 0..<frame.size.height {
            var row: [UInt8] = []
            for x in 0..<frame.size.width {
                row.append(
                    frame.plane(0).unsafeLoad(fromByteOffset: y * stride + x, as: UInt8.self))
            }
            rows.append(row)
        }
        return rows
    }

    @Test(arguments: ["640x360", "1280x720", "1920x1080", "212x160", "360x640", "858x480"])
    func `a slate's two lines are centred, dim and bright, away from the edges`(
        size: String
    ) throws {
        let size = try #require(FrameSize(size))
        let rows = luma(try slate(size))
        let ground = rows[0][0]
        #expect(ground < 50)
        let lit = rows.indices.filter { rows[$0].contains { $0 != ground } }
        let (top, bottom) = (try #require(lit.first), try #require(lit.last))
        #expect(abs(top - (size.height - 1 - bottom)) <= 1, "\(top) above, to \(bottom)")
        #expect(top > size.height / 5)
        // Empty rows separate the lines.
        let gaps = zip(lit, lit.dropFirst()).filter { $1 - $0 > 1 }
        #expect(gaps.count == 1)
        let first = rows[top...(gaps.first?.0 ?? top)].joined().max() ?? 0
        let second = rows[(gaps.first?.1 ?? bottom)...bottom].joined().max() ?? 0
        #expect(first > ground + 60 && second > first + 40)
        // Large: the second line takes a good part of the width, with equal margins.
        let columns = (0..<size.width).filter { x in rows.contains { $0[x] != ground } }
        let (left, right) = (try #require(columns.first), try #require(columns.last))
        #expect(right - left > size.width * 2 / 5 && left > size.width / 8)
        #expect(abs(left - (size.width - 1 - right)) <= 1)
    }

    @Test(arguments: ["1x1", "2x2", "16x16", "40x400", "8192x2", "101x77"])
    func `every size has a slate, with or without letters`(size: String) throws {
        let size = try #require(FrameSize(size))
        #expect(try slate(size).frame.size == size)
    }

    @Test func `the slate is equal in every output format`() throws {
        let size = FrameSize(width: 320, height: 180)
        let limited = luma(try slate(size))
        let nv12 = try slate(size, .nv12)
        #expect(nv12.frame.format == .nv12)
        #expect(luma(nv12) == limited)
        // 34 of 16 to 235 is 21 of 255.
        let full = luma(try slate(size, range: .full))
        #expect(abs(Int(full[0][0]) - 21) <= 1)
        #expect(try slate(size, .bgra).frame.format == .bgra)
    }

    @Test func `an impossible format has no slate`() {
        let size = FrameSize(width: 320, height: 180)
        #expect(Slate(Self.text, VideoWant(format: .mjpeg), size: size) == nil)
    }

    @Test func `letters differ, and unknown ones are blank`() {
        let letters = (32...126).map { Character(Unicode.Scalar($0)) }
        var seen: [[Bool]: Character] = [:]
        for letter in letters {
            let blocks = (0..<BlockFont.height).flatMap { row in
                (0..<BlockFont.width).map {
                    BlockFont.hasBlock(letter, column: $0, row: row)
                }
            }
            guard blocks.contains(true) else { continue }
            #expect(seen[blocks] == nil, "\(letter) is \(seen[blocks] ?? " ")")
            seen[blocks] = letter
        }
        let wanted = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:/?!")
        #expect(Set(seen.values) == wanted)
        #expect(!BlockFont.hasBlock("é", column: 2, row: 3))
    }
}
