extension ConformanceReport {
    /// Reports as JUnit XML for continuous integration: a suite for each plugin, a case for each
    /// check. A fault is a failure; a crash, a timeout or an undecided check is an error.
    public static func junit(_ reports: [ConformanceReport]) -> String {
        let suites = reports.map(\.suite).joined()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites)</testsuites>\n"
    }

    private var suite: String {
        let errors = count(of: .crashed) + count(of: .timedOut) + count(of: .notProven)
        let seconds = results.reduce(0) { $0 + $1.seconds }
        let attributes: [(String, String)] = [
            ("name", name), ("tests", "\(results.count)"), ("failures", "\(count(of: .failed))"),
            ("errors", "\(errors)"), ("skipped", "\(count(of: .skipped))"),
            ("time", "\(seconds)"), ("timestamp", date),
        ]
        let properties =
            [("id", plugin), ("version", version), ("sha256", sha256), ("host", host)]
            + [("seed", "\(seed)")]
        let lines = properties.map {
            "      <property name=\"\($0.0)\" value=\"\($0.1.escapedForXML)\"/>\n"
        }
        return "  <testsuite\(Self.written(attributes))>\n"
            + "    <properties>\n\(lines.joined())    </properties>\n"
            + results.map(testCase).joined() + "  </testsuite>\n"
    }

    private func testCase(_ result: CheckResult) -> String {
        let group = result.check.prefix { $0 != "." }
        let attributes = [
            ("classname", "\(name).\(group)"), ("name", result.check),
            ("time", "\(result.seconds)"),
        ]
        let begin = "    <testcase\(Self.written(attributes))"
        let message = [("message", result.text)]
        let details = result.details.joined(separator: "\n").escapedForXML
        func with(_ element: String, _ type: String? = nil) -> String {
            let attributes = message + (type.map { [("type", $0)] } ?? [])
            return
                "\(begin)>\n      <\(element)\(Self.written(attributes))>\(details)</\(element)>\n"
                + "    </testcase>\n"
        }
        switch result.outcome {
        case .passed: return "\(begin)/>\n"
        case .warning:
            let text = ([result.text] + result.details).joined(separator: "\n").escapedForXML
            return "\(begin)>\n      <system-out>warning: \(text)</system-out>\n    </testcase>\n"
        case .failed: return with("failure", "failed")
        case .crashed, .timedOut, .notProven: return with("error", result.outcome.rawValue)
        case .skipped:
            return "\(begin)>\n      <skipped\(Self.written(message))/>\n    </testcase>\n"
        }
    }

    private static func written(_ attributes: [(String, String)]) -> String {
        attributes.map { " \($0.0)=\"\($0.1.escapedForXML)\"" }.joined()
    }
}

extension String {
    /// Escapes text for XML; control characters, which XML does not allow, become `?`.
    fileprivate var escapedForXML: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "\n": text += "&#10;"
            case "\t": text += "&#9;"
            case "\u{0}"..<" ", "\u{7f}"..."\u{84}", "\u{86}"..."\u{9f}", "\u{fffe}", "\u{ffff}":
                text += "?"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
