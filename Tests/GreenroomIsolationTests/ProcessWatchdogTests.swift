import Glibc
import TestSupport
import Testing

@testable import GreenroomIsolation

@Suite(.ownThreads) struct ProcessWatchdogTests {
    private static let tick: Int64 = 100_000_000

    private static func sample(
        hasAnswered: Bool = true, memory: Int = 0, mainThreadHasExited: Bool = false,
        calls: Int = 0,
        frames: Int = 0, lines: Int = 0, rate: Double = 30
    ) -> ProcessWatchdog.Sample {
        ProcessWatchdog.Sample(
            hasAnswered: hasAnswered, memoryBytes: memory, mainThreadHasExited: mainThreadHasExited,
            calls: calls,
            frames: frames, lines: lines, rate: rate)
    }

    /// Checks a sample every 100 ms.
    private static func check(
        ticks: Int, limit: Int = 50_000_000, _ sample: (Int) -> ProcessWatchdog.Sample
    ) -> (tick: Int, ProcessWatchdog.Finding)? {
        var watchdog = ProcessWatchdog(memoryLimitBytes: limit)
        for tick in 0..<ticks {
            if let finding = watchdog.check(sample(tick), after: Self.tick) {
                return (tick, finding)
            }
        }
        return nil
    }

    @Test func `a process that answers is kept`() {
        #expect(Self.check(ticks: 600) { Self.sample(frames: $0 * 3, lines: $0) } == nil)
    }

    @Test func `a process that does not answer for 3 s is found`() throws {
        let found = try #require(Self.check(ticks: 100) { Self.sample(hasAnswered: $0 < 10) })
        #expect(found.1 == .silent(3_000_000_000))
        #expect(found.tick == 39)
    }

    @Test func `silence is measured by the time that passed, not by the number of checks`() {
        var watchdog = ProcessWatchdog(memoryLimitBytes: 1)
        let findings = (0..<8).map { _ in
            watchdog.check(Self.sample(hasAnswered: false), after: 400_000_000)
        }
        #expect(findings == [nil, nil, nil, nil, nil, nil, nil, .silent(3_000_000_000)])
    }

    @Test func `on the virtual clock a process has a minute to answer`() {
        var watchdog = ProcessWatchdog(memoryLimitBytes: 1)
        let limit = ProcessWatchdog.silenceLimit(isVirtual: true)
        let findings = (0..<60).map { _ in
            watchdog.check(
                Self.sample(hasAnswered: false), after: 1_000_000_000, silenceLimit: limit)
        }
        #expect(findings == Array(repeating: nil, count: 59) + [.silent(60_000_000_000)])
    }

    @Test func `every answer resets the time of silence`() {
        #expect(Self.check(ticks: 600) { Self.sample(hasAnswered: $0 % 29 == 0) } == nil)
    }

    @Test func `a host that was stopped for an hour reports no silent process`() {
        var watchdog = ProcessWatchdog(memoryLimitBytes: 1)
        let silent = Self.sample(hasAnswered: false)
        for _ in 0..<2 { #expect(watchdog.check(silent, after: 3_600_000_000_000) == nil) }
    }

    @Test func `memory above the limit is found at once`() throws {
        #expect(Self.check(ticks: 10) { _ in Self.sample(memory: 50_000_000) } == nil)
        let found = try #require(
            Self.check(ticks: 10) { Self.sample(memory: $0 == 4 ? 50_000_001 : 0) })
        #expect(found.tick == 4)
        #expect(found.1 == .memory(bytes: 50_000_001, limit: 50_000_000))
    }

    @Test(arguments: [(30.0, 300), (60, 600), (0.5, 300), (29.97, 300), (1000, 10_000)])
    func `ten times the negotiated rate is allowed`(rate: Double, limit: Int) throws {
        #expect(
            Self.check(ticks: 100) { Self.sample(frames: $0 * limit / 10, rate: rate) } == nil)
        let found = try #require(
            Self.check(ticks: 100) { Self.sample(frames: $0 * (limit / 10 + 5), rate: rate) })
        #expect(found.1 == .frames(perSecond: limit + 50, limit: limit))
    }

    @Test func `without a negotiated rate frames are not limited`() {
        #expect(Self.check(ticks: 100) { Self.sample(frames: $0 * 10_000, rate: 0) } == nil)
    }

    @Test func `a flood is named by the kind of its calls`() {
        let calls = Self.check(ticks: 100) { Self.sample(calls: $0 * 6000) }
        #expect(calls?.1 == .calls(perSecond: 60_000))
        let lines = Self.check(ticks: 100) { Self.sample(calls: $0 * 6000, lines: $0 * 6000) }
        #expect(lines?.1 == .lines(perSecond: 60_000))
        let frames = Self.check(ticks: 100) { Self.sample(calls: $0 * 6000, frames: $0 * 6000) }
        #expect(frames?.1 == .frames(perSecond: 60_000, limit: 300))
    }

    @Test func `an exited main thread is found, an exiting process is not`() throws {
        #expect(Self.check(ticks: 100) { Self.sample(mainThreadHasExited: $0 % 10 != 0) } == nil)
        let found = try #require(
            Self.check(ticks: 100) { Self.sample(mainThreadHasExited: $0 >= 10) })
        #expect(found.1 == .mainThreadExited)
        // Ten samples a second, the first without its main thread at 10.
        #expect(found.tick == 10 + Int(ProcessWatchdog.exitLimit / 100_000_000) - 1)
    }

    @Test func `a flood of lines is found, a burst is not`() throws {
        let found = try #require(Self.check(ticks: 100) { Self.sample(lines: $0 * 600) })
        #expect(found.1 == .lines(perSecond: 6000))
        #expect(Self.check(ticks: 100) { Self.sample(lines: $0 > 20 ? 4900 : 0) } == nil)
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
    func `a memory fault is read from the line after a crash report's heading`(
        line: String, fault: MemoryFault?
    ) {
        let words = [
            "fault: write 0x1", CrashReport.backtraceHeading, line, "libX.so(go+0x1)[0x2]",
        ]
        #expect(CrashReport.fault(in: words) == fault)
        #expect(CrashReport.fault(in: [line]) == nil)
    }

    @Test func `the line of the fault is not part of the backtrace`() {
        let words = [
            CrashReport.backtraceHeading, "fault: write 0x1", "/a/libX.so(go+0x1)[0x2]",
        ]
        #expect(CrashReport.backtrace(in: words) == "libX.so(go+0x1)")
    }

    @Test func `a signal is named with the callback and the last output`() {
        let evidence = CrashReport(
            code: 2, status: 11, whereabouts: "in start-send",
            stderrTail: ["loading", "Index out of range"])
        #expect(
            evidence.text
                == "killed by SIGSEGV in start-send; last output: Index out of range"
        )
    }

    @Test func `an exit is named with its status`() {
        let evidence = CrashReport(code: 1, status: 3, whereabouts: nil, stderrTail: [])
        #expect(evidence.text == "exited with status 3")
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
                == "killed by SIGABRT after start-send; last output: out of ideas; "
                + "at libX.so(draw+0x12) < libX.so(+0x99)")
    }
}

struct LineReaderTests {
    @Test func `lines of output arrive whole, and long lines in parts`() throws {
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
