import ArgumentParser
import GreenroomConversion
import GreenroomMedia
import GreenroomSchema
import GreenroomValidator

/// `greenroom explain-conversion`.
struct ExplainConversionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain-conversion",
        abstract: "Show how frames are converted, and the cost on this machine.",
        discussion: """
            Prints each step of the conversion with the bytes that it moves, the cost of copying as many \
            bytes, and the cost of the step. Costs are processor time of one thread, the median of 21 runs.

            A session makes the same plan for an output whose format or size differs from the camera's. If \
            the results of several steps are large, the session runs these steps together, in bands of rows \
            that stay in the processor's cache. The last line has the cost of that.

                greenroom explain-conversion bgra 1920x1080 i420 1280x720
            """)

    @Argument(
        help: "The format of the frames: i420, nv12, bgra and so on.", transform: named(\.name))
    var format: PixelFormat

    @Argument(help: "The size of the frames, such as 1920x1080.", transform: frameSize)
    var size: FrameSize

    @Argument(help: "The requested format.", transform: named(\.name))
    var wantedFormat: PixelFormat

    @Argument(help: "The requested size.", transform: frameSize)
    var wantedSize: FrameSize

    @Option(
        help: "The treatment of another aspect ratio: letterbox, crop, stretch or reject.",
        transform: named(\.rawValue))
    var fit = Fit.letterbox

    @Option(
        help: "The matrix of the frames, bt601 or bt709. By default the usual one of their size.",
        transform: named(\.name))
    var matrix: ColorMatrix?

    @Option(help: "The range of the frames, limited or full.", transform: named(\.name))
    var range = ColorRange.limited

    @Option(
        help: "The requested matrix. Default: the frames' matrix.", transform: named(\.name))
    var wantedMatrix: ColorMatrix?

    @Option(help: "The requested range. Default: the frames' range.", transform: named(\.name))
    var wantedRange: ColorRange?

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let costs: [ConversionPlan.StepCost]
        let whole: (nanoseconds: Int64, bandRows: Int?)
        let color = ColorSpace(range: range, matrix: matrix ?? .usual(for: size))
        let want = VideoWant(
            format: wantedFormat, size: wantedSize, range: wantedRange, matrix: wantedMatrix,
            fit: fit)
        do throws(ConversionError) {
            let plan = try ConversionPlan.plan(
                format: format, size: size, rotation: .none, color: color, want: want)
            costs = try plan.measure(from: format, size, repetitions: 21)
            whole = try FrameConverter().measure(
                from: format, size, color, to: want, repetitions: 21)
        } catch {
            throw ExitError(.usage, error.description)
        }
        guard !json else {
            return Console.write(
                json: Self.json(of: costs, whole.nanoseconds, whole.bandRows).text)
        }
        guard !costs.isEmpty else {
            return Console.write(
                "nothing to do: the frames have the wanted format, and no byte is copied")
        }
        let rows = costs.map { cost in
            [
                "\(cost.step)", "\(cost.format.name) \(cost.size)",
                Self.megabytes(cost.bytesRead + cost.bytesWritten),
                Self.milliseconds(cost.copyNanoseconds), Self.milliseconds(cost.nanoseconds),
            ]
        }
        let sum = [
            "all", "",
            Self.megabytes(costs.reduce(0) { $0 + $1.bytesRead + $1.bytesWritten }),
            Self.milliseconds(costs.reduce(0) { $0 + $1.copyNanoseconds }),
            Self.milliseconds(costs.reduce(0) { $0 + $1.nanoseconds }),
        ]
        let together = [
            whole.bandRows.map { "in bands of \($0) rows" }
                ?? (costs.count > 1 ? "one after the other" : "the conversion"), "", "", "",
            Self.milliseconds(whole.nanoseconds),
        ]
        Console.write(
            table(
                [["STEP", "RESULT", "MOVES", "AS A COPY", "MEASURED"]] + rows + [sum, together]))
    }

    private static func json(
        of costs: [ConversionPlan.StepCost], _ nanoseconds: Int64, _ bandRows: Int?
    ) -> JSON {
        let steps = costs.map { cost -> JSON in
            [
                "step": .string("\(cost.step)"), "format": .string(cost.format.name),
                "width": .integer(Int64(cost.size.width)),
                "height": .integer(Int64(cost.size.height)),
                "bytesRead": .integer(Int64(cost.bytesRead)),
                "bytesWritten": .integer(Int64(cost.bytesWritten)),
                "copyNanoseconds": .integer(cost.copyNanoseconds),
                "nanoseconds": .integer(cost.nanoseconds),
            ]
        }
        return [
            "steps": .array(steps), "nanoseconds": .integer(nanoseconds),
            "bandRows": bandRows.map { .integer(Int64($0)) } ?? .null,
        ]
    }

    private static func megabytes(_ bytes: Int) -> String {
        "\(decimal(Double(bytes) / 1e6, 2)) MB"
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        "\(decimal(Double(nanoseconds) / 1e6, 2)) ms"
    }
}

/// Finds a value by its word in session files and reports.
private func named<Value: CaseIterable & SendableMetatype>(
    _ word: any KeyPath<Value, String> & Sendable
) -> @Sendable (String) throws -> Value {
    { text in
        guard let value = Value.allCases.first(where: { $0[keyPath: word] == text }) else {
            let words = Value.allCases.map { $0[keyPath: word] }.joined(separator: ", ")
            throw ValidationError("'\(text)': not one of \(words).")
        }
        return value
    }
}

private func frameSize(_ text: String) throws -> FrameSize {
    guard let size = FrameSize(text) else {
        throw ValidationError(
            "'\(text)': not a size. Write a size such as 1280x720, each side 1 to "
                + "\(FrameSize.maximumDimension).")
    }
    return size
}
