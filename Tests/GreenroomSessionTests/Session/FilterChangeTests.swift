import Foundation
import GreenroomFiles
import GreenroomMedia
import GreenroomModel
import Testing

@testable import GreenroomSession

/// Filters whose frames change their size while the session runs.
@Suite struct FilterChangeTests {
    private static let full = FrameSize(width: 320, height: 180)
    private static let low = FrameSize(width: 160, height: 90)
    private static let portrait = FrameSize(width: 100, height: 180)

    /// A camera for 2 s, under a ceiling from 400 ms on.
    private func lowered(_ filter: FakeSource) throws -> InProcessSession.Result {
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), filters: [filter.plan(.preProcessor)],
            milliseconds: 2000)
        session.plan.configuration.timeline = [
            TimelineEntry(
                time: .milliseconds(400),
                command: .ceiling(.camera, VideoCapability(width: 160, height: 90, fps: 15)),
                origin: "test")
        ]
        return try session.run()
    }

    @Test(arguments: [true, false])
    func `a filter follows a ceiling without a restart`(editsCopies: Bool) throws {
        let filter = FakeSource(.init(follows: true, editsCopies: editsCopies))
        let result = try lowered(filter)
        #expect(filter.calls["create"] == 1 && filter.calls["initialize"] == 1)
        #expect(filter.calls["property-change"] == 1)
        let changed = try #require(filter.edited.firstIndex(of: Self.low))
        #expect((6...7).contains(changed) && filter.edited.count >= 30)
        #expect(filter.edited[..<changed].allSatisfy { $0 == Self.full })
        #expect(filter.edited[changed...].allSatisfy { $0 == Self.low })
        let picture = try #require(result.picture("camera"))
        #expect(picture.carried == filter.edited.count && picture.unedited == 0)
        let plugin = try #require(result.plugin("camera.pre-processors[0]"))
        #expect(plugin.offer?.revision == 2 && plugin.offer?.suggested == "160x90@15")
        #expect(plugin.callbacks["property-change"]?.calls == 1)
        // The recording keeps its size.
        #expect(try Y4MReader(path: "\(result.recording)/camera.y4m").format.size == Self.full)
    }

    @Test func `a filter without a property change gets frames of one size`() throws {
        let filter = FakeSource()
        let result = try lowered(filter)
        #expect(filter.calls["property-change"] == nil)
        #expect(filter.edited.count >= 30 && Set(filter.edited) == [Self.full])
        #expect(result.failures.isEmpty && result.picture("camera")?.unedited == 0)
    }

    @Test func `the log names a filter that refuses a new size, and the filter continues`() throws {
        let filter = FakeSource(
            .init(failing: ("property-change", .failed, "the lens is glued on"), follows: true))
        let result = try lowered(filter)
        #expect(
            result.failures
                == ["camera.pre-processors[0]: property-change FAILED: the lens is glued on"])
        #expect(filter.calls["property-change"] == 1 && filter.calls["create"] == 1)
        #expect(filter.edited.count >= 30 && Set(filter.edited) == [Self.full])
        #expect(result.picture("camera")?.unedited == 0)
    }

    @Test(arguments: [true, false])
    func `a turned share is recorded in its new shape if all its filters follow`(
        editsCopies: Bool
    ) throws {
        let share = FakeSource(
            .init(
                answer: (kind: 3, width: 100, height: 180, fps: 15),
                size: { $0 < 30 ? Self.portrait : Self.full }))
        let filters = [
            FakeSource(.init(follows: true, editsCopies: editsCopies)),
            FakeSource(.init(follows: true)),
        ]
        var session = try InProcessSession(share: share.plan(.shareSource), milliseconds: 4000)
        session.plan.slots[0].filters = filters.map { $0.plan(.preProcessor) }
        let result = try session.run()
        let sizes =
            [FrameSize](repeating: Self.portrait, count: 30)
            + [FrameSize](repeating: Self.full, count: 30)
        for filter in filters {
            #expect(Array(filter.edited.prefix(60)) == sizes)
            #expect(filter.calls["create"] == 1 && filter.calls["property-change"] == 1)
        }
        let second = try Y4MReader(path: session.recorded("share-2.y4m"))
        #expect(second.format.size == Self.full && second.frameCount == 30)
        // No bars: the filters' luma reaches the corners.
        let bytes = try Data(contentsOf: URL(filePath: session.recorded("share-2.y4m")))
        let last = bytes.suffix(Self.full.area * 3 / 2)
        #expect(last.first == FakeSource.mark)
        #expect(result.picture("share")?.outputs.first?.bars == nil)
    }

    @Test func `a filter that does not follow keeps the old size for all filters`() throws {
        let share = FakeSource(
            .init(
                answer: (kind: 3, width: 100, height: 180, fps: 15),
                size: { $0 < 30 ? Self.portrait : Self.full }))
        let filters = [
            FakeSource(.init(follows: true)),
            FakeSource(.init(failing: ("property-change", .unsupported, ""), follows: true)),
        ]
        var session = try InProcessSession(share: share.plan(.shareSource), milliseconds: 4000)
        session.plan.slots[0].filters = filters.map { $0.plan(.preProcessor) }
        let result = try session.run()
        let only = try Y4MReader(path: session.recorded("share.y4m"))
        #expect(only.format.size == Self.portrait && only.frameCount == 60)
        #expect(!FileManager.default.fileExists(atPath: session.recorded("share-2.y4m")))
        #expect(filters[1].edited.count >= 60 && Set(filters[1].edited) == [Self.portrait])
        // It was asked first, and told back.
        #expect(filters[0].edited == filters[1].edited)
        #expect(filters[0].calls["property-change"] == 2)
        #expect(result.failures.isEmpty)
        #expect(result.picture("share")?.outputs.first?.bars?.size == "320x180")
    }
}
