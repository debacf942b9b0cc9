@testable import GreenroomAudio
import GreenroomMedia
@testable import GreenroomRuntime
import Testing

@testable import GreenroomVideo

/// Output frames of sources with irregular timing.
@Suite struct CadenceTests {
    private typealias Frame = SimulatedBranch.Frame

    private static let paces = [OutputPace.asTheyCome, .onSchedule]

    private func numbers(_ range: Range<Int>) -> [UInt8] { range.map { UInt8(100 + $0) } }

    /// The difference of each output frame from its scheduled time.
    private func lateness(_ result: SimulatedBranch.Result, _ rate: FrameRate) -> Set<Int64> {
        Set(
            result.departures.indices.map {
                result.departures[$0] - SessionTimeline.playoutDelay
                    - rate.dueNanoseconds(ofFrame: Int64($0))
            })
    }

    @Test(arguments: paces)
    func `each frame that arrives in time is shown once`(pace: OutputPace) throws {
        let frames = (0..<30).map { Frame(Double($0) * 1000 / 30) }
        let result = try SimulatedBranch(pace: pace, duration: 1000).run(frames)
        #expect(result.periods == numbers(0..<30))
        #expect(result.delivered == 30 && result.repeated == 0 && result.delayed == 0)
    }

    @Test(arguments: [1, 4, 5, 24, 30, 60, 120, 240], [4, 15, 30, 60, 120])
    func `a live output is on schedule at every source rate`(
        source: Int, output: Int
    ) throws {
        let rate = FrameRate(output)
        let frames = (0..<source).map { Frame(Double($0) * 1000 / Double(source)) }
        let result = try SimulatedBranch(pace: .onSchedule, rate: rate, duration: 1000).run(frames)
        #expect(result.periods.count == output)
        #expect(lateness(result, rate) == [0])
        #expect(result.delivered == min(source, output))
        // Frames closer to the end than the last period are late.
        #expect(result.excess + result.afterEnd == max(source - output, 0))
        #expect(result.black == 0 && result.delayed == 0)
        // Even: the display times of frames differ by one period at most.
        let steps = result.steps
        #expect((steps.max() ?? 0) - (steps.min() ?? 0) <= 1, "\(steps)")
    }

    @Test func `a source that sends every 37 ms is shown evenly at 30 fps`() throws {
        // 27 frames a second: three of thirty periods repeat the last frame.
        let frames = (0..<81).map { Frame(Double($0) * 37) }
        let result = try SimulatedBranch(pace: .onSchedule, duration: 3000).run(frames)
        #expect(result.periods.count == 90)
        #expect(result.excess == 0 && result.delayed == 0 && result.delivered == 81)
        #expect(Set(result.steps) == [1, 2])
        #expect(lateness(result, FrameRate(30)) == [0])
    }

    @Test func `bursts every 100 ms with timestamps are shown on time`() throws {
        func time(of frame: Int) -> Double { Double(frame) * 1000 / 30 }
        let frames = (0..<60).map { index in
            Frame(comes: time(of: index / 3 * 3 + 2), shows: time(of: index))
        }
        let result = try SimulatedBranch(pace: .onSchedule, duration: 2000).run(frames)
        #expect(result.periods == numbers(0..<60))
        #expect(lateness(result, FrameRate(30)) == [0])
    }

    @Test func `only the first frame of a burst without timestamps is shown`() throws {
        let frames = (0..<20).flatMap { burst in
            (0..<3).map { _ in Frame(Double(burst) * 100) }
        }
        let result = try SimulatedBranch(pace: .onSchedule, duration: 2000).run(frames)
        #expect(result.delivered == 20 && result.excess == 40 && result.repeated == 40)
        #expect(Set(result.steps) == [3])
    }

