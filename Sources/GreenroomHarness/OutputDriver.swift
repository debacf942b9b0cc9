import GreenroomABI
package import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomVideo

/// Passes synthetic media to an output plugin while it is started, through the sinks of a session.
///
/// Each wanted video track receives black frames, new frames, repeated frames and slates in turn.
/// Each wanted audio track receives audio whose last block is short. All times are on the harness's
/// clock.
final class OutputDriver: Sendable {
    /// The default size and rate of the tracks.
    static let ordinary = VideoCapability(width: 640, height: 360, fps: 30)

    /// The tracks of a session with all kinds of tracks.
    ///
    /// - Parameter kind: The plugin's kind. A call also receives a mix-minus; a composer receives
    ///   no stage.
    static func tracks(
        _ capability: VideoCapability, for kind: PluginKind = .output
    ) -> [OutputTrack] {
        let mix = OutputTrack(
            id: 99, kind: UInt32(GR_TRACK_MIX_MINUS), name: "ana-mix-minus", capability: nil,
            participant: OutputTrack.Participant(number: 99, name: "Ana"))
        let tracks = SessionTrack.allCases.filter {
            !(kind.isComposer && $0.role?.composes ?? false)
        }
        return tracks.map { track in
            OutputTrack(
                id: track.id, kind: track.kind, name: track.name,
                capability: track.medium == .video ? capability : nil)
        } + (kind.isCall ? [mix] : [])
    }

    /// A stretch of audio, in frames of 48 kHz: 10 ms.
    private static let stretch = 480
    /// The last stretch, in frames of 48 kHz, which does not fill a block.
    private static let lastStretch = 337
    /// The number of periods after which a late track skips to a later period, as in a session's
    /// queue.
    private static let queuedPeriods: Int64 = 8

    /// The frames of a track in the wanted format and size.
    private struct TestFrames {
        let moving: [TestFrame]
        let black: TestFrame
        let slate: TestFrame

        init?(_ format: PixelFormat, _ size: FrameSize) {
            let pool = FramePool(limit: 6)
            var moving: [TestFrame] = []
            for number in 0..<4 {
                guard var frame = pool.take(format, size) else { return nil }
                frame.info.color = format.isRGB ? frame.info.color : .bt709Limited
                frame.fillWithRamp(number: number)
                moving.append(TestFrame(frame))
            }
            guard let black = pool.takeBlack(format, size, .limited),
                var slate = pool.take(format, size)
            else { return nil }
            slate.fillWithRamp(number: 40)
            self.moving = moving
            self.black = TestFrame(black)
            self.slate = TestFrame(slate)
        }

        /// The first kind of frame to which the plugin wrote; nil if none.
        var written: String? {
            if moving.contains(where: \.isWritten) { return "a frame of the source" }
            if black.isWritten { return "a black frame" }
            return slate.isWritten ? "a slate" : nil
        }
    }

    /// A frame to which no plugin may write.
    private final class TestFrame: Sendable {
        let frame: VideoFrame
        private let digest: UInt64

        init(_ frame: consuming VideoFrame) {
            digest = frame.digest
            self.frame = frame
        }

        var isWritten: Bool { frame.digest != digest }
    }

    /// A video track of a run.
    private final class VideoRun {
        let sink: PluginVideoSink
        let rate: FrameRate
        let frames: TestFrames
        private var index: Int64 = 0
        private var last = 0

        init(sink: PluginVideoSink, rate: FrameRate, frames: TestFrames) {
            self.sink = sink
            self.rate = rate
            self.frames = frames
        }

        var due: Int64 { rate.dueNanoseconds(ofFrame: index) }

