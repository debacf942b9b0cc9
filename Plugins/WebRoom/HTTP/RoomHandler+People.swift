import Foundation
import RoomAccess
import RoomDecisions

/// Requests of guests and operators that carry no media.
///
/// | request | role | does |
/// | --- | --- | --- |
/// | `POST /guests?name=…&viewer=ID` | guest | join without camera and microphone |
/// | `POST /messages?guest=ID` | guest | send a text message to all pages |
/// | `POST /messages` | operator | the same, as the operator |
/// | `PATCH /participants/NUMBER?microphone=off` | operator | mute a guest |
/// | `DELETE /participants/NUMBER?bar=name` | operator | remove a guest, and bar the name |
/// | `PUT /pin?stream=NUMBER`, `DELETE /pin` | operator | make a stream large for everybody |
extension RoomHandler {
    private static let longestMessage = 4096

    /// Whether recordings may have a new guest: `recorded=no`.
    static func isRecorded(_ query: [String: String]) throws(RequestError) -> Bool {
        switch query["recorded"] {
        case nil, "yes": return true
        case "no": return false
        default: throw RequestError.bad("recorded is yes or no")
        }
    }

    /// Answers such a request; nil for another one.
    ///
    /// - Parameter sender: The sender whose limits count.
    func respondToPeople(
        _ request: RoomRequest, _ path: [String], _ query: [String: String], _ role: Access.Role,
        _ sender: String
    ) throws -> HTTPReply? {
        func needs(_ needed: Access.Role) throws(RequestError) {
            guard role >= needed else {
                throw RequestError(.forbidden, "The link does not allow that.")
            }
        }
        switch (request.method, path.first, path.count) {
        case ("POST", "guests", 1):
            try needs(.guest)
            let id = try room.join(
                listening: query["name"] ?? "Guest", isRecorded: try Self.isRecorded(query),
                through: query["viewer"])
            return HTTPReply.created(at: "/guests/\(id)")
        case ("POST", "messages", 1):
            try needs(query["guest"] == nil ? .operator : .guest)
            guard request.body.count <= Self.longestMessage else { throw RequestError.tooLarge }
            guard let text = String(data: request.body, encoding: .utf8) else {
                throw RequestError.bad("the message is not valid UTF-8")
            }
            guard allows(\.messages, sender) else {
                return HTTPReply.refused(429, "Too many messages: wait a moment.")
            }
            control.pass(on: text, from: try room.say(text, from: query["guest"]))
            return HTTPReply.done
        case ("PATCH", "participants", 2):
            try needs(.operator)
            guard query["microphone"] == "off" else {
                throw RequestError.bad("operators can only mute: use microphone=off")
            }
            try room.mute(participant: try Self.number(path[1]))
            return HTTPReply.done
        case ("DELETE", "participants", 2):
            try needs(.operator)
            let number = try Self.number(path[1])
            guard room.remove(participant: number, isBarred: query["bar"] == "name") else {
                throw Self.noParticipant
            }
            return HTTPReply.done
        case ("PUT", "pin", 1):
            try needs(.operator)
            guard let stream = query["stream"].flatMap({ UInt32($0) }) else {
                throw RequestError.bad("the stream is missing: write ?stream=1")
            }
            try room.pin(stream)
            return HTTPReply.done
        case ("DELETE", "pin", 1):
            try needs(.operator)
            try room.pin(nil)
            return HTTPReply.done
        default: return nil
        }
    }

    private static let noParticipant = RequestError(
        .notFound,
        "The participant is unknown: the guest may have left.")

    private static func number(_ text: String) throws(RequestError) -> UInt32 {
        guard let number = UInt32(text) else { throw noParticipant }
        return number
    }
}
