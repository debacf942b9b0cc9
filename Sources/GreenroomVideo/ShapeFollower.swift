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
    private let maximum: FrameSize?
    private var changed: Int64?
    private var changes = 0

    /// - Parameters:
    ///   - agreed: The size at first.
    ///   - maximum: The largest size; nil for a track that is not followed.
    init(agreed: FrameSize, maximum: FrameSize?) {
        size = agreed
        self.maximum = maximum
    }

    /// Whether it has followed another shape than the first.
    var hasFollowed: Bool { changes > 0 }

    /// Takes the size of a frame, upright.
    ///
    /// - Parameter moment: When it shows, in nanoseconds.
    /// - Returns: Whether the outputs have another size from this frame on.
    mutating func follow(_ seen: FrameSize, at moment: Int64) -> Bool {
        guard let maximum, changes < Self.mostChanges else { return false }
        let next = seen.reduced(toFit: maximum)
        // What was followed may have been the beginning of something larger.
        let hasGrown = hasFollowed && next.width * 4 > size.width * 5
        guard hasGrown || !seen.hasShape(of: size) else { return false }
        if let changed, moment - changed < Self.shortestNanoseconds { return false }
        size = next
        changed = moment
        changes += 1
        return true
    }
}

extension FrameSize {
    /// Whether another size has the same aspect ratio, within 2 %.
    func hasShape(of other: FrameSize) -> Bool {
        let (one, two) = (width * other.height, other.width * height)
        return abs(one - two) * 50 <= max(one, two)
    }
}
