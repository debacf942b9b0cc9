import GreenroomMedia

/// The size of the outputs that follow the shape of a share.
///
/// If a share is rotated or switches to another window, its aspect ratio changes, and the size of
/// the first agreement would show it with bars. The size changes at most once a second, because
/// otherwise a window that is dragged larger would make a recording of many short files. Between
/// changes the frame has bars.
package struct ShapeFollower {
    /// The shortest time between two changes, in nanoseconds.
    static let shortestNanoseconds = Limits.shapeIntervalNanoseconds
    /// Limit of changes. Later shapes are shown with bars.
    package static let mostChanges = Limits.shapeChanges

    /// The current size of the outputs.
    private(set) var size: FrameSize
    private let agreed: FrameSize
    private var maximum: FrameSize?
    private var changed: Int64?
    private var changes = 0

    /// - Parameters:
    ///   - agreed: The first size.
    ///   - maximum: The largest size; nil for a track whose shape outputs do not follow.
    init(agreed: FrameSize, maximum: FrameSize?) {
        size = agreed
        self.agreed = agreed
        self.maximum = maximum
    }

    /// Whether the outputs have followed a shape other than the first.
    var hasFollowed: Bool { changes > 0 }

    /// Whether the outputs follow the track's shape.
    var isFollowing: Bool { maximum != nil }

    /// Keeps the size of the agreement from now on.
    ///
    /// - Returns: Whether the size changes.
    mutating func stop() -> Bool {
        maximum = nil
        changes = 0
        defer { size = agreed }
        return size != agreed
    }

    /// Returns the size of the outputs from a frame on; nil if it does not change.
    ///
    /// - Parameters:
    ///   - seen: The size of the frame, upright.
    ///   - moment: The time of the frame, in nanoseconds.
    func next(after seen: FrameSize, at moment: Int64) -> FrameSize? {
        guard let maximum, changes < Self.mostChanges else { return nil }
        let next = seen.reduced(toFit: maximum)
        // An earlier shape may have been the start of a growing window.
        let hasGrown = hasFollowed && next.width * 4 > size.width * 5
        guard hasGrown || !seen.hasShape(of: size) else { return nil }
        if let changed, moment - changed < Self.shortestNanoseconds { return nil }
        return next
    }

    /// Changes the size of the outputs from a moment on.
    mutating func follow(_ next: FrameSize, at moment: Int64) {
        size = next
        changed = moment
        changes += 1
    }
}

extension FrameSize {
    /// Whether another size has the same aspect ratio, within 2 %.
    func hasShape(of other: FrameSize) -> Bool {
        let (one, two) = (width * other.height, other.width * height)
        return abs(one - two) * 50 <= max(one, two)
    }
}
