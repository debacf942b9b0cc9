import SessionTestSupport
import TestSupport
import Testing

extension StderrTailTests {
    @Test func `the last output of a Swift plugin is the message of its fatalError`()
        throws
    {
        let session = try FileSession(
            "camera: \(FileSession.library(try TestPlugins.fatal()))", maximum: "64x36@30",
            duration: "2s", clock: "virtual", isolation: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let losses = try report.plugin("camera").losses ?? []
        #expect(!losses.isEmpty, "\(run)")
        for loss in losses {
            #expect(loss.evidence.contains("Fatal error: the shutter is stuck"), "\(run)")
            #expect(loss.evidence.contains("fatal.so("), "where it was:\n\(run)")
        }
    }
}
