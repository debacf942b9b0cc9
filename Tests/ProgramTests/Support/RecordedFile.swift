import Foundation
import SessionTestSupport
import TestSupport

/// A media file, as ffprobe decodes it from its first to its last frame.
struct RecordedFile {
    struct Stream {
        var codec: String
        /// The name of the track.
        var name: String
        var isDefault: Bool
        /// When each decoded frame is shown or heard, in seconds.
        var times: [Double] = []
        /// The end of the last one.
        var end = 0.0
        /// Of audio: the decoded samples of each channel.
        var samples = 0
    }

    var path: String
    var streams: [Stream]
    /// As the file says; nil if it does not.
    var duration: Double?

    /// The stream of a track.
    func stream(_ name: String) throws -> Stream {
        guard let stream = streams.first(where: { $0.name == name }) else {
            throw Failure("\(path): no track \(name) among \(streams.map(\.name))")
        }
        return stream
    }

    private struct Probe: Decodable {
        struct Stream: Decodable {
            var codecName: String
            var disposition: [String: Int]
            var tags: [String: String]?
        }
        struct Frame: Decodable {
            var streamIndex: Int
            var ptsTime: String?
            var pktDurationTime: String?
            var nbSamples: Int?
        }
        struct Format: Decodable {
            var duration: String?
        }
        var streams: [Stream]
        var frames: [Frame]
        var format: Format
    }

    /// - Throws: If ffprobe reports any error.
    init(_ path: String) throws {
        self.path = path
        let run = try ChildProcess.run(
            "ffprobe",
            [
                "-v", "error", "-show_streams", "-show_format", "-show_entries",
                "frame=stream_index,pts_time,pkt_duration_time,nb_samples", "-of", "json", path,
            ])
        guard run.exit == .code(0), run.standardError.isEmpty else { throw Failure("\(run)") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let probe = try decoder.decode(Probe.self, from: Data(run.standardOutput))
        streams = probe.streams.map { stream in
            Stream(
                codec: stream.codecName,
                name: stream.tags?["title"] ?? stream.tags?["handler_name"] ?? "",
                isDefault: stream.disposition["default"] == 1)
        }
        for frame in probe.frames {
            guard let time = frame.ptsTime.flatMap(Double.init) else { continue }
            let samples = frame.nbSamples ?? 0
            let length =
                samples > 0
                ? Double(samples) / 48_000 : frame.pktDurationTime.flatMap(Double.init) ?? 0
            streams[frame.streamIndex].times.append(time)
            streams[frame.streamIndex].samples += samples
            streams[frame.streamIndex].end = time + length
        }
        duration = probe.format.duration.flatMap(Double.init)
    }

    /// Decodes everything, as a player does.
    ///
    /// - Throws: If ffmpeg reports any error.
    func play() throws {
        let run = try ChildProcess.run(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0", "-f", "null", "-"])
        guard run.exit == .code(0), run.standardError.isEmpty else { throw Failure("\(run)") }
    }

    /// The checksum of each decoded frame, and of the audio.
    func checksums() throws -> String {
        let run = try ChildProcess.run(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0", "-f", "framemd5", "-"])
        guard run.exit == .code(0), run.standardError.isEmpty else { throw Failure("\(run)") }
        return run.text
    }

    /// The mean luma of the image at a time.
    func luma(_ stream: Int, at seconds: Double) throws -> Double {
        let run = try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-ss", "\(seconds)", "-map", "0:v:\(stream)",
                "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", "-",
            ])
        guard run.exit == .code(0), !run.standardOutput.isEmpty else { throw Failure("\(run)") }
        return Double(run.standardOutput.reduce(0) { $0 + Int($1) })
            / Double(run.standardOutput.count)
    }
}
