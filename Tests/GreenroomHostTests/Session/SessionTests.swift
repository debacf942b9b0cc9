import Glibc
import GreenroomMedia
import Synchronization
import Testing

@testable import GreenroomHost

@Suite struct SessionTests {
    @Test func `the C camera is recorded`() throws {
        let locator = PluginLocator(executable: "/none/greenroom", pluginPath: nil)
        let (library, descriptor) = try locator.find(
            "/tmp/ccamera.so", kind: .videoSource, relativeTo: "/")
        var plan = SessionPlan(name: "walk")
        plan.maximum = VideoCapability(width: 1280, height: 720, fps: 30)
        plan.camera = SourcePlan(library: library, descriptor: descriptor, settings: [])
        plan.durationNanoseconds = 2_000_000_000
        plan.outputs = [.record(folder: "/tmp/walk", picture: PictureWant(), overwrite: true)]
        let session = Session(plan: plan) { print($0) }
        let report = try session.run()
        print(report)
        #expect(report.outcome == "finished")
    }
}
