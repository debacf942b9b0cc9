import Foundation
import GreenroomPlugin
import RoomAccess
import RoomDecisions

/// Answers requests of operators and their programs. Errors are JSON: `{"error": "…"}`.
///
/// | request | role | does |
/// | --- | --- | --- |
/// | `GET /health` | | 200 and `live` while the room is open, else 503 |
/// | `GET /ready` | | 200 while the room accepts another guest, else 503 with the reason |
/// | `POST /api/command` | operator | a command: `{"command": "mute"}` |
/// | `GET /api/session` | operator | plugins, their states and live settings |
/// | `GET /api/report` | operator | the report of this second |
/// | `GET /api/events?after=N` | operator | server-sent events |
/// | `GET /api/still/TRACK.jpg` | operator | a picture of a video track |
/// | `GET /metrics` | operator, metrics | the report in the text format of Prometheus |
extension RoomHandler {
    private struct ErrorBody: Encodable {
        var error: String
    }

    private struct CommandBody: Decodable {
        var command: String
    }

    private struct Done: Encodable {
        var status: String
        var text: String?
    }

    private static let longestBody = 8 * 1024

    /// Answers a request about control; nil for another one.
    ///
    /// - Parameter role: Nil without a token that is right.
    func respondToProgram(
        _ request: RoomRequest, _ path: [String], _ role: Access.Role?, _ sender: String
    ) async throws -> HTTPReply? {
        guard let first = path.first, ["api", "metrics", "health", "ready"].contains(first) else {
            return nil
        }
        do {
            if path == ["health"], request.method == "GET" {
                return try HTTPReply.json(
                    Done(status: control.isLive ? "live" : "closed"),
                    status: control.isLive ? 200 : 503)
            }
            if path == ["ready"], request.method == "GET" {
                let readiness =
                    control.isLive
                    ? room.readiness(hasGuests: access.tokens[.guest] != nil)
                    : Room.Readiness(status: "closed", reason: RequestError.hasClosed.description)
                return try HTTPReply.json(readiness, status: readiness.reason == nil ? 200 : 503)
            }
            if path == ["metrics"], request.method == "GET",
                access.mayReadMetrics(header: request.head["authorization"])
            {
                return try metrics()
            }
            let session = try admit(request, role, sender)
            return try await answer(request, path, session, sender)
        } catch let error as RequestError {
            return try HTTPReply.json(
                ErrorBody(error: error.description), status: error.code.rawValue)
        } catch let refusal as SendRefusal {
            return try HTTPReply.json(
                ErrorBody(error: Self.words(of: refusal)), status: Self.status(of: refusal))
        }
    }

    /// Accepts requests only from operators.
    private func admit(
        _ request: RoomRequest, _ role: Access.Role?, _ sender: String
    ) throws(RequestError) -> SessionControl {
        guard let role else {
            guard allows(\.mistakes, sender) else { throw Self.tooMany }
            throw RequestError(
                .unauthorized,
                "This needs the header \"Authorization: Bearer TOKEN\" with the token of the "
                    + "operators' link of this session.")
        }
        guard role >= .operator else {
            throw RequestError(.forbidden, "This needs the token of the operators' link.")
        }
        guard let session = control.session else {
            throw RequestError(
                .forbidden,
                "The session does not allow the room to control it. Use greenroom live "
                    + "--control, or add control: true to the call's \"allow\".")
        }
        guard request.method != "GET" else { return session }
        guard isOwn(request) else {
            throw RequestError(.forbidden, "The request comes from another page.")
        }
        guard allows(\.changes, sender) else { throw Self.tooMany }
        return session
    }

    private static let tooMany = RequestError(
        .tooMany, "Too many requests: wait a moment.")

