import Foundation

/// `test-progress COMMAND…`: runs `swift test`, and shows its progress.
///
/// While the tests run it prints how many have ended and the longest running ones, and each failure
/// when it happens; at the end the slowest tests, all failures, and the counts. Exits with the
/// command's code, or 1 if a test failed or did not end. The tests' output and events stay in
/// `.build/last-test-run`.
@main enum Progress {
    static func main() throws {
        let folder = URL(filePath: FileManager.default.currentDirectoryPath)
            .appending(path: ".build/last-test-run")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let events = try LineFile(folder.appending(path: "events.jsonl"))
        let times = try LineFile(folder.appending(path: "times.txt"))

        let tests = Process()
        tests.executableURL = URL(filePath: "/usr/bin/env")
        tests.arguments =
            CommandLine.arguments.dropFirst()
            + ["--event-stream-output-path", events.path, "--event-stream-version", "6.3"]
        var environment = ProcessInfo.processInfo.environment
        environment["GREENROOM_TEST_TIMES"] = times.path
        tests.environment = environment
        let log = folder.appending(path: "log.txt")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        tests.standardOutput = output
        tests.standardError = output
        try tests.run()

        var run = TestRun()
        var nextReport = Date.now + TestRun.interval
        var ended: Date?
        while tests.isRunning {
            // Foundation sees the end once no process has what the tests' processes inherit.
            if ended == nil, hasExited(tests.processIdentifier) { ended = .now }
            if let ended, Date.now > ended + 60 {
                show("The tests have ended, but a process that they started still runs.")
                take(events, times, into: &run)
                show(run.summary)
                exit(1)
            }
            Thread.sleep(forTimeInterval: 0.25)
            take(events, times, into: &run)
            if Date.now >= nextReport {
                show(run.status)
                nextReport += TestRun.interval
            }
        }
        tests.waitUntilExit()
        take(events, times, into: &run)
        if run.hasNotEnded {
            let text = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
            show("The test process ended early. The last of its output:\n\(text.suffix(8000))")
        }
        show(run.summary)
        let isBad = run.failedCount > 0 || run.hasNotEnded
        exit(tests.terminationStatus != 0 ? tests.terminationStatus : isBad ? 1 : 0)
    }

    /// Whether a child has ended and waits to be reaped.
    private static func hasExited(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The state follows the name, which may have any characters.
        return status?.split(separator: ")").last?.hasPrefix(" Z") ?? false
    }

    private static func take(_ events: LineFile, _ times: LineFile, into run: inout TestRun) {
        for line in times.newLines() { run.takeTime(line) }
        for line in events.newLines() { run.takeEvent(line).map(show) }
    }

    private static func show(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}

/// A file that another process appends to.
private final class LineFile {
    let path: String
    private let file: FileHandle
    private var rest = Data()

    init(_ url: URL) throws {
        path = url.path
        try Data().write(to: url)
        file = try FileHandle(forReadingFrom: url)
    }

    /// Complete lines that were not returned before.
    func newLines() -> [Data] {
        rest += (try? file.readToEnd()) ?? Data()
        var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = lines.popLast().map { Data($0) } ?? Data()
        return lines.map { Data($0) }
    }
}
