import Glibc
import TestSupport

/// Small media files for plugins that read them, created by ffmpeg.
package struct TestMedia {
    private let folder: TemporaryFolder

    /// Two seconds of moving video, 320x180 at 30 frames a second.
    package var footage: String { folder("footage.y4m") }
    /// A red square that is half transparent.
    package var logo: String { folder("logo.png") }
    /// Two seconds of a sweep in mono at 22050 Hz.
    package var voice: String { folder("voice.wav") }
    /// Four pictures of several sizes, one of them upright.
    package var slides: String { folder("slides") }
    /// A JPEG picture of 160x90 pixels.
    package var photo: String { folder("photo.jpg") }

    package init() throws {
        folder = try TemporaryFolder()
        try make("testsrc=size=320x180:rate=30:duration=2", ["-pix_fmt", "yuv420p"], footage)
        try make("color=red@0.5:size=40x40,format=rgba", ["-frames:v", "1"], logo)
        try make("aevalsrc=0.5*sin(2*PI*(200+300*t)*t):s=22050:d=2", [], voice)
        try make("testsrc2=size=160x90", ["-frames:v", "1", "-pix_fmt", "yuvj420p"], photo)
        mkdir(slides, 0o755)
        for (index, size) in ["320x180", "213x160", "90x160", "33x21"].enumerated() {
            let kind = index % 2 == 0 ? "png" : "jpg"
            try make("testsrc2=size=\(size)", ["-frames:v", "1"], "\(slides)/\(index).\(kind)")
        }
    }

    private func make(_ source: String, _ options: [String], _ file: String) throws {
        let run = try ChildProcess.run(
            "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source] + options + ["-y", file])
        guard run.exit == .code(0) else { throw Failure("\(run)") }
    }
}
