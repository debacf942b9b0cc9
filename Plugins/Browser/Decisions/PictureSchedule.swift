/// Decides which frames of a page are read: each while it changes; few while it is still.
///
/// To read a picture changes the page for Chromium: the next frame counts as damaged whether it is or not.
package struct PictureSchedule: Equatable, Sendable {
    /// Equal pictures after which the page is still.
    static let stillCount = 10
    /// The longest time between two pictures of a still page, in nanoseconds.
    static let longestPause: Int64 = 500_000_000

    private var equalCount = 0
    /// Frames since the last picture.
    private var sincePicture = 0
    private var lastPicture = Int64.min / 2

    package init() {}

    private var isStill: Bool { equalCount >= Self.stillCount }

    /// Whether to read the frame that is drawn next.
    ///
    /// - Parameter time: The frame's, in nanoseconds.
    package func wantsPicture(at time: Int64) -> Bool {
        !isStill || time - lastPicture >= Self.longestPause
    }

    /// Takes note of a frame that was not read.
    ///
    /// - Returns: Whether to draw and read another one now.
    package mutating func drewFrame(hasDamage: Bool) -> Bool {
        sincePicture += 1
        return hasDamage && sincePicture > 1
    }

    /// Takes note of a picture.
    package mutating func tookPicture(isEqual: Bool, at time: Int64) {
        equalCount = isEqual ? min(equalCount + 1, Self.stillCount) : 0
        sincePicture = 0
        lastPicture = time
    }

    /// Begins again: the page or its size is another.
    package mutating func reset() { self = PictureSchedule() }
}
