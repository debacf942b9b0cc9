import Glibc
import TestSupport
import Testing

@testable import GreenroomIsolation

@Suite(.ownThreads) struct ProcessWatchdogTests {
    private static let tick: Int64 = 100_000_000

    private static func sight(
        hasAnswered: Bool = true, memory: Int = 0, isHeadless: Bool = false, calls: Int = 0,
        frames: Int = 0, lines: Int = 0, rate: Double = 30
    ) -> ProcessWatchdog.Sample {
        ProcessWatchdog.Sample(
            hasAnswered: hasAnswered, memoryBytes: memory, isHeadless: isHeadless, calls: calls,
            frames: frames, lines: lines, rate: rate)
    }

    /// Looks every tenth of a second.
    private static func look(
        ticks: Int, limit: Int = 50_000_000, _ sight: (Int) -> ProcessWatchdog.Sample
    ) -> (tick: Int, ProcessWatchdog.Finding)? {
        var processWatchdog = ProcessWatchdog(memoryLimitBytes: limit)
        for tick in 0..<ticks {
            if let finding = processWatchdog.look(sight(tick), after: Self.tick) {
                return (tick, finding)
            }
        }
        return nil
    }

    @Test func `a process that answers is left alone`() {
        #expect(Self.look(ticks: 600) { Self.sight(frames: $0 * 3, lines: $0) } == nil)
    }

    @Test func `silence is found once its time is over`() throws {
        let found = try #require(Self.look(ticks: 100) { Self.sight(hasAnswered: $0 < 10) })
        #expect(found.1 == .silent)
        #expect(found.tick == 39)
    }

    @Test func `an answer in between begins the silence anew`() {
        #expect(Self.look(ticks: 600) { Self.sight(hasAnswered: $0 % 29 == 0) } == nil)
    }

    @Test func `a host that was stopped itself blames nobody`() {
        var processWatchdog = ProcessWatchdog(memoryLimitBytes: 1)
        let silent = Self.sight(hasAnswered: false)
        for _ in 0..<5 { #expect(processWatchdog.look(silent, after: 3_600_000_000_000) == nil) }
    }

    @Test func `memory over the limit is found at once, and at the limit is none`() throws {
        #expect(Self.look(ticks: 10) { _ in Self.sight(memory: 50_000_000) } == nil)
        let found = try #require(
            Self.look(ticks: 10) { Self.sight(memory: $0 == 4 ? 50_000_001 : 0) })
        #expect(found.tick == 4)
        #expect(found.1 == .memory(bytes: 50_000_001, limit: 50_000_000))
    }

    @Test(arguments: [(30.0, 300), (60, 600), (0.5, 300), (29.97, 300), (1000, 10_000)])
    func `ten times the rate that was agreed on is borne`(rate: Double, most: Int) throws {
        #expect(
            Self.look(ticks: 100) { Self.sight(frames: $0 * most / 10, rate: rate) } == nil)
        let found = try #require(
            Self.look(ticks: 100) { Self.sight(frames: $0 * (most / 10 + 5), rate: rate) })
        #expect(found.1 == .frames(aSecond: most + 50, most: most))
    }

    @Test func `who agreed on no rate floods with no frames`() {
        #expect(Self.look(ticks: 100) { Self.sight(frames: $0 * 10_000, rate: 0) } == nil)
    }

    @Test func `a flood of calls is told as what they are`() {
        let calls = Self.look(ticks: 100) { Self.sight(calls: $0 * 6000) }
        #expect(calls?.1 == .calls(aSecond: 60_000))
        let lines = Self.look(ticks: 100) { Self.sight(calls: $0 * 6000, lines: $0 * 6000) }
        #expect(lines?.1 == .lines(aSecond: 60_000))
        let frames = Self.look(ticks: 100) { Self.sight(calls: $0 * 6000, frames: $0 * 6000) }
        #expect(frames?.1 == .frames(aSecond: 60_000, most: 300))
    }

    @Test func `a process without its first thread is found, and one that ends is not`() throws {
        #expect(Self.look(ticks: 100) { Self.sight(isHeadless: $0 % 10 != 0) } == nil)
        let found = try #require(Self.look(ticks: 100) { Self.sight(isHeadless: $0 >= 10) })
        #expect(found.1 == .headless)
        #expect(found.tick == 19)
    }

    @Test func `a flood of lines is found, and a burst is none`() throws {
        let found = try #require(Self.look(ticks: 100) { Self.sight(lines: $0 * 600) })
        #expect(found.1 == .lines(aSecond: 6000))
        #expect(Self.look(ticks: 100) { Self.sight(lines: $0 > 20 ? 4900 : 0) } == nil)
    }
}