        func write() {
            let place = index % 24
            let content: FramePeriods.Content =
                switch place {
                case 0, 1, 14, 15: .black
                case 18, 19, 20: .slate
                default: place % 3 == 1 && place != 16 ? .repeated : .new
                }
            if content == .new { last = (last + 1) % frames.moving.count }
            let shown =
                switch content {
                case .black: frames.black
                case .slate: frames.slate
                case .new, .repeated: frames.moving[last]
                }
            // Pass one frame for two periods, as for a slow source.
            let count = place == 23 ? 2 : 1
            // The sink throws if the session continues without the plugin, which never happens
            // here.
            try? sink.write(
                shown.frame, for: FramePeriods(first: index, count: count, content: content))
            index += Int64(count)
        }

        /// Skips periods that do not fit into a session's queue.
        func catchUp(to nanoseconds: Int64) {
            while rate.dueNanoseconds(ofFrame: index + queuedPeriods) < nanoseconds { index += 1 }
        }
    }

    private struct State {
        var isStopping = false
        /// A description of the frame to which the plugin wrote; nil if none.
        var written: String?
    }

    private final class Run: Sendable {
        let state = Monitor(State())
        let thread: HostThread
        let audioSinks: [PluginAudioSink]

        init(
            _ feed: OutputFeed, _ instance: PluginInstance, _ capability: VideoCapability,
            on clock: SessionClock
        ) {
            let epoch = clock.now
            feed.begin(epoch: epoch)
            let wants = feed.wants
            let audio = PluginAudioThread(feed, instance, clock: clock)
            let audioSinks = wants.compactMap { track, want -> PluginAudioSink? in
                guard case .audio(let want) = want else { return nil }
                return audio.sink(of: track.id, want: want)
            }
            self.audioSinks = audioSinks
            let state = state
            thread = HostThread(
                name: "media", clock: clock,
                as: ClockOrder(
                    part: .output, number: 10 * instance.number, owner: instance.number)
            ) {
                let written = OutputDriver.pass(
                    wants, feed, instance, capability, to: audioSinks, from: epoch, on: clock,
                    until: state)
                state.change { $0.written = written }
            }
        }
    }

    private let feed: OutputFeed
    private let instance: PluginInstance
    private let clock: SessionClock
    private let run = Monitor<Run?>(nil)
    private let found = Monitor<String?>(nil)

    init(_ feed: OutputFeed, _ instance: PluginInstance, clock: SessionClock) {
        self.feed = feed
        self.instance = instance
        self.clock = clock
    }

    /// A description of the frames to which the plugin wrote so far; nil if none. An isolated
    /// plugin receives copies.
    var written: String? { found.withLock { $0 } }

    /// Starts to pass media.
    func start(_ capability: VideoCapability) {
        stop()
        let begun = Run(feed, instance, capability, on: clock)
        run.withLock { $0 = begun }
    }

    /// Passes the remaining media. Returns when the plugin has received it, or hangs.
    func stop() {
        guard let run = run.withLock({ $0.take() }) else { return }
        run.state.change { $0.isStopping = true }
        // The clock stands still unless a call of the plugin waits for it.
        let soon = clock.host.deadline(after: 2_000_000_000)
        if !run.thread.join(until: soon, on: clock.host) {
            clock.idling {
                _ = run.thread.join(
                    until: clock.host.deadline(after: 3_000_000_000), on: clock.host)
            }
        }
        for sink in run.audioSinks {
            sink.finish(until: clock.host.deadline(after: 2_000_000_000))
        }
        if let written = run.state.withLock({ $0.written }) {
            found.withLock { $0 = $0 ?? written }
        }
    }

