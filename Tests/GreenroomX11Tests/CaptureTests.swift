import GreenroomMedia
import Testing

@testable import GreenroomX11

/// Tests of areas, cursors and the choice of windows.
@Suite struct CaptureTests {
    @Test func `a region is read as a size and a position`() {
        #expect(PixelArea("640x360+10+20") == PixelArea(x: 10, y: 20, width: 640, height: 360))
        #expect(PixelArea("640x360") == PixelArea(width: 640, height: 360))
        for text in ["", "640", "0x360", "640x360+1", "640x360-1+2", "1000000x1", "640x360+1+2 "] {
            #expect(PixelArea(text) == nil, "\(text)")
        }
    }

    @Test func `a captured frame is the even-sized part of an area within the screen`() {
        let screen = FrameSize(width: 1281, height: 721)
        func frame(_ area: PixelArea) -> PixelArea? { area.frame(in: screen) }
        #expect(
            frame(PixelArea(width: 1281, height: 721)) == PixelArea(width: 1280, height: 720))
        #expect(
            frame(PixelArea(x: -10, y: 5, width: 31, height: 9))
                == PixelArea(x: 0, y: 5, width: 20, height: 8))
        #expect(
            frame(PixelArea(x: 1200, y: 700, width: 400, height: 300))
                == PixelArea(x: 1200, y: 700, width: 80, height: 20))
        #expect(frame(PixelArea(x: 1280, y: 0, width: 10, height: 10)) == nil)
        #expect(frame(PixelArea(x: 2000, y: 0, width: 10, height: 10)) == nil)
        #expect(frame(PixelArea(x: -10, y: 0, width: 10, height: 10)) == nil)
    }

    @Test func `a change on the screen is copied in whole pairs of rows`() {
        let area = PixelArea(x: 100, y: 50, width: 200, height: 100)
        func rows(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Range<Int>? {
            area.rows(touchedBy: PixelArea(x: x, y: y, width: width, height: height))
        }
        #expect(rows(150, 61, 1, 1) == 10..<12)
        #expect(rows(150, 60, 1, 2) == 10..<12)
        #expect(rows(0, 0, 1000, 1000) == 0..<100)
        #expect(rows(299, 149, 50, 50) == 98..<100)
        #expect(rows(0, 0, 100, 1000) == nil)
        #expect(rows(300, 0, 10, 1000) == nil)
        #expect(rows(100, 0, 10, 50) == nil)
        #expect(rows(100, 150, 10, 10) == nil)
    }

    private static func image(_ width: Int, _ height: Int, _ value: UInt32) -> CapturedImage {
        let image = CapturedImage(capacity: width * height * 4)
        image.resize(to: FrameSize(width: width, height: height))
        image.bytes.bindMemory(to: UInt32.self).initialize(repeating: value)
        return image
    }

    private static func pixels(_ image: CapturedImage) -> [UInt32] {
        Array(image.bytes.bindMemory(to: UInt32.self))
    }

    @Test func `a cursor is blended, clipped at the edges, and removed without a trace`() {
        let image = Self.image(4, 3, 0x0040_4040)
        let before = Self.pixels(image)
        // White, half of it black, none.
        let cursor = CursorPicture(
            width: 3, height: 1, hotX: 1, hotY: 0, pixels: [0xffff_ffff, 0x8000_0000, 0])
        var overlay = CursorOverlay()
        overlay.draw(cursor, x: 1, y: 1, on: image)
        #expect(
            Self.pixels(image)[4..<8].map { $0 & 0xff_ffff } == [
                0xff_ffff, 0x20_2020, 0x40_4040, 0x40_4040,
            ])
        overlay.draw(cursor, x: 0, y: 0, on: image)
        #expect(
            Self.pixels(image)[0..<8].map { $0 & 0xff_ffff } == [0x20_2020]
                + Array(repeating: 0x40_4040, count: 7))
        for place in [(5, 1), (-5, 1), (1, 3), (1, -1)] {
            overlay.draw(cursor, x: place.0, y: place.1, on: image)
            #expect(!overlay.isVisible && Self.pixels(image) == before)
        }
        overlay.draw(cursor, x: 4, y: 2, on: image)
        #expect(Self.pixels(image)[11] & 0xff_ffff == 0xff_ffff)
        overlay.remove(from: image)
        #expect(Self.pixels(image) == before)
    }

    @Test(arguments: [
        ("0x10", 16), ("17", 17), ("Editor", 17), ("editor", 17), ("term", 18), ("XTerm", 18),
        ("notes", 20), ("nothing", nil),
    ])
    func `a window is chosen by id, title or class, a visible one first`(
        text: String, id: UInt32?
    ) {
        func window(
            _ id: UInt32, _ title: String, _ className: String, isViewable: Bool = true
        ) -> X11Display.Window {
            X11Display.Window(
                id: id, title: title, className: className,
                area: PixelArea(width: 10, height: 10), isViewable: isViewable)
        }
        let windows = [
            window(16, "Editor of notes", "Edit", isViewable: false),
            window(17, "editor", "Edit"), window(18, "shell", "XTerm"),
            window(19, "notes", "Pad", isViewable: false), window(20, "Notes", "Pad"),
        ]
        #expect(windows.first(matching: text)?.id == id)
    }
}
