import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomSession

/// Captions and complete files of plugins, on the virtual clock.
@Suite(.ownThreads) struct CaptionTests {
    /// A session of a camera with an output.
    private func session(_ outputs: [FakeOutput]) throws -> InProcessSession {
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), milliseconds: 1000)
        for output in outputs {
            session.plan.outputs[session.plan.configuration.outputs.count] = output.plan()
            session.plan.configuration.outputs.append(
                SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        }
        return session
    }

    @discardableResult
    private static func send(
        _ text: String, speaker: String?, from start: Int64, to end: Int64, _ output: FakeOutput
    ) -> Status {
        func add(_ speaker: UnsafePointer<CChar>?) -> gr_status {
            text.withCString { text in
                var caption = gr_caption(
                    struct_size: UInt32(MemoryLayout<gr_caption>.size), reserved: 0,
                    speaker: speaker, text: text, start_ns: start, end_ns: end)
                return HostInterface.captions.pointee.add(output.handle, &caption)
            }
        }
        return Status(rawValue: speaker?.withCString(add) ?? add(nil))
    }

    @Test func `recordings and outputs get a caption without a grant`() throws {
        let heard = Mutex<[String]>([])
        let start = Mutex<Int64>(0)
        let speaker = FakeOutput(
            .init(onVideo: { output, frame in
                let time = frame.frame.info.pts_ns
                if frame.index == 0 { start.withLock { $0 = time } }
                guard frame.index == 3 else { return }
                Self.send("Hello <all>", speaker: "Ana", from: time, to: time + 500_000_000, output)
            }))
        let reader = FakeOutput(
            .init(onEvent: { _, json in
                heard.withLock { $0.append(json) }
            }))
        let result = try session([speaker, reader]).run()
        let events = heard.withLock { $0 }
        let event = try #require(events.first)
        #expect(events.count == 1)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(event.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "caption" && object["speaker"] as? String == "Ana")
        #expect(object["text"] as? String == "Hello <all>")
        #expect(object["start"] as? Double == 0.2 && object["end"] as? Double == 0.7)
        let file = try String(contentsOfFile: "\(result.recording)/captions.vtt", encoding: .utf8)
        #expect(
            file == "WEBVTT\n\n00:00:00.200 --> 00:00:00.700\n<v Ana>Hello &lt;all&gt;\n\n")
        #expect(
            result.events.contains {
                if case .fileFinished(_, let file) = $0 {
                    file.hasSuffix("/captions.vtt")
                } else {
                    false
                }
            })
    }

    @Test func `a session without captions has no caption file`() throws {
        let result = try session([]).run()
        #expect(!FileManager.default.fileExists(atPath: "\(result.recording)/captions.vtt"))
    }

    @Test func `a wrong caption is refused with its rule`() throws {
        let statuses = Mutex<[Status]>([])
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                let time = frame.frame.info.pts_ns
                let minute: Int64 = 60_000_000_000
                let answers = [
                    Self.send("", speaker: nil, from: time, to: time, output),
                    Self.send(
                        String(repeating: "x", count: 1001), speaker: nil, from: time, to: time,
                        output),
                    Self.send("x", speaker: nil, from: time, to: time - 1, output),
                    Self.send("x", speaker: nil, from: time, to: time + minute + 1, output),
                    Self.send("x", speaker: nil, from: -1, to: 1, output),
                    Self.send(
                        String(repeating: "x", count: 1000), speaker: nil, from: time,
                        to: time + minute, output),
                ]
                statuses.withLock { $0 = answers }
            }))
        _ = try session([output]).run()
        #expect(
            statuses.withLock { $0 }
                == [Status](repeating: .badArgument, count: 5) + [.ok])
    }

    @Test func `an output can report an existing absolute file, and no other path`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("talk.mkv", "x")
        symlink(file, folder("link"))
        let paths = [file, folder("missing"), folder.path, folder("link"), "talk.mkv"]
        let statuses = Mutex<[Status]>([])
        let output = FakeOutput(
            .init(onVideo: { output, frame in
                guard frame.index == 3 else { return }
                let answers = paths.map { path in
                    Status(rawValue: HostInterface.files.pointee.finished(output.handle, path))
                }
                statuses.withLock { $0 = answers }
            }))
        let result = try session([output]).run()
        #expect(
            statuses.withLock { $0 }
                == [.ok] + [Status](repeating: .badArgument, count: 4))
        let named = result.events.compactMap { event -> String? in
            if case .fileFinished("outputs[1]", let file) = event { file } else { nil }
        }
        #expect(named == [file])
    }
}