    private func answer(
        _ request: RoomRequest, _ path: [String], _ session: SessionControl, _ sender: String
    ) async throws -> HTTPReply {
        switch (request.method, path) {
        case ("POST", ["api", "command"]):
            return try await perform(try Self.command(in: request), session)
        case ("GET", ["api", "session"]):
            return HTTPReply.data(Data(try session.describe().utf8), "application/json")
        case ("GET", ["api", "report"]):
            return HTTPReply.data(Data(try session.report().utf8), "application/json")
        case ("GET", ["api", "events"]):
            return HTTPReply.events(try control.events(after: Self.lastEvent(in: request)))
        case ("GET", _) where path.count == 3 && path[..<2] == ["api", "still"]:
            return try await still(path[2], sender)
        default:
            throw RequestError(
                .notFound,
                "Not found. The API has POST /api/command, and GET /api/session, "
                    + "/api/report, /api/events, /api/still/camera.jpg, /metrics, /health and /ready."
            )
        }
    }

    /// The session's report, if the room may read it, and the room's numbers.
    private func metrics() throws -> HTTPReply {
        var metrics = Metrics()
        if let session = control.session {
            guard let whole = Metrics(report: try session.report()) else {
                throw RequestError(.full, "The report is not readable.")
            }
            metrics = whole
        }
        let (viewers, guests) = room.counts
        let left = room.placesLeft
        for (name, help, value) in [
            ("viewers", "Connections that watch or listen.", viewers),
            ("guests", "People who have joined.", guests),
            ("viewer_places", "Further viewers that the room has a place for.", left.viewers),
            ("guest_places", "Further guests that the room has a place for.", left.guests),
        ] { metrics.add(gauge: "room_\(name)", help, Double(value)) }
        return HTTPReply.data(
            Data(metrics.text.utf8), "text/plain; version=0.0.4; charset=utf-8")
    }

    // MARK: Commands

    private static func command(in request: RoomRequest) throws(RequestError) -> String {
        guard request.type.hasPrefix("application/json") else {
            throw RequestError(
                .otherType, "The body is application/json: {\"command\": \"mute\"}.")
        }
        guard request.body.count <= longestBody else {
            throw RequestError(.tooLarge, "The body has more than \(longestBody) bytes.")
        }
        guard
            let command = try? JSONDecoder().decode(CommandBody.self, from: request.body).command
        else {
            throw RequestError(
                .bad, "The body is not a command: {\"command\": \"mute\"}.")
        }
        return command
    }

    private func perform(_ command: String, _ session: SessionControl) async throws -> HTTPReply {
        switch try await control.perform(command, of: session) {
        case .outcome(let outcome) where outcome.isDone:
            return try HTTPReply.json(Done(status: "done", text: outcome.text))
        case .outcome(let outcome):
            throw RequestError(.conflict, outcome.text)
        case .queued:
            return try HTTPReply.json(Done(status: "queued"), status: 202)
        }
    }

    /// The host's text without the status and the call before it.
    private static func words(of refusal: SendRefusal) -> String {
        let parts = refusal.text.split(separator: ": ", maxSplits: 2)
        guard parts.count == 3, parts[1].hasPrefix("control.") else { return refusal.text }
        return String(parts[2])
    }

    private static func status(of refusal: SendRefusal) -> Int {
        switch refusal.status {
        case .badArgument: 400
        case .queueFull: 429
        default: 503
        }
    }

    // MARK: Events and pictures

    /// The last event that the reader knows.
    private static func lastEvent(in request: RoomRequest) -> Int? {
        let header = request.head["last-event-id"]
        let query = request.head.parameters.first { $0.name == "after" }?.value
        return (header ?? query).flatMap { Int($0) }
    }

    private func still(_ file: String, _ sender: String) async throws -> HTTPReply {
        guard file.hasSuffix(".jpg") else {
            throw RequestError(
                .notFound, "Images are JPEG: the track's name and .jpg, as camera.jpg.")
        }
        guard allows(\.changes, sender) else { throw Self.tooMany }
        let name = String(file.dropLast(4))
        return HTTPReply.data(Data(try await control.stills.jpeg(of: name)), "image/jpeg")
    }
}
