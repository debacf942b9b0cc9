import Foundation
import TestSupport

/// The output of `ffprobe` for a file.
package struct FFProbe: Decodable {
    package struct Stream: Decodable {
        package var codecType: String
        package var codecName: String
        package var width: Int?
        package var height: Int?
        package var pixelFormat: String?
        package var colorRange: String?
        package var frameRate: String?
        package var frameCount: String?
        package var sampleRate: String?
        package var channels: Int?

        package enum CodingKeys: String, CodingKey {
            case codecType = "codec_type"
            case codecName = "codec_name"
            case width
            case height
            case pixelFormat = "pix_fmt"
            case colorRange = "color_range"
            case frameRate = "r_frame_rate"
            case frameCount = "nb_read_frames"
            case sampleRate = "sample_rate"
            case channels
        }
    }

    package var streams: [Stream]

    /// Reads a file to its end, frame by frame.
    ///
    /// - Throws: If ffprobe reports any error.
    package init(_ path: String) throws {
        let run = try ChildProcess.run(
            "ffprobe",
            ["-v", "warning", "-count_frames", "-show_streams", "-of", "json", "-i", path])
        guard run.exit == .code(0), run.standardError.isEmpty else { throw Failure("\(run)") }
        try self.init(json: run.standardOutput)
    }

    /// Decodes the output of `ffprobe -show_streams -of json`.
    package init(json: [UInt8]) throws {
        self = try JSONDecoder().decode(FFProbe.self, from: Data(json))
    }
}
