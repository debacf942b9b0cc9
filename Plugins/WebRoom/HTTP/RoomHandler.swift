import CGStreamer
import Foundation
import GreenroomPlugin
import RoomAccess
import RoomDecisions
import Synchronization

/// Handles the room's HTTP requests.
///
/// | request | role | does |
/// | --- | --- | --- |
/// | `GET /` and the page's files | | |
/// | `OPTIONS` of any path | | says what a page of another origin may do |
/// | `GET /room?after=N` | viewer | what there is, as soon as it is not revision N any more |
/// | `POST /whep`, `/whep/STREAM`, `/whep/audio` | viewer | WHEP: watch |
/// | `POST /whep/slots` | viewer | a connection for several streams |
/// | `PUT /viewers/ID/slots` | viewer | which stream is in which of its slots |
/// | `PUT /viewers/ID/volumes` | viewer | how loud this viewer hears single people |
/// | `PATCH /viewers/ID`, `/guests/ID` | viewer, guest | candidates that follow the offer |
/// | `DELETE /viewers/ID` | viewer | watch no more |
/// | `POST /whip?name=…` | guest | WHIP: join |
/// | `POST /whip?share-of=ID` | guest | WHIP: share |
/// | `PATCH /guests/ID?microphone=off` | guest | mute |
/// | `PATCH /guests/ID?viewer=ID` | guest | leave them out of what this viewer hears |
/// | `DELETE /guests/ID` | guest | leave, share no more |
final class RoomHandler: Sendable {
    struct Limits {
        /// Requests that change something.
        var changes = RequestLimit(burst: 60, rate: 5)
        var requests = RequestLimit(burst: 400, rate: 50)
        /// Requests without a token, or with a wrong one. Behind an undeclared proxy, all clients
        /// share its address. Requests without a token must not use up the budget of clients with a
        /// link.
        var withoutToken = RequestLimit(burst: 400, rate: 50)
        /// Text messages.
        var messages = RequestLimit(burst: 5, rate: 0.5)
        /// Wrong tokens.
        var mistakes = RequestLimit(burst: 20, rate: 0.5)
    }

    let room: Room
    let access: Access
    let control: RoomControl
    private let origins: AllowedOrigins
    /// The origin at which a proxy shows the room's page; nil without a proxy.
    private let publicOrigin: String?
    /// The title of the page; nil if none.
    private let title: String?
    private let limits = Mutex(Limits())

    /// - Parameter origins: The other pages that may use the room.
    init(
        room: Room, access: Access, origins: AllowedOrigins, publicOrigin: String?,
        control: RoomControl, title: String?
    ) {
        self.publicOrigin = publicOrigin
        self.title = title
        self.room = room
        self.access = access
        self.origins = origins
        self.control = control
    }

    /// Answers a request.
    ///
    /// - Parameter client: The client's address; nil: unknown.
    func respond(
        to request: RoomRequest, from client: ClientAddress?
    ) async throws -> HTTPReply {
        let reply = try await reply(to: request, from: client)
        guard let origin = request.head["origin"], origins.allows(origin) else { return reply }
        return reply.allowing(origin, isPreflight: request.method == "OPTIONS")
    }

    private func reply(
        to request: RoomRequest, from client: ClientAddress?
    ) async throws -> HTTPReply {
        do {
            return try await answer(request, from: client)
        } catch let error as RequestError {
            return HTTPReply.refused(error.code.rawValue, error.description)
        } catch let error as PluginError {
            room.services.host.log(.warning, "a request failed: \(error.text)")
            return HTTPReply.refused(500, "The request failed; the room's log has the cause.")
        }
    }

    private func answer(
        _ request: RoomRequest, from client: ClientAddress?
    ) async throws -> HTTPReply {
        let role = access.role(ofHeader: request.head["authorization"])
        let path = request.head.parts
        let sender = sender(of: request, path, role, client)
        guard allows(role == nil ? \.withoutToken : \.requests, sender) else {
            return Self.tooMany
        }
        let isAllowed = isOwn(request) || origins.allows(request.head["origin"])
        if request.method == "OPTIONS" {
            // Browsers send OPTIONS without the token.
            return isAllowed ? HTTPReply.options(links: role == nil ? [] : links) : Self.otherPage
        }
        if let response = try await respondToProgram(request, path, role, sender) {
            return response
        }
        if request.method == "GET", let file = PageFile(path: path) {
            return HTTPReply.file(file.bytes, file.type)
        }
        guard let role else {
            guard allows(\.mistakes, sender) else { return Self.tooMany }
            return HTTPReply.refused(401, "The link is not of this room, or of an earlier session.")
        }
        if request.method != "GET" {
            guard isAllowed else { return Self.otherPage }
            guard allows(\.changes, sender) else { return Self.tooMany }
        }
        return try await respond(to: request, path, role, client, sender)
    }

