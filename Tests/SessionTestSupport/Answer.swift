package import TestSupport

extension Finished {
    /// The results that hostile plugins logged.
    package var answers: [Answer] { Answer.all(in: standardError) }

    /// The results of the calls with a name, in order.
    package func answers(to call: String) -> [Answer] { answers.filter { $0.call == call } }

    /// The log lines of and about the plugin with a role, e.g. `"camera"`.
    package func lines(of role: String) -> String {
        standardError.split(separator: "\n").filter { $0.hasPrefix("\(role): ") }
            .joined(separator: "\n")
    }
}

/// The host's result of a hostile plugin's call, from its line `status CALL NUMBER TEXT`.
package struct Answer: Equatable {
    /// The call, e.g. `"short-luma"`.
    package var call: String
    /// The status that the host returned.
    package var status: Int32
    /// The text of the refusal; empty if there is none.
    package var text: String

    package init(call: String, status: Int32, text: String) {
        (self.call, self.status, self.text) = (call, status, text)
    }

    package static func all(in log: String) -> [Answer] {
        log.split(separator: "\n").compactMap { line in
            guard let match = line.firstMatch(of: #/\bstatus ([a-z0-9-]+) (-?[0-9]+) ?(.*)$/#),
                let status = Int32(match.2)
            else { return nil }
            return Answer(call: String(match.1), status: status, text: String(match.3))
        }
    }
}
