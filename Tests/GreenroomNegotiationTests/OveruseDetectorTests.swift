import GreenroomMedia
import Testing

@testable import GreenroomNegotiation

@Suite struct OveruseDetectorTests {
    private let second: Int64 = 1_000_000_000

    /// A machine with a cost for each pixel, and a session that follows the detector.
    private struct Machine {
        var meter: OveruseDetector
        let top: VideoCapability
        var track: VideoCapability
        var nanosecondsAPixel: Double

        init(_ top: VideoCapability, nanosecondsAPixel: Double) {
            meter = OveruseDetector(table: .standard)
            self.top = top
            track = top
            self.nanosecondsAPixel = nanosecondsAPixel
        }

        /// Runs for a second, and follows the ceiling.
        mutating func run() {
            let rate = track.rate.framesPerSecond
            let needed = Double(track.size.area) * nanosecondsAPixel * rate
            let frames = needed <= 1e9 ? Int(rate) : Int(rate * 1e9 / needed)
            meter.add(
                OveruseDetector.Period(
                    nanoseconds: 1_000_000_000, busyNanoseconds: Int64(min(needed, 1e9)),
                    frames: frames, superseded: Int(rate) - frames), carrying: track)
            track = meter.ceiling.map { top.lowered(to: $0) } ?? top
        }
    }

    private let top = VideoCapability(width: 1280, height: 720, fps: 30)

    @Test func `a machine with room has no ceiling`() {
        var machine = Machine(top, nanosecondsAPixel: 20)
        for _ in 0..<100 { machine.run() }
        #expect(machine.meter.ceiling == nil)
    }

    @Test func `an overload of 2 s lowers the ceiling by a row, and one of 1 s does not`() {
        var machine = Machine(top, nanosecondsAPixel: 40)
        machine.run()
        #expect(machine.meter.ceiling == nil)
        machine.run()
        #expect(machine.meter.ceiling == VideoCapability(width: 960, height: 540, fps: 30))

        var meter = OveruseDetector(table: .standard)
        for index in 0..<100 {
            meter.add(
                OveruseDetector.Period(
                    nanoseconds: second, busyNanoseconds: index % 2 == 0 ? second : second / 2,
                    frames: 30, superseded: 0), carrying: top)
        }
        #expect(meter.ceiling == nil, "never two seconds in a row")
    }

    @Test(arguments: [(0.6, "960x540@30"), (0.4, nil)])
    func `dropped frames count under load, not in a source's bursts`(
        share: Double, settled: String?
    ) {
        var meter = OveruseDetector(table: .standard)
        for _ in 0..<2 {
            meter.add(
                OveruseDetector.Period(
                    nanoseconds: second, busyNanoseconds: Int64(Double(second) * share),
                    frames: 20, superseded: 1),
                carrying: top)
        }
        #expect(meter.ceiling == settled.flatMap { VideoCapability($0) })
    }

    @Test(arguments: [
        ("1280x720@30", 40.0, "960x540@30"), ("1280x720@30", 90.0, "640x360@30"),
        ("640x480@30", 150.0, "424x320@15"), ("1280x720@30", 600.0, "320x180@15"),
        ("1280x720@30", 1500.0, "320x180@10"), ("1280x720@30", 1e6, "212x160@7"),
    ])
    func
        `an overused track falls by rows of one aspect ratio, then by rate to the floor, and stays`(
            top: String, nanosecondsAPixel: Double, settled: String
        ) throws
    {
        let top = try #require(VideoCapability(top))
        var machine = Machine(top, nanosecondsAPixel: nanosecondsAPixel)
        var seen: [VideoCapability] = []
        for _ in 0..<200 {
            machine.run()
            if seen.last != machine.track { seen.append(machine.track) }
        }
        #expect(machine.track.description == settled)
        #expect(seen.count == Set(seen).count, "no swinging: \(seen)")
    }

    @Test func `the track rises one row at a time, ten seconds apart`() {
        var machine = Machine(top, nanosecondsAPixel: 600)
        for _ in 0..<60 { machine.run() }
        #expect(machine.track.size == FrameSize(width: 320, height: 180))
        machine.nanosecondsAPixel = 10
        var seconds: [Int] = []
        var last = machine.track
        for second in 1...100 {
            machine.run()
            if machine.track != last {
                #expect(last.fits(under: machine.track))
                seconds.append(second)
                last = machine.track
            }
        }
        #expect(machine.meter.ceiling == nil)
        #expect(machine.track == top)
        #expect(seconds == [10, 20, 30, 40, 50])
    }

    @Test func `a row that would overload again is not tried`() {
        var machine = Machine(top, nanosecondsAPixel: 40)
        for _ in 0..<5 { machine.run() }
        // 720p30 would take 75 % of the time: too much for a rise.
        machine.nanosecondsAPixel = 0.75e9 / 30 / (1280 * 720)
        for _ in 0..<60 { machine.run() }
        #expect(machine.meter.ceiling == VideoCapability(width: 960, height: 540, fps: 30))
    }

    @Test func `a period without frames is ignored`() {
        var machine = Machine(top, nanosecondsAPixel: 40)
        for _ in 0..<5 { machine.run() }
        let before = machine.meter.ceiling
        for _ in 0..<60 {
            machine.meter.add(
                OveruseDetector.Period(
                    nanoseconds: second, busyNanoseconds: 0, frames: 0, superseded: 0),
                carrying: machine.track)
        }
        #expect(before != nil && machine.meter.ceiling == before)
    }
}
