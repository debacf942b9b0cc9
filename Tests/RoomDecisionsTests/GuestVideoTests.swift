import GreenroomMedia
import RoomDecisions
import Testing

/// The times and the size of a guest's video.
@Suite struct GuestVideoTests {
    /// How far the times of frames are from the times at which they are due, in milliseconds, at most; after
    /// the first second. The jitter buffer's times are off by a second.
    ///
    /// - Parameters:
    ///   - places: The frames of a group in the order of decoding, by their places in the order of display.
    ///   - delay: How long the network delays the frame of a number, in milliseconds.
    private func error(
        _ places: [Int], fps: Int = 30, frames: Int = 200, delay: (Int) -> Int = { _ in 20 }
    ) -> Int {
        let period = 90_000 / fps
        // As many frames later than the order of decoding a frame is due at least.
        let shift = places.enumerated().map { $0 - $1 }.max() ?? 0
        var (times, worst) = (FrameTimes(), 0)
        for index in 0..<frames {
            let place = index / places.count * places.count + places[index % places.count]
            let due = (place + shift) * 1000 / fps
            let arrival = index * 1000 / fps + delay(index)
            let timestamp = UInt32(truncatingIfNeeded: place * period + 4_294_900_000)
            // Two packets for each frame.
            for _ in 0..<2 {
                let time = times.time(
                    timestamp: timestamp, arrival: Int64(arrival) * 1_000_000,
                    label: UInt64(due + 1000) * 1_000_000)
                if index > fps { worst = max(worst, abs(Int(time / 1_000_000) - due)) }
            }
        }
        return worst
    }

    @Test func `frames in order keep the jitter buffer's times, even if two step back`() {
        #expect(error([0]) == 1000)
        #expect(error([0, 1, 2, 3], fps: 15) == 1000)
        var times = FrameTimes()
        for (index, timestamp) in [0, 3000, 9000, 6000, 12_000, 18_000, 15_000, 21_000].enumerated()
        {
            #expect(times.time(timestamp: UInt32(timestamp), arrival: Int64(index), label: 7) == 7)
        }
    }

    @Test(arguments: [[1, 0], [3, 0, 1, 2], [3, 1, 0, 2], [4, 2, 0, 1, 3]])
    func `frames of a stream with B-frames get evenly spaced times`(places: [Int]) {
        for fps in [15, 25, 30, 60] {
            #expect(error(places, fps: fps) <= 22, "\(places) at \(fps)")
            // Some packets wait; the others give the time.
            let jitter = error(places, fps: fps) { 20 + ($0 % 7 == 0 ? 60 : $0 % 3) }
            #expect(jitter <= 45 + 40, "\(places) at \(fps): \(jitter)")
        }
    }

    @Test func `a restarted stream gets new times, and extreme timestamps do not trap`() {
        var times = FrameTimes()
        for index in 0..<64 {
            _ = times.time(
                timestamp: UInt32(index ^ 1) * 3000, arrival: Int64(index) * 33_000_000, label: 1)
        }
        #expect(times.isReordered)
        #expect(
            times.time(timestamp: 2_000_000_000, arrival: 0, label: 5) == 5 && !times.isReordered)
        for (timestamp, arrival) in zip(
            [0, .max, 1, 1 << 31, 7, 5, 3, 1] as [UInt32],
            [0, .max, .min, 1, .max, .min, 0, -1] as [Int64])
        {
            _ = times.time(timestamp: timestamp, arrival: arrival, label: .max)
        }
    }

    @Test(
        arguments: [
            ("640x360", false, "640x360"), ("320x180", false, "320x180"),
            ("1920x1080", false, "1280x720"), ("720x1280", false, "404x720"),
            ("2x2", false, "2x2"), ("480x270", true, "1280x720"), ("640x480", true, "960x720"),
            ("1920x1080", true, "1280x720"), ("270x480", true, "404x720"),
        ])
    func `a camera is opened at its own size, or at its largest size if it adapts`(
        first: String, isAdaptive: Bool, size: String
    ) throws {
        let first = try #require(FrameSize(first))
        let opened = GuestCamera.capability(first: first, isAdaptive: isAdaptive)
        #expect("\(opened.size)" == size && opened.rate == FrameRate(30))
    }

    @Test(arguments: [
        // The session's own video, a guest's share, and guests' cameras.
        (1920, 1080, false, false, 1920, 1080, 30), (1920, 1080, true, true, 1920, 1080, 20),
        (801, 601, true, true, 801, 601, 20), (1280, 720, true, false, 640, 360, 20),
        (405, 720, true, false, 202, 360, 20), (320, 180, true, false, 320, 180, 20),
    ])
    func `a share keeps its size, and a guest's camera gets the size of a tile`(
        width: Int, height: Int, isGuest: Bool, isShare: Bool, ownWidth: Int, ownHeight: Int,
        rate: Int
    ) {
        let own = VideoCapability(width: width, height: height, fps: 30)
        #expect(
            Rendition.whole(of: own, isGuest: isGuest, isShare: isShare)
                == VideoCapability(width: ownWidth, height: ownHeight, fps: rate))
    }

    @Test(
        arguments: [
            (nil, nil, nil), (100, nil, FrameSize(width: 320, height: 180)),
            (181, nil, FrameSize(width: 480, height: 270)),
            (10_000, nil, FrameSize(width: 1280, height: 720)),
            (nil, FrameSize(width: 640, height: 360), FrameSize(width: 640, height: 360)),
            (180, FrameSize(width: 640, height: 360), FrameSize(width: 640, height: 360)),
            (720, FrameSize(width: 640, height: 360), FrameSize(width: 1280, height: 720)),
        ] as [(Int?, FrameSize?, FrameSize?)])
    func `a guest is asked for the size of the largest tile`(
        lines: Int?, session: FrameSize?, wanted: FrameSize?
    ) {
        #expect(GuestCamera.wanted(lines: lines, session: session) == wanted)
    }
}
