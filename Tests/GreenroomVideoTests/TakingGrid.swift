import GreenroomMedia

@testable import GreenroomVideo

/// The grid of a track that carries every frame.
struct TakingGrid {
    private var grid = FrameGrid()
    private let rate: FrameRate

    init(rate: FrameRate) { self.rate = rate }

    /// The place of a frame, which is taken.
    mutating func take(_ nanoseconds: Int64) -> FrameGrid.Point {
        let point = point(at: nanoseconds)
        grid.take(point)
        return point
    }

    /// The place of a moment without a frame.
    func point(at nanoseconds: Int64) -> FrameGrid.Point {
        grid.point(at: nanoseconds, rate: rate)
    }
}
