import GreenroomModel
import Glibc
import GreenroomConversion
import GreenroomFiles
import GreenroomMedia
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomSystem
import GreenroomVideo
import SystemPackage

/// A track's video as Y4M, in files or on standard output.
///
/// A file has one size. Frames of another size start a new file: `share.y4m`, `share-2.y4m` and so
/// on.
final class Y4MRecording: VideoSink {
    /// Safe: set before the branch's thread starts; only that thread writes and finishes. A lock
    /// would cost time for each frame.
    nonisolated(unsafe) private var writer: Y4MWriter?
    /// The writer's file; nil for standard output. The same thread uses it.
    nonisolated(unsafe) private var path: String?
    /// The files so far. The branch's thread writes the list when the size changes, and reports
    /// read it.
    private let files: Monitor<[OutputPiece]>
    let pace: OutputPace
    let isRecording: Bool
    /// The files of other sizes; nil if the output has one size.
    private let later: RecordedFiles?
    private let events: SessionEvents?

    /// Creates a file that receives frames as they arrive.
    ///
    /// - Parameters:
    ///   - replaces: Whether the file may exist.
    ///   - later: The files of frames with another size; nil if all frames have the format's size.
    convenience init(
        path: String, format: Y4MFormat, replaces: Bool, later: RecordedFiles?,
        events: SessionEvents
    ) throws(OutputError) {
        do throws(FileError) {
            self.init(
                try Y4MWriter(path: path, format: format, replaces: replaces), pace: .asTheyCome,
                isRecording: true, path: path, later: later, events: events)
        } catch {
            throw OutputError(place: path, explanation: "\(error.rule); \(error.cure)")
        }
        guard later != nil else { return }
        let piece = OutputPiece(file: path, size: format.size.description, firstFrame: 0)
        files.withLock { $0 = [piece] }
    }

    /// Writes to standard output, on schedule, for live viewing.
    convenience init(standardOutput format: Y4MFormat) throws(OutputError) {
        let output = StandardOutput.descriptor.rawValue
        guard isatty(output) == 0 else {
            throw OutputError(
                place: "y4m: -",
                explanation: "standard output is a terminal. Pipe it into a program, e.g. "
                    + "`greenroom run FILE | ffplay -`.")
        }
        do {
            self.init(
                try Y4MWriter(descriptor: output, format: format), pace: .onSchedule,
                isRecording: false)
        } catch {
            throw OutputError(place: "y4m: -", explanation: "\(error)")
        }
    }

    private init(
        _ writer: consuming Y4MWriter, pace: OutputPace, isRecording: Bool, path: String? = nil,
        later: RecordedFiles? = nil, events: SessionEvents? = nil
    ) {
        self.pace = pace
        self.path = path
        self.isRecording = isRecording
        self.later = later
        self.events = events
        self.writer = consume writer
        files = Monitor([])
    }

    var takesOtherSizes: Bool { later != nil }

    var pieces: [OutputPiece] { files.withLock { $0 } }

    func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
        let size = frame.size
        if let later, let current = writer?.format.size, current != size,
            let begun = try begin(size, in: later), begun.firstFrame > 0
        {
            events?.send(
                .note(
                    role: later.name,
                    text: "now \(size); the recording continues in \(begun.file)"))
        }
        for _ in 0..<periods.count { try writer?.write(frame) }
    }

    func finish() throws {
        guard let ended = writer.take() else { return }
        try ended.close()
        tellFinished()
    }

    /// Reports the file, which was closed.
    private func tellFinished() {
        guard let path else { return }
        events?.send(.fileFinished(role: "record", file: path))
    }

    /// Closes the file, and starts a file of another size.
    private func begin(_ size: FrameSize, in later: RecordedFiles) throws -> OutputPiece? {
        guard let ended = writer.take() else { return nil }
        var format = ended.format
        format.size = size
        var pieces = pieces
        let firstFrame = (pieces.last?.firstFrame ?? 0) + Int64(ended.frameCount)
        let isEmpty = firstFrame == (pieces.last?.firstFrame ?? 0)
        try ended.close()
        // A file without frames is replaced.
        if isEmpty { pieces.removeLast() } else { tellFinished() }
        let path = try later.path(pieces.count + 1, replaces: isEmpty)
        writer = try Y4MWriter(path: path, format: format, replaces: isEmpty || later.overwrites)
        self.path = path
        let piece = OutputPiece(file: path, size: size.description, firstFrame: firstFrame)
        files.withLock { $0 = pieces + [piece] }
        return piece
    }
}

extension Y4MFormat {
    /// Creates a format with the size and rate of an output, and the colour of its want.
    init(_ capability: VideoCapability, _ want: VideoSinkWant) {
        let color = want.color(at: capability.size)
        self.init(
            size: capability.size, rate: capability.rate, range: color.range, matrix: color.matrix)
    }
}

extension Y4MWriter {
    /// Writes an I420 frame of the file's size.
    mutating func write(_ frame: borrowing VideoFrame) throws(FileError) {
        try write(
            y: frame.plane(0), yStride: frame.strideBytes(0),
            u: frame.plane(1), uStride: frame.strideBytes(1),
            v: frame.plane(2), vStride: frame.strideBytes(2))
    }
}
