/// The change that makes the pictures of a video upright: a vertical flip, if they are mirrored, then a turn.
package struct Orientation: Equatable {
    package var isMirrored = false
    /// Clockwise: 0, 90, 180 or 270.
    package var degrees: UInt32 = 0

    package init(isMirrored: Bool = false, degrees: UInt32 = 0) {
        self.isMirrored = isMirrored
        self.degrees = degrees
    }

    /// Reads a display matrix, which maps a pixel (x, y) to (a x + c y, b x + d y); y points down. Slanted pictures are turned
    /// to the next quarter.
    package init(a: Int32, b: Int32, c: Int32, d: Int32) {
        let (a, b, c, d) = (Int64(a), Int64(b), Int64(c), Int64(d))
        isMirrored = a * d - b * c < 0
        degrees =
            if a.magnitude >= b.magnitude { a < 0 ? 180 : 0 } else { b < 0 ? 270 : 90 }
    }
}
