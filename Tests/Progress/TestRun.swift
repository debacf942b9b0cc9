import Foundation

/// The state of a test run: from Swift Testing's event stream, and from the times that
/// `OwnThreadsTrait` writes.
struct TestRun {
    /// Interval of status lines, in seconds.
    static let interval: TimeInterval = 10

    private let begin = Date.now
    /// The tests (not the suites), by id.
    private var names: [String: String] = [:]
    private var ended: Set<String> = []
    private var skipped: Set<String> = []
    private var failures: [(test: String, texts: [String])] = []
    private var failed: Set<String> = []
    private var hasRunEnded = false
    /// Running test cases, with their start.
    private var running: [String: Date] = [:]
    /// The duration of each test with all its cases, in seconds.
    private var seconds: [String: Double] = [:]

    /// Whether the test process ended before its tests.
    var hasNotEnded: Bool { !hasRunEnded }

    /// Number of failed tests.
    var failedCount: Int { failed.count }

    // MARK: Input

    /// Handles a line of the event stream.
    ///
    /// - Returns: The message to print at once, for a failure.
    mutating func takeEvent(_ line: Data) -> String? {
        guard let record = try? JSONDecoder().decode(Record.self, from: line) else { return nil }
        let payload = record.payload
        if record.kind == "test" {
            if payload.kind == "function", let id = payload.id { names[id] = Self.name(of: id) }
            return nil
        }
        let test = payload.testID ?? ""
        switch payload.kind {
        case "testEnded" where names[test] != nil: ended.insert(test)
        case "testSkipped" where names[test] != nil: skipped.insert(test)
        case "runEnded": hasRunEnded = true
        case "issueRecorded":
            guard payload.issue?.isFailure ?? true else { return nil }
            failed.insert(test)
            let texts = payload.messages?.map(\.text) ?? []
            failures.append((names[test] ?? Self.name(of: test), texts))
            return "FAILED \(names[test] ?? test): \(texts.first ?? "")"
        default: break
        }
        return nil
    }

    /// Handles a line of `OwnThreadsTrait`: `begin` or `end`, seconds since the start, and the
    /// test.
    mutating func takeTime(_ line: Data) {
        let words = String(decoding: line, as: UTF8.self).split(separator: "\t")
        guard words.count == 3, let time = Double(words[1]) else { return }
        let name = String(words[2])
        if words[0] == "begin" {
            running[name] = .now
        } else {
            running[name] = nil
            seconds[name.prefixUpToCase, default: 0] += time
        }
    }

    // MARK: Output

    /// The progress, in one line.
    var status: String {
        var text = "\(clock)  \(counts)"
        if let longest = running.min(by: { $0.value < $1.value }) {
            let time = Int(Date.now.timeIntervalSince(longest.value))
            text += "; \(running.count) run, for \(time) s \(longest.key)"
        }
        return text
    }

    /// The summary; its last line has only the counts.
    var summary: String {
        var lines: [String] = []
        if !seconds.isEmpty {
            lines.append("The slowest tests, in seconds:")
            for (test, time) in seconds.sorted(by: { $0.value > $1.value }).prefix(10) {
                lines.append(String(format: "%8.1f  ", time) + test)
            }
        }
        for failure in failures {
            lines.append("\nFAILED \(failure.test)")
            lines += failure.texts.map { "    " + $0.replacing("\n", with: "\n    ") }
        }
        let open = names.filter { !ended.contains($0.key) && !skipped.contains($0.key) }
        if hasNotEnded, !open.isEmpty {
            lines.append("\nNot ended: \(open.count) tests; running were:")
            lines += running.keys.sorted().map { "    " + $0 }
        }
        lines.append("\n\(clock)")
        let bad = failed.union(hasNotEnded ? Set(open.keys) : [])
        if !skipped.isEmpty { lines.append("\(skipped.count) skipped") }
        lines.append("\(ended.subtracting(bad).count) passed, \(bad.count) failed")
        return lines.joined(separator: "\n")
    }

    private var counts: String {
        "\(ended.count + skipped.count) of \(names.count) tests, \(failed.count) failed"
    }

    private var clock: String {
        let time = Int(Date.now.timeIntervalSince(begin))
        return String(format: "%d:%02d", time / 60, time % 60)
    }

    /// `Module.Suite/name of the test`, without its source location.
    private static func name(of id: String) -> String {
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        let place = parts.last.map { $0.contains(".swift:") } ?? false
        return parts.dropLast(place ? 1 : 0).joined(separator: "/").replacing("`", with: "")
    }
}

extension String {
    /// A test without its case.
    fileprivate var prefixUpToCase: String {
        firstRange(of: " \u{2192} ").map { String(self[..<$0.lowerBound]) } ?? self
    }
}

/// A line of Swift Testing's event stream.
private struct Record: Decodable {
    var kind: String
    var payload: Payload

    struct Payload: Decodable {
        var kind: String
        var id: String?
        var testID: String?
        var messages: [Message]?
        var issue: Issue?
    }
    struct Message: Decodable {
        var text: String
    }
    struct Issue: Decodable {
        var isFailure: Bool?
    }
}
