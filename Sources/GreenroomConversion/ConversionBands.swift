internal import GreenroomMedia

/// Steps of a plan that run together, in bands of rows: what a step makes of a band is still in the cache
/// when the next step reads it.
///
/// A step that scales needs more rows than it makes: where two bands meet, the steps before it make a few
/// rows twice.
struct ConversionBands {
    /// The steps, by their indices; at least two.
    let steps: Range<Int>
    /// The rows of the last step's result in a band; even.
    let rows: Int
    /// The most rows of a result in a band, for each step but the last.
    private let mostRows: [Int]

    /// The longest run of steps, so that few bands are in memory at once.
    static let mostSteps = 6
    private static let fewestRows = 16

    /// The first run of steps that can run together and whose results would not stay in the cache.
    ///
    /// - Parameters:
    ///   - steps: What each step makes, in the order of the plan.
    ///   - byteCount: How many bytes of the results of a band, without the last step's, should be in the
    ///     cache at once.
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

    /// The most rows that a step but the last makes of a band.
    func mostRows(ofStep index: Int) -> Int { mostRows[index - steps.lowerBound] }

    /// The steps that can run together, from one on.
    private static func run(of steps: [PreparedStep], from start: Int) -> Range<Int> {
        start..<start + steps[start...].prefix(mostSteps).prefix(while: \.runsInBands).count
    }

    /// How many rows of a run's result to make at a time; nil where all of them may be made at once.
    private static func rows(of run: ArraySlice<PreparedStep>, byteCount: Int) -> Int? {
        let between = run.dropLast().reduce(0) { $0 + $1.format.packedByteCount(of: $1.size) }
        guard between > byteCount, let height = run.last?.size.height else { return nil }
        let rows = max(fewestRows, byteCount * height / between / 2 * 2)
        return rows < height ? rows : nil
    }
}

/// A step of a plan, and what it needs for frames of one format and size.
struct PreparedStep {
    let step: ConversionPlan.Step
    /// The format and size of the step's result.
    let format: PixelFormat
    let size: FrameSize
    /// Nil for a step that does not scale.
    let scaler: ImageScaler?
    /// Whether rows of the result depend only on a few rows of the input.
    let runsInBands: Bool

    /// - Parameters:
    ///   - input: The format of the result of the step before.
    ///   - inputSize: Its size.
    init(_ step: ConversionPlan.Step, of input: PixelFormat, _ inputSize: FrameSize) {
        self.step = step
        (format, size) = step.result(of: input, inputSize)
        scaler = step.scaler(of: input, inputSize)
        runsInBands =
            switch step {
            case .convert: !input.isCompressed
            case .scale, .recolor: true
            case .crop, .copy, .rotate: false
            }
    }

    /// The rows of the input that rows of the result need, from an even one on.
    ///
    /// - Parameter rows: From an even one on, to an even one or the end.
    func inputRows(for rows: Range<Int>) -> Range<Int> { scaler?.inputRows(for: rows) ?? rows }

    /// Makes rows of the result.
    ///
    /// - Parameters:
    ///   - rows: As for ``inputRows(for:)``.
    ///   - input: The whole input, of which only the rows that are needed are read.
    ///   - output: The whole result.
    func run(
        _ rows: Range<Int>, from input: UnsafeFrame, into output: UnsafeFrame
    ) throws(ConversionError) {
        if let scaler { return scaler.scale(input, to: output, rows: rows) }
        try step.run(
            from: input.rows(rows), compressedByteCount: 0, with: nil, into: output.rows(rows))
    }
}