    /// The thread of a run.
    ///
    /// - Returns: A description of the frame to which the plugin wrote; nil if none.
    private static func pass(
        _ wants: [(track: OutputTrack, want: TrackRequest)], _ feed: OutputFeed,
        _ instance: PluginInstance, _ capability: VideoCapability,
        to audioSinks: [PluginAudioSink], from epoch: Int64, on clock: SessionClock,
        until state: Monitor<State>
    ) -> String? {
        let camera = video("camera", wants, feed, instance, capability)
        let share = video("share", wants, feed, instance, capability)
        var samples = [Int16](repeating: 0, count: stretch * 2)
        var stretches: Int64 = 0
        while true {
            let audio = audioSinks.isEmpty ? Int64.max : stretches * 10_000_000
            let due = min(camera?.due ?? .max, share?.due ?? .max, audio)
            let isOver: Bool? = clock.wait(
                for: state, until: due == .max ? nil : epoch + due
            ) { $0.isStopping ? true : nil }
            if isOver == true { break }
            if due == audio {
                fill(&samples, at: stretches)
                for sink in audioSinks { sink.write(samples.span) }
                for sink in audioSinks { sink.wake() }
                stretches += 1
            }
            if camera?.due == due { camera?.write() }
            if share?.due == due { share?.write() }
            let late = clock.now - epoch
            camera?.catchUp(to: late)
            share?.catchUp(to: late)
        }
        fill(&samples, at: stretches)
        for sink in audioSinks { sink.write(samples.span.extracting(..<(lastStretch * 2))) }
        let written = [camera?.frames.written, share?.frames.written]
        try? camera?.sink.finish()
        try? share?.sink.finish()
        let names = ["camera", "share"]
        return zip(written, names).lazy.compactMap { written, name in
            written.map { "\($0) of the track \(name)" }
        }.first
    }

    /// The run of a video track; nil if the plugin does not want the track or there is too little
    /// memory.
    private static func video(
        _ name: String, _ wants: [(track: OutputTrack, want: TrackRequest)], _ feed: OutputFeed,
        _ instance: PluginInstance, _ capability: VideoCapability
    ) -> VideoRun? {
        guard let (track, want) = wants.first(where: { $0.track.name == name }),
            case .video(let want) = want,
            let frames = TestFrames(want.format, want.video.size ?? capability.size)
        else { return nil }
        let rate = want.video.rate ?? capability.rate
        return VideoRun(
            sink: PluginVideoSink(
                feed, instance, track: track.id, rate: rate, isComplete: want.isComplete),
            rate: rate, frames: frames)
    }

    /// Fills both channels with a tone that changes with each stretch.
    private static func fill(_ samples: inout [Int16], at stretch: Int64) {
        let step = 5 + Int(stretch % 7)
        for frame in 0..<(samples.count / 2) {
            let value = Int16(frame * step % 200 * 60 - 6000)
            samples[2 * frame] = value
            samples[2 * frame + 1] = value / 2
        }
    }
}

extension VideoFrame {
    /// Fills a frame of an uncompressed format with varied content.
    package mutating func fillWithRamp(number: Int) {
        for index in 0..<planeCount {
            let geometry = format.plane(index, of: size)
            let ramp = (0..<geometry.rowBytes + 220).map { UInt8(16 + $0 % 220) }
            var bytes: [UInt8] = []
            for row in 0..<geometry.rows {
                bytes += ramp[((3 * row + 7 * number) % 220)...].prefix(geometry.rowBytes)
            }
            bytes.withUnsafeBytes { source in
                guard let first = source.baseAddress else { return }
                // This cannot fail: the frame has the right size.
                try? copyPlane(
                    index, from: first, strideBytes: geometry.rowBytes, byteCount: source.count)
            }
        }
    }

    /// A digest of all visible bytes, computed in words of 8 bytes.
    package var digest: UInt64 {
        var digest = ContentDigest()
        for index in 0..<planeCount {
            let geometry = format.plane(index, of: size)
            let (bytes, stride) = (plane(index), strideBytes(index))
            guard !format.isCompressed else {
                for place in 0..<byteCount(index) {
                    digest.add(UInt64(bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)))
                }
                continue
            }
            for row in 0..<geometry.rows {
                var place = row * stride
                let end = place + geometry.rowBytes
                while place + 8 <= end {
                    digest.add(
                        bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
                    place += 8
                }
                while place < end {
                    digest.add(UInt64(bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)))
                    place += 1
                }
            }
        }
        return digest.value
    }
}