    /// Whether the room's own page sends a request, or a program without an origin.
    func isOwn(_ request: RoomRequest) -> Bool {
        let origin = request.head["origin"]
        return Access.isSameOrigin(origin, host: request.head["host"])
            || publicOrigin.map { origin?.lowercased() == $0 } ?? false
    }

    /// The STUN and TURN servers, for programs.
    private var links: [String] {
        room.services.network.servers.links(at: RoomNetwork.now)
    }

    private func respond(
        to request: RoomRequest, _ path: [String], _ role: Access.Role, _ client: ClientAddress?,
        _ sender: String
    ) async throws -> HTTPReply {
        func needs(_ needed: Access.Role) throws(RequestError) {
            guard role >= needed else {
                throw RequestError(.forbidden, "The link does not allow that.")
            }
        }
        let query = Dictionary(
            request.head.parameters, uniquingKeysWith: { first, _ in first })
        if let reply = try respondToPeople(request, path, query, role, sender) { return reply }
        switch (request.method, path.first, path.count) {
        case ("GET", "room", 1):
            return try HTTPReply.json(
                await description(
                    for: role, guest: query["guest"], viewer: query["viewer"],
                    after: query["after"].flatMap { Int($0) },
                    messages: query["messages"].flatMap { Int($0) }))
        case ("POST", "whep", 1...2):
            let offer = try Self.offer(in: request)
            let (id, answer) = try await room.watch(
                Self.subject(path.dropFirst().first), offer: offer, from: client)
            return HTTPReply.created(answer, in: "viewers", id, links: links)
        case ("PUT", "viewers", 3) where path[2] == "slots":
            try room.wish(try Self.wishes(in: request), of: path[1])
            return HTTPReply.done
        case ("PUT", "viewers", 3) where path[2] == "volumes":
            try room.set(try Self.volumes(in: request), of: path[1])
            return HTTPReply.done
        case ("DELETE", "viewers", 2):
            guard room.remove(viewer: path[1], because: nil) else { throw Self.noConnection }
            return HTTPReply.done
        case ("POST", "whip", 1):
            try needs(.guest)
            let offer = try Self.offer(in: request)
            let (id, answer) = try await room.join(
                query["name"] ?? "Guest", isRecorded: try Self.isRecorded(query), offer: offer,
                sharer: query["share-of"],
                listener: query["viewer"])
            return HTTPReply.created(answer, in: "guests", id, links: links)
        case ("PATCH", "viewers", 2):
            let fragment = try Self.candidates(in: request, of: path[1])
            try room.take(fragment) { $0.viewers[path[1]]?.peer }
            return HTTPReply.done
        case ("PATCH", "guests", 2) where query.isEmpty || !request.type.isEmpty:
            try needs(.guest)
            let fragment = try Self.candidates(in: request, of: path[1])
            try room.take(fragment) { $0.guests[path[1]]?.peer }
            return HTTPReply.done
        case ("PATCH", "guests", 2):
            try needs(.guest)
            if let viewer = query["viewer"] { try room.listen(path[1], through: viewer) }
            try room.mute(
                path[1], camera: try Self.isOff(query["camera"]),
                microphone: try Self.isOff(query["microphone"]))
            return HTTPReply.done
        case ("DELETE", "guests", 2):
            try needs(.guest)
            guard room.remove(guest: path[1], because: nil) else { throw Self.noConnection }
            return HTTPReply.done
        default:
            throw RequestError(.notFound, "Not found.")
        }
    }

    private static let noConnection = RequestError(
        .notFound,
        "The connection ended, or never existed.")

    // MARK: Parts of requests

    /// The key that a request's limits apply to. A request that names a connection counts for the connection,
    /// so that people behind one address don't use up each other's budget. Other requests count for the
    /// address and the link.
    private func sender(
        of request: RoomRequest, _ path: [String], _ role: Access.Role?, _ client: ClientAddress?
    ) -> String {
        let address = client?.text ?? ""
        guard let role else { return address }
        let isOfOne = path.count >= 2 && ["viewers", "guests"].contains(path[0])
        let named =
            isOfOne
            ? path[1]
            : request.head.parameters.first { ["viewer", "guest"].contains($0.name) }?.value
        if let named, room.has(named) { return "connection \(named)" }
        return "\(role.rawValue) \(address)"
    }

