import SessionTestSupport
import TestSupport
import Testing

/// Images whose pixels would not fit into the memory of an isolated plugin.
@Suite(.ownThreads) struct LargeImageTests {
    @Test(.enabled(if: Oracle.isPresent), arguments: ["jpg", "png"])
    func `a slide of 48 megapixels is shown by a process of 100 MB`(kind: String) throws {
        let folder = try TemporaryFolder()
        let picture = folder("large.\(kind)")
        _ = try Oracle.ffmpeg(
            "-f", "lavfi", "-i", "color=0xC02060:s=8000x6000", "-frames:v", "1", picture)
        let session = try FileSession(
            "share: { plugin: Slides, settings: { path: \(picture) }, memory-limit: 100 MB }",
            maximum: "640x360@5", duration: "1s", deadline: "30s", clock: "virtual",
            isolation: "process")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.report()
        #expect(report.plugins.allSatisfy { ($0.losses ?? []).isEmpty })
        // In the picture's own shape, so that there is no bar in the corner.
        let film = "\(session.recording)/share.y4m"
        let pixels = try Oracle.ffmpeg(
            "-i", film, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
        try #require(pixels.count == 3 * 480 * 360)
        for corner in [0, pixels.count - 3] {
            let pixel = pixels[corner..<corner + 3].map(Int.init)
            #expect(zip(pixel, [0xC0, 0x20, 0x60]).allSatisfy { abs($0 - $1) <= 4 }, "\(pixel)")
        }
    }
}
