/// The way of the tiles from one arrangement to the next.
///
/// It has no clock: times are passed in, in nanoseconds.
package struct StageMotion: Sendable {
    /// The time that a change takes.
    package static let duration: Int64 = 300_000_000

    /// The final tiles.
    package private(set) var tiles: [StageTile] = []
    private var from: [StageSource: StageRect] = [:]
    private var began = Int64.min

    package init() {}

    /// Begins to move to other tiles.
    ///
    /// - Parameter isAnimated: Whether tiles move; else they are there at once.
    package mutating func move(to new: [StageTile], isAnimated: Bool, at time: Int64) {
        let shown = tiles(at: time)
        from =
            isAnimated
            ? Dictionary(shown.map { ($0.source, $0.rect) }, uniquingKeysWith: { $1 }) : [:]
        tiles = new
        began = time
    }

    /// Whether tiles still move.
    package func isMoving(at time: Int64) -> Bool { part(at: time) < 1 }

    /// The tiles at a time. A new tile grows from its middle.
    package func tiles(at time: Int64) -> [StageTile] {
        let part = part(at: time)
        guard part < 1 else { return tiles }
        return tiles.map { tile in
            let rect = tile.rect
            let start =
                from[tile.source]
                ?? StageRect(
                    x: rect.x + rect.width / 4, y: rect.y + rect.height / 4,
                    width: rect.width / 2, height: rect.height / 2)
            return StageTile(
                tile.source, start.moved(to: tile.rect, part: part), fit: tile.fit)
        }
    }

    /// The share of the way that is done: slow at both ends.
    private func part(at time: Int64) -> Double {
        let (elapsed, overflow) = time.subtractingReportingOverflow(began)
        guard !from.isEmpty, !overflow, elapsed < Self.duration else { return 1 }
        let part = max(Double(elapsed) / Double(Self.duration), 0)
        return part * part * (3 - 2 * part)
    }
}