    private static var otherPage: HTTPReply {
        HTTPReply.refused(
            403,
            "The request comes from another page. The setting allow-origins can allow its origin.")
    }

    private static var tooMany: HTTPReply {
        HTTPReply.refused(429, "Too many requests: wait a moment.")
    }

    func allows(
        _ limit: WritableKeyPath<Limits, RequestLimit>, _ sender: String
    ) -> Bool {
        let now = Double(greenroom_gst_now()) / 1e9
        return limits.withLock { $0[keyPath: limit].allows(sender, at: now) }
    }

    private static func offer(in request: RoomRequest) throws -> String {
        guard request.type.hasPrefix("application/sdp") else {
            throw RequestError.bad("the Content-Type is not application/sdp")
        }
        let body = try body(of: request, atMost: SDPDescription.longest)
        guard let text = String(data: body, encoding: .utf8) else {
            throw RequestError.bad("the offer is not UTF-8")
        }
        return text
    }

    /// Candidates that follow an offer, by RFC 9725.
    private static func candidates(
        in request: RoomRequest, of id: String
    ) throws -> CandidateFragment {
        guard request.type.hasPrefix(CandidateFragment.type) else {
            throw RequestError(.otherType, "The body is \(CandidateFragment.type).")
        }
        if let tag = request.head["if-match"], tag != "*", tag != HTTPReply.tag(of: id) {
            throw RequestError(.stale, "If-Match is not the ETag of the connection.")
        }
        let body = try body(of: request, atMost: CandidateFragment.longest)
        guard let text = String(data: body, encoding: .utf8) else {
            throw RequestError.bad("the candidates are not UTF-8")
        }
        return try CandidateFragment(text)
    }

    private static func body(
        of request: RoomRequest, atMost longest: Int
    ) throws(RequestError) -> Data {
        guard request.body.count <= longest else { throw .tooLarge }
        return request.body
    }

    /// The slots that a page asks for: `[{"slot": 0, "stream": 3, "lines": 720}]`.
    private static func wishes(in request: RoomRequest) throws -> [SlotWish] {
        struct Wish: Decodable {
            var slot: Int
            var stream: UInt32
            var lines: Int
        }
        let body = try body(of: request, atMost: 4096)
        guard let wishes = try? JSONDecoder().decode([Wish].self, from: body) else {
            throw RequestError.bad(
                "the body is not JSON such as [{\"slot\": 0, \"stream\": 3, \"lines\": 720}]")
        }
        return wishes.map { SlotWish(slot: $0.slot, stream: $0.stream, lines: $0.lines) }
    }

    /// The volumes that a page asks for: `[{"participant": 3, "percent": 50}]`; the session's own audio has no
    /// participant.
    private static func volumes(in request: RoomRequest) throws -> PersonVolumes {
        struct Wish: Decodable {
            var participant: UInt32?
            var percent: Int
        }
        let body = try body(of: request, atMost: 4096)
        guard let wishes = try? JSONDecoder().decode([Wish].self, from: body) else {
            throw RequestError.bad(
                "the body is not JSON such as [{\"participant\": 3, \"percent\": 50}]")
        }
        return try PersonVolumes(
            wishes.map { .init(participant: $0.participant, percent: $0.percent) })
    }

    private static func subject(_ text: String?) throws(RequestError) -> Room.Subject {
        guard let text else { return .first }
        switch text {
        case "audio": return .audio
        case "slots": return .slots
        default: break
        }
        guard let id = UInt32(text) else { throw RequestError(.notFound, "No such stream.") }
        return .stream(id)
    }

    private static func isOff(_ text: String?) throws(RequestError) -> Bool? {
        switch text {
        case nil: nil
        case "off": true
        case "on": false
        default: throw .bad("camera and microphone are on or off")
        }
    }

    // MARK: Description of the room

    /// Waits for a change, up to 10 s.
    private func description(
        for role: Access.Role, guest: String?, viewer: String?, after: Int?,
        messages: Int?
    ) async -> RoomDescription {
        if let guest { room.ask(as: guest) }
        room.polls.add(1, ordering: .relaxed)
        defer { room.polls.subtract(1, ordering: .relaxed) }
        let seen = room.changes.count
        if room.revision == after { await room.changes.wait(after: seen, atMost: .seconds(10)) }
        var description = room.description(
            for: role, guest: guest, viewer: viewer, messages: messages)
        description.title = title
        description.invite = role >= .guest ? access.tokens[.guest] : nil
        description.control = role == .operator && control.session != nil ? true : nil
        return description
    }
}
