import GreenroomMedia

/// The size of the outputs that follow the shape of a share.
///
/// A share that is turned, or becomes another window, has another aspect ratio: in the size of the
/// first agreement it would have bars. The size changes once a second at most, or a window that is
/// dragged larger would make a recording of many short files; meanwhile there are bars.
package struct ShapeFollower {
    /// The shortest time between two changes, in nanoseconds.
    static let shortestNanoseconds: Int64 = 1_000_000_000
    /// Limit of changes; later shapes have bars.
    package static let mostChanges = 100

    /// The size of the outputs now.
    private(set) var size: FrameSize
    private let agreed: FrameSize
    private var maximum: FrameSize?
    private var changed: Int64?
    private var changes = 0

    /// - Parameters:
    ///   - agreed: The size at first.
    ///   - maximum: The largest size; nil for a track that is not followed.
    init(agreed: FrameSize, maximum: FrameSize?) {
        size = agreed
        self.agreed = agreed
        self.maximum = maximum
    }

    /// Whether it has followed another shape than the first.
    var hasFollowed: Bool { changes > 0 }

    /// Whether it follows at all.
    var isFollowing: Bool { maximum != nil }

    /// Keeps the size of the agreement from now on.
    ///
    /// - Returns: Whether that is another size.
    mutating func stop() -> Bool {
        maximum = nil
        changes = 0
        defer { size = agreed }
        return size != agreed
    }

    /// The size that the outputs should have from a frame on; nil for the same.
    ///
    /// - Parameters:
    ///   - seen: The size of the frame, upright.
    ///   - moment: When it shows, in nanoseconds.
    func next(after seen: FrameSize, at moment: Int64) -> FrameSize? {
        guard let maximum, changes < Self.mostChanges else { return nil }
        let next = seen.reduced(toFit: maximum)
        // What was followed may have been the beginning of something larger.
        let hasGrown = hasFollowed && next.width * 4 > size.width * 5
        guard hasGrown || !seen.hasShape(of: size) else { return nil }
        if let changed, moment - changed < Self.shortestNanoseconds { return nil }
        return next
    }

    /// Changes the size of the outputs, from a moment on.
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
