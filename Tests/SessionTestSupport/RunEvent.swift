import Foundation
package import TestSupport

/// An event of `greenroom run --json`.
package struct RunEvent: Decodable {
    package struct Video: Decodable {
        package var track: String
        package var accepted: Int
        package var refused: Int
        package var dropped: Int
        package var fps: Double
    }

    package var event: String
    package var time: Double?
    package var role: String?
    package var level: String?
    package var status: String?
    package var step: String?
    package var seconds: Double?
    package var capability: String?
    package var answer: String?
    package var text: String?
    package var videoTracks: [Video]?
    package var origin: String?
    package var negotiation: Report.Negotiation?
    package var commands: [String]?
    package var outcome: String?
    package var exit: Int32?
    package var summary: [String]?
}

extension Finished {
    /// The events of a run with `--json`.
    package var events: [RunEvent] {
        get throws {
            try text.split(separator: "\n").map { line in
                try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8))
            }
        }
    }

    /// The events with a name about a plugin, e.g. `"step-failed"` of the `"camera"`.
    package func events(_ name: String, of role: String) throws -> [RunEvent] {
        try events.filter { $0.event == name && $0.role == role }
    }
}
