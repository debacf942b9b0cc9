import SessionTestSupport
import TestSupport

/// Two seconds of ColorBars, which number their frames, and a beep at each full second. ffmpeg makes files of it.
struct CounterFilm {
    static let frames = 60
    static let seconds = 2.0

    private let folder: TemporaryFolder
    private let video: String
    private let audio: String

    init() throws {
        folder = try TemporaryFolder()
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars", "pattern: grey, format: i420, ball: false"))",
            maximum: "320x180@30", duration: "2s", clock: "virtual",
            table: "[320x180@30]")
        let run = try session.run()
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        video = folder("counter.y4m")
        audio = folder("beep.wav")
        _ = try Self.succeed("cp", [session.recording + "/camera.y4m", video])
        _ = try Self.succeed(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "aevalsrc=if(lt(mod(t\\,1)\\,0.1)\\,0.5*sin(2*PI*1000*t)\\,0):s=48000:d=2", audio,
            ])
    }

    /// Makes a file of the film.
    ///
    /// - Parameters:
    ///   - options: Of ffmpeg, for the output.
    ///   - inputs: Other inputs than video and audio.
    func make(_ name: String, _ options: [String], inputs: [String]? = nil) throws -> String {
        let file = folder(name)
        let inputs = inputs ?? ["-i", video, "-i", audio]
        _ = try Self.succeed("ffmpeg", ["-v", "error", "-y"] + inputs + options + [file])
        return file
    }

    /// The path of a file beside those that are made.
    func path(_ name: String) -> String { folder(name) }

    var folderPath: String { folder.path }

    func write(_ name: String, _ text: String) throws -> String { try folder.write(name, text) }

    private static func succeed(_ program: String, _ arguments: [String]) throws -> Finished {
        let run = try ChildProcess.run(program, arguments)
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        return run
    }
}

extension FileSession {
    /// The numbers of the film's frames in a recording; nil for one without a number.
    func counters(_ track: String = "camera") throws -> [Int?] {
        let recording = try picture(track)
        return try (0..<recording.frameCount).map { BurntInCode(try recording.frame($0))?.index }
    }

    /// The times of the film's beeps in a recording.
    func beeps(_ track: String = "camera") throws -> [Double] {
        try FlashAndBeep.beeps(in: "\(recording)/\(track).wav")
    }
}
