import Foundation
import GreenroomFiles
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomVideo
import TestSupport
import Testing

@testable import GreenroomOutputs
@testable import GreenroomSession

/// A share whose shape changes while the session runs.
@Suite(.ownThreads) struct ShareShapeTests {
    private static let portrait = FrameSize(width: 100, height: 180)
    private static let landscape = FrameSize(width: 320, height: 180)
    private static let big = FrameSize(width: 640, height: 360)

    /// A portrait share at 15 fps that changes size at frame 30.
    private func turning(to size: FrameSize) -> FakeSource {
        FakeSource(
            .init(
                answer: (kind: 3, width: 100, height: 180, fps: 15),
                size: { $0 < 30 ? Self.portrait : size }))
    }

    /// The format and the number of frames of a file, and the luma in its corner and its middle at
    /// the end.
    private func read(
        _ path: String
    ) throws -> (size: FrameSize, frames: Int, corner: UInt8, middle: UInt8) {
        let reader = try Y4MReader(path: path)
        let size = reader.format.size
        let data = try Data(contentsOf: URL(filePath: path))
        let frame = size.area + 2 * ((size.width + 1) / 2) * ((size.height + 1) / 2)
        let last = data.suffix(frame)
        let middle = last.startIndex + (size.height / 2) * size.width + size.width / 2
        return (size, reader.frameCount, last[last.startIndex], last[middle])
    }

    @Test(arguments: [Self.landscape, Self.big])
    func `a recording of a turned share continues in a second file of the new size`(
        turned: FrameSize
    ) throws {
        let session = try InProcessSession(
            share: turning(to: turned).plan(.shareSource), milliseconds: 4000)
        let result = try session.run()
        let first = try read(session.recorded("share.y4m"))
        let second = try read(session.recorded("share-2.y4m"))
        #expect(first.size == Self.portrait && first.frames == 30)
        // In the session's maximum, without bars.
        #expect(second.size == Self.landscape && second.frames == 30)
        #expect(second.corner == second.middle && second.corner > 30)
        let output = try #require(result.picture("share")?.outputs.first)
        #expect(output.size == "100x180" && output.bars == nil)
        #expect(output.pieces?.map(\.size) == ["100x180", "320x180"])
        #expect(output.pieces?.map(\.firstFrame) == [0, 30])
        #expect(result.notes("share").contains { $0.hasPrefix("now 320x180; ") })
        #expect(
            result.report.summary.contains {
                $0.hasSuffix("share-2.y4m is 320x180, from frame 30 on")
            }, "\(result.report.summary)")
    }

    @Test
    func `a share that differs from its answer from the first frame on has one file`() throws {
        let share = FakeSource(
            .init(
                answer: (kind: 3, width: 100, height: 180, fps: 15),
                size: { _ in Self.landscape }))
        let session = try InProcessSession(
            share: share.plan(.shareSource), milliseconds: 2000)
        let result = try session.run()
        let only = try read(session.recorded("share.y4m"))
        #expect(only.size == Self.landscape && only.frames == 30)
        #expect(result.picture("share")?.outputs.first?.size == "320x180")
        #expect(result.picture("share")?.outputs.first?.pieces == nil)
    }

    @Test
    func `a share that changes its size constantly starts at most one file a second`() throws {
        let share = FakeSource(
            .init(
                answer: (kind: 3, width: 320, height: 180, fps: 15),
                size: { FrameSize(width: 320 - 4 * ($0 % 60), height: 180) }))
        let result = try InProcessSession(
            share: share.plan(.shareSource), milliseconds: 4000
        ).run()
        let pieces = try #require(result.picture("share")?.outputs.first?.pieces)
        #expect((3...5).contains(pieces.count), "\(pieces)")
        #expect(result.notes("share").count { $0.contains("follows one change a second") } == 1)
        #expect(result.report.videoTracks.first?.account.real == 60)
    }

    @Test func `a share whose recording followed a smaller size can grow again`() throws {
        let share = FakeSource(
            .init(
                answer: (kind: 3, width: 100, height: 180, fps: 15),
                size: {
                    $0 < 15
                        ? Self.portrait
                        : $0 < 20 ? FrameSize(width: 64, height: 36) : Self.landscape
                }))
        let session = try InProcessSession(share: share.plan(.shareSource), milliseconds: 4000)
        let result = try session.run()
        let pieces = try #require(result.picture("share")?.outputs.first?.pieces)
        #expect(pieces.map(\.size) == ["100x180", "64x36", "320x180"])
        let last = try read(session.recorded("share-3.y4m"))
        #expect((29...30).contains(last.frames) && last.corner == last.middle, "\(last)")
    }

    @Test
    func `later files of an earlier recording are removed with overwrite, else refused`() throws {
        func session(overwrite: Bool) throws -> InProcessSession {
            var session = try InProcessSession(
                share: FakeSource().plan(.shareSource), milliseconds: 400)
            session.plan.configuration.outputs = [
                .record(folder: session.recordingFolder, overwrite: overwrite)
            ]
            try FileManager.default.createDirectory(
                atPath: session.recordingFolder, withIntermediateDirectories: true)
            let later = session.recorded("share-2.y4m")
            #expect(FileManager.default.createFile(atPath: later, contents: Data("old".utf8)))
            return session
        }
        let refusing = try session(overwrite: false)
        #expect(throws: OutputError.self) { try refusing.run() }
        #expect(FileManager.default.fileExists(atPath: refusing.recorded("share-2.y4m")))
        let replacing = try session(overwrite: true)
        #expect(try replacing.run().report.outcome == .finished)
        #expect(!FileManager.default.fileExists(atPath: replacing.recorded("share-2.y4m")))
    }

    @Test func `an output with a fixed size keeps that size`() throws {
        var session = try InProcessSession(
            share: turning(to: Self.landscape).plan(.shareSource), milliseconds: 4000)
        session.plan.configuration.outputs = [
            .record(
                folder: session.recordingFolder,
                video: VideoSinkWant(size: FrameSize(width: 200, height: 180)))
        ]
        let result = try session.run()
        let only = try read(session.recorded("share.y4m"))
        #expect(only.size == FrameSize(width: 200, height: 180) && only.frames == 60)
        #expect(result.notes("share").isEmpty, "\(result.notes("share"))")
    }

    @Test func `bars of a share with filters are reported once`() throws {
        var session = try InProcessSession(
            share: turning(to: Self.landscape).plan(.shareSource), milliseconds: 4000)
        session.plan.slots[0].filters = [FakeSource().plan(.preProcessor)]
        let result = try session.run()
        let only = try read(session.recorded("share.y4m"))
        #expect(only.size == Self.portrait && only.frames == 60)
        let notes = result.notes("share").filter { $0.contains(" with bars: ") }
        #expect(
            notes.count == 1
                && notes[0].hasPrefix("now 320x180, shown in 100x180 with bars: "),
            "\(notes)")
        let output = try #require(result.picture("share")?.outputs.first)
        #expect(output.bars?.size == "320x180" && output.bars?.seconds == 2)
        #expect(
            result.report.summary.contains {
                $0.hasSuffix("at 2.0 s the share was 320x180, shown in 100x180 with bars")
            }, "\(result.report.summary)")
    }
}
