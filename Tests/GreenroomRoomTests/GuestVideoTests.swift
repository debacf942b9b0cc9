import GreenroomMedia
import GreenroomRoom
import Testing

/// The times and the size of a guest's video.
@Suite struct GuestVideoTests {
    /// The labels of frames in the order of decoding, from their places in the order of display.
    private func lead(_ places: [Int], period: Int = 33_333_333, frames: Int = 64) -> Int {
        var reordering = FrameReordering()
        for index in 0..<frames {
            let group = index / places.count * places.count
            // A jitter buffer moves its labels by some milliseconds.
            let drift = index % 5 * 200_000
            let label = (group + places[index % places.count] + 8) * period + drift
            reordering.add(UInt64(label))
        }
        return Int(reordering.lead)
    }

    @Test func `frames in order have no lead, also if some labels step back`() {
        #expect(lead([0, 1, 2, 3]) == 0)
        #expect(lead([0], period: 66_666_667) == 0)
        var reordering = FrameReordering()
        for label in [100, 133, 120, 166, 200, 150, 233, 266] as [UInt64] {
            reordering.add(label * 1_000_000)
        }
        #expect(reordering.lead == 0)
        for label in [10_000, 10_033, 50, 83, 20_000, 116, 149] as [UInt64] {
            reordering.add(label * 1_000_000)
        }
        #expect(reordering.lead == 0)
    }

    @Test(
        arguments: [
            // Each B-frame is sent after the frame that follows it: a lead of two frames.
            ([1, 0], 2),
            // Three B-frames, without and with a reference among them.
            ([3, 0, 1, 2], 4), ([3, 1, 0, 2], 5),
        ])
    func `the lead of B-frames is that of the frame which is sent the furthest ahead`(
        places: [Int], frames: Int
    ) {
        for period in [33_333_333, 40_000_000, 66_666_667] {
            let expected = min(frames * period, 500_000_000)
            #expect(
                abs(lead(places, period: period) - expected) < 10_000_000, "\(places) \(period)")
        }
    }

    @Test func `no labels do harm`() {
        var reordering = FrameReordering()
        for label in [UInt64.max, 0, 1, UInt64.max - 1, UInt64.max, 5, 4, 3, 2, 1, 0] {
            reordering.add(label)
        }
        #expect(reordering.lead <= 500_000_000)
    }

    @Test(
        arguments: [
            ("640x360", false, "640x360"), ("320x180", false, "320x180"),
            ("1920x1080", false, "1280x720"), ("720x1280", false, "404x720"),
            ("2x2", false, "2x2"), ("480x270", true, "1280x720"), ("640x480", true, "960x720"),
            ("1920x1080", true, "1280x720"), ("270x480", true, "404x720"),
        ])
    func `a camera is opened with its own size, or that to which it may grow`(
        first: String, isAdaptive: Bool, size: String
    ) throws {
        let first = try #require(FrameSize(first))
        let opened = GuestCamera.capability(first: first, isAdaptive: isAdaptive)
        #expect("\(opened.size)" == size && opened.rate == FrameRate(30))
    }
}
