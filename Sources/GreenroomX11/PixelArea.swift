package import GreenroomMedia

/// A rectangle of pixels.
package struct PixelArea: Equatable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Reads `1280x720+100+50`; the place is 0 without.
    package init?(_ text: String) {
        guard
            let match = text.wholeMatch(
                of: /([0-9]{1,5})x([0-9]{1,5})(?:\+([0-9]{1,5})\+([0-9]{1,5}))?/),
            let width = Int(match.1), let height = Int(match.2), width > 0, height > 0
        else { return nil }
        self.init(
            x: match.3.flatMap { Int($0) } ?? 0, y: match.4.flatMap { Int($0) } ?? 0,
            width: width, height: height)
    }

    package var size: FrameSize { FrameSize(width: width, height: height) }

    /// The part inside of a screen, with even sides that a frame may have; nil if there is none.
    package func frame(in screen: FrameSize) -> PixelArea? {
        let left = max(x, 0)
        let top = max(y, 0)
        let longest = FrameSize.maximumDimension
        let width = min(min(x + width, screen.width) - left, longest) / 2 * 2
        let height = min(min(y + height, screen.height) - top, longest) / 2 * 2
        guard width > 0, height > 0 else { return nil }
        return PixelArea(x: left, y: top, width: width, height: height)
    }

    /// The rows of this area that a change touches, from an even row to an even row; nil if none.
    ///
    /// - Parameter change: In the coordinates that this area's place has.
    package func rows(touchedBy change: PixelArea) -> Range<Int>? {
        guard change.x < x + width, change.x + change.width > x else { return nil }
        let top = max(change.y - y, 0) / 2 * 2
        let bottom = min((change.y + change.height - y + 1) / 2 * 2, height)
        return top < bottom ? top..<bottom : nil
    }
}
