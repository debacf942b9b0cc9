import Glibc
import GreenroomConversion
import GreenroomFiles
import GreenroomMedia
import GreenroomNegotiation
import GreenroomVideo

/// A track's video as Y4M, in a file or on standard output.
final class Y4MRecording: VideoSink {
    /// Safe: set before the branch's thread begins, which alone writes and finishes.
    nonisolated(unsafe) private var writer: Y4MWriter?
    let pace: OutputPace

    /// Creates a file, which gets frames as they arrive.
    convenience init(path: String, format: Y4MFormat) throws(OutputError) {
        do {
            self.init(try Y4MWriter(path: path, format: format), pace: .asTheyCome)
        } catch {
            throw OutputError(place: path, explanation: "\(error)")
        }
    }

    /// Writes to standard output, on schedule, for live viewing.
    convenience init(standardOutput format: Y4MFormat) throws(OutputError) {
        guard isatty(STDOUT_FILENO) == 0 else {
            throw OutputError(
                place: "y4m: -",
                explanation: "standard output is a terminal. Pipe it into a program, e.g. "
                    + "`greenroom run FILE | ffplay -`.")
        }
        do {
            self.init(
                try Y4MWriter(descriptor: STDOUT_FILENO, format: format), pace: .onSchedule)
        } catch {
            throw OutputError(place: "y4m: -", explanation: "\(error)")
        }
    }

    private init(_ writer: consuming Y4MWriter, pace: OutputPace) {
        self.pace = pace
        self.writer = consume writer
    }

    func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
        for _ in 0..<periods.count { try writer?.write(frame) }
    }

    func finish() throws {
        if let ended = writer.take() { try ended.close() }
    }
}

extension Y4MFormat {
    /// Writes frames with the size and rate of an output, and a colour.
    init(_ capability: VideoCapability, _ want: VideoSinkWant) {
        let color = want.color(at: capability.size)
        self.init(
            size: capability.size, rate: capability.rate, range: color.range, matrix: color.matrix)
    }
}

extension Y4MWriter {
    /// Writes an I420 frame of the file's size.
    mutating func write(_ frame: borrowing VideoFrame) throws(MediaFileError) {
        try write(
            y: frame.plane(0), yStride: frame.strideBytes(0),
            u: frame.plane(1), uStride: frame.strideBytes(1),
            v: frame.plane(2), vStride: frame.strideBytes(2))
    }
}
