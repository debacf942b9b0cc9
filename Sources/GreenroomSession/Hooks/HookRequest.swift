internal import FoundationEssentials
package import GreenroomMedia
import GreenroomSystem

/// A signed request: [Standard Webhooks](https://www.standardwebhooks.com), so that receivers can verify
/// it with a library that exists.
///
/// The program curl sends it: the host links no library for HTTP and TLS.
package enum HookRequest {
    /// The beginning of a key's text.
    private static let prefix = "whsec_"
    /// The length of a key, in bytes.
    private static let keyLength = 24...64
    /// The line of curl's output that has the status of the answer.
    private static let statusLine = "HTTP "
    /// The time of an attempt, in seconds.
    static let seconds = 15

    /// Reads the text of a key.
    ///
    /// - Throws: ``InvalidValueError`` with the fix, and without the text.
    package static func key(_ text: String) throws(InvalidValueError) -> [UInt8] {
        guard text.hasPrefix(prefix),
            let key = Data(base64Encoded: String(text.dropFirst(prefix.count))),
            keyLength.contains(key.count)
        else {
            throw InvalidValueError(
                "needs \(prefix) and \(keyLength.lowerBound) to \(keyLength.upperBound) bytes in Base64. Make "
                    + "one: echo \"\(prefix)$(head -c 32 /dev/urandom | base64)\".")
        }
        return Array(key)
    }

    /// The value of the header `webhook-signature`.
    static func signature(of text: String, id: String, timestamp: Int64, key: [UInt8]) -> String {
        let code = SHA256.code(of: Array("\(id).\(timestamp).\(text)".utf8), key: key)
        return "v1," + Data(code).base64EncodedString()
    }

    /// The options of curl, for its standard input: arguments of a program are public.
    static func options(of event: HookEvent, url: String, key: [UInt8], timestamp: Int64) -> String
    {
        let headers = [
            "content-type: application/json", "user-agent: greenroom", "webhook-id: \(event.id)",
            "webhook-timestamp: \(timestamp)",
            "webhook-signature: "
                + signature(of: event.text, id: event.id, timestamp: timestamp, key: key),
        ]
        let lines =
            [
                "url = \(quoted(url))", "proto = \"=http,https\"", "max-time = \(seconds)",
                // Without encryption, the request does not leave the machine.
                "noproxy = \"\(url.hasPrefix("http:") ? "*" : "")\"", "silent", "show-error",
                "output = \"/dev/null\"",
                "write-out = \(quoted("\n\(statusLine)%{http_code}\n"))",
            ] + headers.map { "header = \(quoted($0))" } + ["data-raw = \(quoted(event.text))"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.map { character in
            switch character {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            default: String(character)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// The result of an attempt.
    ///
    /// - Parameters:
    ///   - exit: curl's exit code; nil if it was killed.
    ///   - output: curl's output.
    static func result(exit: Int32?, output: String) -> HookResult {
        let lines = output.split(separator: "\n")
        let status = lines.last { $0.hasPrefix(statusLine) }.flatMap {
            Int($0.dropFirst(statusLine.count))
        }
        guard exit == 0, let status, status > 0 else {
            let reason = lines.last { !$0.hasPrefix(statusLine) }
            return .failed(
                reason.map(String.init) ?? "curl ended with exit code \(exit ?? -1)", isFinal: false
            )
        }
        switch status {
        case 200..<300: return .delivered
        case 408, 425, 429, 500...: return .failed("the server answered \(status)", isFinal: false)
        default: return .failed("the server answered \(status)", isFinal: true)
        }
    }
}
