import GreenroomMedia
import GreenroomPlugin
import Synchronization

/// The media that a session's tracks have carried.
final class MediaCollection: Sendable {
    private struct State {
        var frames: [String: [TestFrame]] = [:]
        var samples: [String: [Int16]] = [:]
    }

    private static let all = Mutex((next: Int64(1), collections: [Int64: MediaCollection]()))

    private let state = Mutex(State())

    /// Makes a collection that a ``MediaCollector`` finds by its number, until ``remove(_:)``.
    static func make() -> (number: Int64, collection: MediaCollection) {
        all.withLock { all in
            let (number, collection) = (all.next, MediaCollection())
            all.next += 1
            all.collections[number] = collection
            return (number, collection)
        }
    }

    static func find(_ number: Int64) -> MediaCollection? {
        all.withLock { $0.collections[number] }
    }

    static func remove(_ number: Int64) { all.withLock { $0.collections[number] = nil } }

    func add(_ frame: TestFrame, of track: String) {
        state.withLock { $0.frames[track, default: []].append(frame) }
    }

    func add(_ samples: Span<Int16>, of track: String) {
        state.withLock { state in
            for index in samples.indices {
                state.samples[track, default: []].append(samples[index])
            }
        }
    }

    func takeFrames(of track: String) -> [TestFrame] {
        state.withLock { $0.frames.removeValue(forKey: track) ?? [] }
    }

    func takeSamples(of track: String) -> [Int16] {
        state.withLock { $0.samples.removeValue(forKey: track) ?? [] }
    }
}

/// The output of a test session that collects every track.
struct MediaCollector: Output {
    static let plugin = PluginDescription(
        id: "io.greenroom.testing.collector", name: "MediaCollector", version: "1.0.0",
        summary: "Collects every track for a test")

    struct Settings: PluginSettings {
        var collection = 0

        static let table: [Setting<Self>] = [
            .integer("collection", \.collection, in: 0...Int(Int32.max))
        ]
    }

    private let collection: MediaCollection?

    init(settings: Settings, host: PluginHost) {
        collection = MediaCollection.find(Int64(settings.collection))
    }

    func onTrack(_ track: Track) -> TrackWant? {
        track.kind.isVideo
            ? .video(VideoTrackWant(format: .i420, pace: .complete)) : .audio()
    }

    func onVideo(_ frame: borrowing OutputFrame) {
        collection?.add(TestFrame(copying: frame), of: frame.track.name)
    }

    func onAudio(_ block: borrowing OutputBlock) {
        collection?.add(block.samples, of: block.track.name)
    }
}