struct CrashReportTests {
    @Test(arguments: [
        ("fault: write 0x00007f0012345678", MemoryFault(address: 0x7f00_1234_5678, access: .write)),
        ("fault: read  0x0000000000000000", MemoryFault(address: 0, access: .read)),
        ("fault: touch 0xffffffffffffffff", MemoryFault(address: .max, access: .touch)),
        ("fault: eat   0x0000000000000001", nil),
        ("fault: write 0x10000000000000000", nil),
        ("fault: write", nil),
        ("libX.so(paint+0x1)[0x2]", nil),
    ])
    func `what was touched is told in the line after the heading`(
        line: String, fault: MemoryFault?
    ) {
        let words = [
            "fault: write 0x1", CrashReport.backtraceHeading, line, "libX.so(go+0x1)[0x2]",
        ]
        #expect(CrashReport.fault(in: words) == fault)
        #expect(CrashReport.fault(in: [line]) == nil)
    }

    @Test func `the line of what was touched is no place`() {
        let words = [
            CrashReport.backtraceHeading, "fault: write 0x1", "/a/libX.so(go+0x1)[0x2]",
        ]
        #expect(CrashReport.backtrace(in: words) == "libX.so(go+0x1)")
    }

    @Test func `a signal is named with the callback and the last words`() {
        let evidence = CrashReport(
            code: 2, status: 11, whereabouts: "in start-send",
            stderrTail: ["loading", "Index out of range"])
        #expect(
            evidence.text
                == "its process was killed by SIGSEGV in start-send; its last words: Index out of range"
        )
    }

    @Test func `an exit is named with its status`() {
        let evidence = CrashReport(code: 1, status: 3, whereabouts: nil, stderrTail: [])
        #expect(evidence.text == "its process exited with status 3")
    }

    @Test func `a backtrace names files and functions without their folders and the C library`() {
        let evidence = CrashReport(
            code: 2, status: 6, whereabouts: "after start-send",
            stderrTail: [
                "out of ideas", CrashReport.backtraceHeading,
                "/lib/x86_64-linux-gnu/libc.so.6(abort+0xd3)[0x7f1]",
                "/some/where/libX.so(draw+0x12)[0x7f2]", "/some/where/libX.so(+0x99)[0x7f3]",
                "/lib/x86_64-linux-gnu/libc.so.6(+0x89)[0x7f4]", "no backtrace",
            ])
        #expect(
            evidence.text
                == "its process was killed by SIGABRT after start-send; its last words: out of ideas; "
                + "at libX.so(draw+0x12) < libX.so(+0x99)")
    }
}

struct LineReaderTests {
    @Test func `lines come whole, however they were written, and long ones in parts`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var reader = LineReader()
        var lines: [String] = []
        for part in ["one\ntw", "o\n\n\u{1b}[31mthree\n", String(repeating: "x", count: 4500)] {
            _ = write(ends[1], part, part.utf8.count)
            reader.read(ends[0]) { lines.append($0) }
        }
        #expect(lines[..<2] == ["one", "two"])
        #expect(lines[2] == "\u{FFFD}[31mthree")
        #expect(lines[3...].map(\.count) == [2000, 2000])
    }
}
