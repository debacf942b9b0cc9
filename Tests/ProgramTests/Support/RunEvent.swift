import Foundation
import TestSupport

/// An event of `greenroom run --json`.
struct RunEvent: Decodable {
    struct Video: Decodable {
        var track: String
        var accepted: Int
        var refused: Int
        var dropped: Int
        var fps: Double
    }

    var event: String
    var time: Double?
    var role: String?
    var level: String?
    var status: String?
    var step: String?
    var seconds: Double?
    var capability: String?
    var answer: String?
    var text: String?
    var videoTracks: [Video]?
    var origin: String?
    var negotiation: Report.Negotiation?
    var commands: [String]?
    var outcome: String?
    var exit: Int32?
    var summary: [String]?
}

extension Finished {
    /// The events of a run with `--json`.
    var events: [RunEvent] {
        get throws {
            try text.split(separator: "\n").map { line in
                try JSONDecoder().decode(RunEvent.self, from: Data(line.utf8))
            }
        }
    }

    /// The events with a name about a plugin, e.g. `"step-failed"` of the `"camera"`.
    func events(_ name: String, of role: String) throws -> [RunEvent] {
        try events.filter { $0.event == name && $0.role == role }
    }
}
