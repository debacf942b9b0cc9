internal import GreenroomMedia

/// Steps of a plan that run together, in bands of rows. The next step reads the result of a band
/// while the result is still in the cache.
///
/// A scaling step needs more rows than it makes. Therefore, where two bands meet, the earlier steps
/// make a few rows twice.
struct ConversionBands {
    /// The steps, by their indices; at least two.
    let steps: Range<Int>
    /// The number of rows of the last step's result in a band; even.
    let rows: Int
    /// The largest number of rows of a result in a band, for each step except the last.
    private let mostRows: [Int]

    /// The largest number of steps in a run, so that few bands are in memory at once.
    static let mostSteps = 6
    private static let fewestRows = 16

    /// Finds the first run of steps that can run together and whose results would not stay in the
    /// cache.
    ///
    /// - Parameters:
    ///   - steps: The steps, in the order of the plan.
    ///   - byteCount: The number of bytes of a band's results, without the last step's result, to
    ///     keep in the cache at once.
    init?(_ steps: [PreparedStep], byteCount: Int) {
        var found: (run: Range<Int>, rows: Int)?
        var start = 0
        while found == nil, start < steps.count {
            let run = Self.run(of: steps, from: start)
            found = Self.rows(of: steps[run], byteCount: byteCount).map { (run, $0) }
            start = max(run.upperBound, start + 1)
        }
        guard let (run, rows) = found else { return nil }
        let height = steps[run.upperBound - 1].size.height
        self.steps = run
        self.rows = rows
        var most = [Int](repeating: 0, count: run.count - 1)
        for start in stride(from: 0, to: height, by: rows) {
            var needed = start..<min(start + rows, height)
            for index in run.dropFirst().reversed() {
                needed = steps[index].inputRows(for: needed)
                most[index - 1 - run.lowerBound] = max(
                    most[index - 1 - run.lowerBound], needed.count)
            }
        }
        mostRows = most
    }

    /// Returns the largest number of rows that a step, except the last, makes of a band.
    func mostRows(ofStep index: Int) -> Int { mostRows[index - steps.lowerBound] }

    /// Returns the steps that can run together, from a step on.
    private static func run(of steps: [PreparedStep], from start: Int) -> Range<Int> {
        start..<start + steps[start...].prefix(mostSteps).prefix(while: \.runsInBands).count
    }

    /// Returns the number of rows of a run's result to make at a time; nil if all rows may be made
    /// at once.
    private static func rows(of run: ArraySlice<PreparedStep>, byteCount: Int) -> Int? {
        let between = run.dropLast().reduce(0) { $0 + $1.format.packedByteCount(of: $1.size) }
        guard between > byteCount, let height = run.last?.size.height else { return nil }
        let rows = max(fewestRows, byteCount * height / between / 2 * 2)
        return rows < height ? rows : nil
    }
}
