import FlyingSocks
import Foundation
import Glibc
import GreenroomRoom

/// A connection of the page's server: requests, one after the other, and their answers.
///
/// Each step has a time; a connection that takes longer is shut down by the server, and reading or writing
/// fails.
final class RoomConnection {
    /// How long a head may take, a body, an answer to be made, and 16 kB of it to be sent.
    static let headSeconds = 10.0
    private static let bodySeconds = 10.0
    private static let answerSeconds = 40.0
    private static let writeSeconds = 15.0
    /// How long an answer of a known length may take to be sent: those who read slowly keep a place.
    private static let sendSeconds = 60.0
    /// How long a connection waits for the next request.
    private static let idleSeconds = 60.0
    /// How long, and for how much, what a refused request still sends is read: a sender that is cut off
    /// may not read the answer.
    private static let lingerSeconds = 2.0
    private static let longestLinger = 1 << 20

    private let id: Int
    private let socket: AsyncSocket
    private let peer: ClientAddress?
    private let proxy: ClientAddress?
    private let server: RoomServer
    /// What has come, and is not read yet.
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - peer: What it is from; nil: unknown.
    ///   - proxy: A proxy that says whom it speaks for; nil: none.
    init(
        id: Int, socket: AsyncSocket, peer: ClientAddress?, proxy: ClientAddress?,
        server: RoomServer
    ) {
        (self.id, self.socket, self.peer, self.proxy) = (id, socket, peer, proxy)
        self.server = server
    }

    /// Serves until the far end, a limit or the room ends it.
    func serve(_ handler: RoomHandler) async {
        do {
            while try await answer(with: handler) {}
        } catch let fault as RequestHead.Fault {
            await refuse(fault)
        } catch {
            // It has ended.
        }
    }

    /// Answers the next request.
    ///
    /// - Returns: Whether another one may follow.
    private func answer(with handler: RoomHandler) async throws -> Bool {
        let head = try await head()
        try begin(isBusy: false, for: Self.bodySeconds)
        if head.waitsToContinue, head.length > received.count {
            try await socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        while received.count < head.length {
            try await read(atMost: head.length - received.count)
        }
        let body = Data(received.prefix(head.length))
        received.removeFirst(head.length)
        try begin(isBusy: true, for: Self.answerSeconds)
        let reply = try await reply(to: RoomRequest(head: head, body: body), handler)
        try await send(reply, isKept: head.isKept, isHead: head.method == "HEAD")
        return head.isKept
    }

    private func head() async throws -> RequestHead {
        if !received.isEmpty { try begin(isBusy: false, for: Self.headSeconds) }
        var head = try takeHead(from: 0)
        while head == nil {
            let looked = received.count
            try await read(atMost: RequestHead.longest - looked)
            // The time of the head begins with it, and with the connection.
            if looked == 0 { try begin(isBusy: false, for: Self.headSeconds) }
            head = try takeHead(from: looked - 3)
        }
        guard let head else { throw SocketError.disconnected }
        return head
    }

    /// Takes a head from what has come; nil: it is not whole yet.
    ///
    /// Not inlined: the compiler crashes on a function that may wait and throws an error of this type.
    ///
    /// - Parameter begin: Where its end may begin.
    @inline(never) private func takeHead(from begin: Int) throws -> RequestHead? {
        guard let end = RequestHead.end(in: received, from: begin) else {
            guard received.count < RequestHead.longest else {
                throw RequestHead.Fault(status: 431, text: "The head of the request is too large.")
            }
            return nil
        }
        let head = try RequestHead(received[..<end])
        guard head.length <= RequestHead.longestBody else {
            throw RequestHead.Fault(status: 413, text: SignallingError.tooLarge.text)
        }
        received.removeFirst(end)
        return head
    }

    private func read(atMost count: Int) async throws {
        let bytes = try await socket.read(atMost: count)
        received += bytes
    }

    private func reply(to request: RoomRequest, _ handler: RoomHandler) async throws -> Reply {
        do {
            return try await handler.respond(
                to: request,
                from: ClientAddress.of(
                    peer: peer, proxy: proxy, forwarded: request.head["x-forwarded-for"]))
        } catch {
            try Task.checkCancellation()
            return Reply.refused(500, "The room could not do it.")
        }
    }

    // MARK: Sending

    private func send(_ reply: Reply, isKept: Bool, isHead: Bool = false) async throws {
        var text = "HTTP/1.1 \(reply.status) \(reply.phrase)\r\n"
        for header in reply.headers { text += "\(header.name): \(header.value)\r\n" }
        text += "Connection: \(isKept ? "keep-alive" : "close")\r\n"
        switch reply.body {
        case .data(let data):
            if reply.status != 204 { text += "Content-Length: \(data.count)\r\n" }
            // A small answer is one write.
            try await write(
                Data((text + "\r\n").utf8) + (isHead ? Data() : data),
                until: ContinuousClock.now + .seconds(Self.sendSeconds))
        case .events(var events):
            text += "Transfer-Encoding: chunked\r\n\r\n"
            try await write(Data(text.utf8), until: nil)
            if isHead { break }
            while let part = try await events.text() {
                let size = String(part.utf8.count, radix: 16)
                try await write(Data("\(size)\r\n\(part)\r\n".utf8), until: nil)
            }
            try await write(Data("0\r\n\r\n".utf8), until: nil)
        }
        try begin(isBusy: false, for: Self.idleSeconds)
    }

    /// Writes bytes; each 16 kB have their time, and so have all of an answer.
    private func write(_ bytes: Data, until end: ContinuousClock.Instant?) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let left = end.map { ContinuousClock.now.duration(to: $0) / .seconds(1) }
            try begin(isBusy: true, for: min(Self.writeSeconds, left ?? .infinity))
            try await socket.write(Data(rest.prefix(16_384)))
            rest = rest.dropFirst(16_384)
        }
        // A stream of events waits for the next one.
        try begin(isBusy: true, for: Self.answerSeconds)
    }

    /// Says why a request is not read, and ends.
    private func refuse(_ fault: RequestHead.Fault) async {
        do {
            try await send(Reply.refused(fault.status, fault.text), isKept: false)
            try begin(isBusy: false, for: Self.lingerSeconds)
            Glibc.shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
            var rest = Self.longestLinger
            while rest > 0 { rest -= try await socket.read(atMost: 4096).count }
        } catch {
            // It has ended.
        }
    }

    private func begin(isBusy: Bool, for seconds: Double) throws {
        guard server.allows(id, isBusy: isBusy, for: seconds) else {
            throw SocketError.disconnected
        }
    }
}
