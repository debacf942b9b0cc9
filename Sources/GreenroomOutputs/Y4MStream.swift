import GreenroomSystem
package import GreenroomNegotiation
package import GreenroomConversion
import GreenroomFiles
import GreenroomMedia
package import GreenroomModel
import GreenroomRuntime
package import GreenroomVideo
import Synchronization

/// A track's video as Y4M on an open descriptor, for a viewer.
///
/// The stream outlives a session. The next session continues with the first session's size and
/// rate, which are in the stream's header.
package final class Y4MStream: Sendable {
    /// The name in errors.
    let name: String
    private let descriptor: Int32
    /// The writer. A session's branch may still write when the next session starts, if it did not
    /// finish in time.
    private let writer = Monitor<Y4MWriter?>(nil)

    /// Creates a stream that has no header yet.
    ///
    /// - Parameters:
    ///   - descriptor: A descriptor for writing. It must stay open while the stream is in use.
    ///   - name: The name in errors.
    package init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    /// Starts a session's part of the stream. The first session writes the header.
    ///
    /// - Parameter capability: The session's capability.
    /// - Returns: The capability to write.
    func begin(_ capability: VideoCapability) throws(OutputError) -> VideoCapability {
        do throws(FileError) {
            return try writer.withLock { writer throws(FileError) in
                let format = writer?.format ?? Y4MFormat(capability, VideoSinkWant())
                if writer == nil {
                    writer = try Y4MWriter(descriptor: descriptor, name: name, format: format)
                }
                return VideoCapability(size: format.size, rate: format.rate)
            }
        } catch {
            throw OutputError(place: name, explanation: "\(error.rule); \(error.cure)")
        }
    }
}

extension Y4MStream: VideoSink {
    package var pace: OutputPace { .onSchedule }

    package func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
        for _ in 0..<periods.count {
            try writer.withLock { writer throws(FileError) in
                try writer?.write(frame)
            }
        }
    }

    /// Does nothing, because the next session continues the stream.
    package func finish() {}
}

/// Writes a track to a stream that outlives the session.
package struct Y4MStreamOutput: HostOutput {
    package var stream: Y4MStream
    package var track: VideoTrackKind

    /// Describes the output.
    package init(_ stream: Y4MStream, track: VideoTrackKind) {
        self.stream = stream
        self.track = track
    }

    /// Returns a want for the unchanged track.
    package func want(of track: VideoTrackKind) -> VideoSinkWant? {
        track == self.track ? VideoSinkWant() : nil
    }

    package func open(in session: inout OutputBuilder) throws(OutputError) {
        guard let agreed = session.capability(of: track) else {
            throw OutputError(
                place: stream.name,
                explanation: "the session has no \(track.rawValue) to write.")
        }
        let lasting = try stream.begin(
            VideoCapability(
                size: agreed.size, rate: max(agreed.rate, OutputBuilder.slowestLive)))
        session.connect(
            stream, to: track, name: stream.name, want: VideoSinkWant(), capability: lasting)
    }
}