    @Test(arguments: paces)
    func `a stall of 2 s repeats the last frame until the next frame arrives`(pace: OutputPace)
        throws
    {
        let times = Array(0..<30) + Array(90..<120)
        let frames = times.map { Frame(Double($0) * 1000 / 30) }
        let result = try SimulatedBranch(pace: pace, duration: 4000).run(frames)
        let still = [UInt8](repeating: 129, count: 60)
        #expect(result.periods == numbers(0..<30) + still + numbers(30..<60))
        #expect(result.delayed == 0)
        if pace == .onSchedule { #expect(lateness(result, FrameRate(30)) == [0]) }
    }

    @Test func `a burst after a stall does not delay the video permanently`()
        throws
    {
        // Two seconds of frames arrive at their end, then frames are on time again.
        let frames = (0..<90).map { index in
            let shows = Double(index) * 1000 / 30
            return Frame(comes: max(shows, 2000), shows: shows)
        }
        let result = try SimulatedBranch(pace: .onSchedule, duration: 3000).run(frames)
        // Black before they arrive; slots are due 100 ms late, which is three.
        #expect(result.black == 58)
        #expect(result.delayed == 2)
        #expect(Array(result.periods[60...]) == numbers(60..<90))
        #expect(lateness(result, FrameRate(30)) == [0])
    }

    @Test func `frames later than the latency are shown late, and none is lost`() throws {
        let frames = (0..<30).map { index in
            Frame(comes: Double(index) * 1000 / 30 + 150, shows: Double(index) * 1000 / 30)
        }
        let result = try SimulatedBranch(pace: .onSchedule, duration: 1200).run(frames)
        #expect(result.delivered == 30 && result.delayed == 30 && result.excess == 0)
        #expect(result.black == 2 && Set(result.steps.dropFirst()) == [1])
        // A file waits for them, and shows them on time.
        let file = try SimulatedBranch(pace: .asTheyCome, duration: 1200).run(frames)
        #expect(file.delayed == 0 && Array(file.periods.prefix(30)) == numbers(0..<30))
    }

    @Test(arguments: paces)
    func `a still picture is written as time passes`(pace: OutputPace) throws {
        let result = try SimulatedBranch(pace: pace, duration: 5000).run([Frame(0)])
        #expect(result.periods == [UInt8](repeating: 100, count: 150))
        // The last second of a file is written at its end.
        let last = try #require(result.departures.dropLast(31).last)
        #expect(last < 5_000_000_000)
    }

    @Test(arguments: paces)
    func `a source that never sends gives black of the full length`(pace: OutputPace) throws {
        let result = try SimulatedBranch(pace: pace, duration: 3000).run([])
        #expect(result.periods == [UInt8](repeating: 16, count: 90))
        #expect(result.black == 90)
    }

    @Test(arguments: [(OutputPace.asTheyCome, 1000.0), (.onSchedule, 90)])
    func `a first frame within the output's delay also fills the time before it`(
        pace: OutputPace, time: Double
    ) throws {
        let result = try SimulatedBranch(pace: pace, duration: 2000).run([Frame(time)])
        #expect(result.periods == [UInt8](repeating: 100, count: 60))
        #expect(result.delivered == 1 && result.repeated == 59 && result.black == 0)
    }

    @Test(arguments: [
        (OutputPace.asTheyCome, 1.0 / 30 + 1, 31), (.asTheyCome, 1.5, 45), (.onSchedule, 0.1, 3),
        (.onSchedule, 0.5, 15),
    ])
    func `a first frame after the output's delay follows black`(
        pace: OutputPace, seconds: Double, black: Int
    ) throws {
        // A nanosecond above the patience, which ends between two nanoseconds.
        let frame = Frame(seconds * 1000 + 1e-6)
        let result = try SimulatedBranch(pace: pace, duration: 2000).run([frame])
        #expect(result.black == black)
        let pictures = [UInt8](repeating: 100, count: 60 - black)
        #expect(result.periods == [UInt8](repeating: 16, count: black) + pictures)
    }

    @Test(arguments: paces)
    func `a stopped camera is black until it sends again`(pace: OutputPace) throws {
        let times = Array(0..<30) + Array(60..<90)
        let frames = times.map { Frame(Double($0) * 1000 / 30) }
        let branch = SimulatedBranch(pace: pace, duration: 3000, black: [1001, 1500])
        let result = try branch.run(frames)
        let black = [UInt8](repeating: 16, count: 30)
        #expect(result.periods == numbers(0..<30) + black + numbers(30..<60))
        #expect(result.black == 30 && result.delivered == 60 && result.repeated == 0)
    }

    @Test(arguments: paces)
    func `a camera that is stopped at the start is black`(pace: OutputPace) throws {
        let branch = SimulatedBranch(pace: pace, duration: 1000, black: [5])
        #expect(try branch.run([]).periods == [UInt8](repeating: 16, count: 30))
        // Only the frame sent before shows.
        let stopped = try branch.run([Frame(0)])
        #expect(stopped.periods == [100] + [UInt8](repeating: 16, count: 29))
    }

    @Test(arguments: paces)
    func `a lost source shows its last frame, then a slate, until it returns`(
        pace: OutputPace
    ) throws {
        // Lost at 1 s, reported at 2 s, twice.
        let times = Array(0..<30) + Array(90..<120)
        let frames = times.map { Frame(Double($0) * 1000 / 30) }
        let branch = SimulatedBranch(pace: pace, duration: 4000, lost: [2001, 2500])
        let result = try branch.run(frames)
        let last = [UInt8](repeating: 129, count: 30)
        let slate = [UInt8](repeating: 34, count: 30)
        #expect(result.periods == numbers(0..<30) + last + slate + numbers(30..<60))
        #expect(result.slate == 30 && result.repeated == 30 && result.delivered == 60)
        #expect(result.black == 0)
    }

    @Test(arguments: paces)
    func `black and slates follow each other as requested`(pace: OutputPace) throws {
        let branch = SimulatedBranch(pace: pace, duration: 4000, black: [1001, 3001], lost: [2001])
        let result = try branch.run((0..<30).map { Frame(Double($0) * 1000 / 30) })
        let pictures = numbers(0..<30) + [16, 34, 16].flatMap { [UInt8](repeating: $0, count: 30) }
        #expect(result.periods == pictures)
        #expect(result.slate == 30 && result.black == 60 && result.repeated == 0)
    }

    @Test(arguments: paces)
    func `a source lost before its first frame has a slate`(pace: OutputPace) throws {
        let branch = SimulatedBranch(pace: pace, duration: 3000, lost: [1501])
        let result = try branch.run([])
        let pictures = [16, 34].flatMap { [UInt8](repeating: $0, count: 45) }
        #expect(result.periods == pictures)
        #expect(result.slate == 45 && result.black == 45)
    }

    @Test(arguments: paces, [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `counters add up with hostile timestamps, in any order of threads`(
        pace: OutputPace, seed: UInt64
    ) throws {
        var state = seed
        func random(_ bound: Double) -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 33) / Double(1 << 31) * bound
        }
        // Half of them exactly when slots are due.
        let frames = (0..<400).map { _ in
            let comes = random(1) < 0.5 ? random(3000) : (random(90)).rounded(.down) * 100 / 3
            return Frame(comes: comes, shows: comes + random(1500) - 1000)
        }.sorted { $0.comes < $1.comes }
        let black = (0..<5).map { _ in random(3000) }
        let lost = (0..<5).map { _ in random(3000) }
        let branch = SimulatedBranch(pace: pace, duration: 3000, black: black, lost: lost)
        let result = try branch.run(frames)
        #expect(result.periods.count == 90)
        #expect(result.delivered > 20 && result.black > 0 && result.slate > 0)
        if pace == .onSchedule { #expect(lateness(result, FrameRate(30)) == [0]) }
    }
}
