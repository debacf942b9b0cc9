import Dispatch
import GreenroomPlugin
import GreenroomRoom
import Synchronization

/// A connection with a media server, which is made anew whenever it is lost.
final class ServerLink: Sendable {
    /// Where a server is, and what it is for.
    struct Plan: Sendable {
        var purpose: ServerPurpose
        var address: ServerAddress
        var token: String?
        var codec: VideoCodec
        /// What a participant is called who is fetched.
        var name: String
    }

    private struct State {
        var task: Task<Void, Never>?
        /// Where the connection can be ended.
        var resource: String?
    }

    /// How long the end of a connection may take: a session does not end later because of a server.
    private static let longestEnd: Int32 = 1500

    private let plan: Plan
    private let room: Room
    private let state = Mutex(State())

    init(_ plan: Plan, room: Room) {
        self.plan = plan
        self.room = room
    }

    private var host: PluginHost { room.services.host }

    /// Connects, and stays connected until ``stop()``.
    func start() {
        state.withLock { $0.task = Task { [self] in await run() } }
    }

    /// Ends the connection, and tells the server. Waits a moment for it.
    func stop() {
        let task = state.withLock { state in
            defer { state.task = nil }
            return state.task
        }
        task?.cancel()
        if let request = ending {
            var request = request
            request.milliseconds = Int(Self.longestEnd)
            _ = request.reply()
        }
    }

    private func run() async {
        var backoff = ServerBackoff()
        while !Task.isCancelled {
            var wait = 0
            do throws(ServerProblem) {
                let (id, peer) = try await connect()
                try await untilConnected(id, peer)
                backoff.reset()
                report(true)
                host.log(.info, "\(plan.address.origin): \(done)")
                await untilGone(id)
                report(false)
                guard !Task.isCancelled else { return }
                host.log(.warning, "\(plan.address.origin): the connection is lost")
                if let request = ending { _ = await request.send() }
            } catch {
                guard !Task.isCancelled else { return }
                wait = error.after
                host.log(.warning, "\(plan.address.origin): \(error.text)")
            }
            let seconds = backoff.next(wanted: wait)
            host.log(.info, "\(plan.address.origin): tried again in \(seconds) s")
            try? await Task.sleep(for: .seconds(seconds))
        }
    }

    private var done: String {
        plan.purpose == .publish
            ? "the session is sent there" : "\(plan.name) is fetched from there"
    }

    private func report(_ isConnected: Bool) {
        host.report("\(plan.purpose == .publish ? "published" : "fetched")", isConnected ? 1 : 0)
    }

    /// The request that ends the connection; nil without one. It is made once.
    private var ending: ServerRequest? {
        state.withLock { $0.resource.take() }.map {
            ServerRequest(method: "DELETE", url: $0, token: plan.token)
        }
    }

    /// Makes an offer, and takes the server's answer.
    ///
    /// - Returns: The connection's id in the room, and its peer.
    private func connect() async throws(ServerProblem) -> (id: String, peer: Peer) {
        let connection: (id: String, peer: Peer, offer: String, hasVideo: Bool)
        do {
            connection = try await room.connect(
                plan.purpose, plan.codec, named: plan.name, at: plan.address.local)
        } catch let error as SignallingError {
            throw ServerProblem(text: error.text)
        } catch {
            throw ServerProblem(text: "no offer can be made: \(error)")
        }
        do throws(ServerProblem) {
            let reply = await ServerRequest(
                method: "POST", url: plan.address.url, token: plan.token, offer: connection.offer
            ).send()
            if reply.status == 201 { state.withLock { $0.resource = reply.location } }
            let answer = try reply.answer(for: plan.purpose, hasVideo: connection.hasVideo)
            do throws(SignallingError) {
                try connection.peer.take(answer: answer)
            } catch {
                throw ServerProblem(text: "its answer can't be used. \(error.text)")
            }
        } catch {
            room.disconnect(connection.id)
            if let request = ending { _ = await request.send() }
            throw error
        }
        return (connection.id, connection.peer)
    }

    /// Waits until media can flow.
    private func untilConnected(_ id: String, _ peer: Peer) async throws(ServerProblem) {
        while !Task.isCancelled, !peer.isConnected {
            guard room.has(id) else {
                if let request = ending { _ = await request.send() }
                throw ServerProblem(
                    text:
                        "it has answered, but no media get through. Check that firewalls let UDP pass."
                )
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Waits until the room has given the connection up, or for the end.
    private func untilGone(_ id: String) async {
        while !Task.isCancelled, room.has(id) {
            try? await Task.sleep(for: .milliseconds(250))
        }
    }
}
