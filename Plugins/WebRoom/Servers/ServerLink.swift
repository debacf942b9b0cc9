import Dispatch
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// A connection with a media server, which is made again whenever it is lost.
final class ServerLink: Sendable {
    /// A server's address and purpose.
    struct Plan: Sendable {
        var purpose: ServerPurpose
        var address: ServerAddress
        var token: String?
        var codec: RoomCodec
        /// The name of the fetched participant.
        var name: String
    }

    private struct State {
        var task: Task<Void, Never>?
        /// The total duration of connections that have ended.
        var lasted = Duration.zero
        /// The time at which the present connection began.
        var begun: ContinuousClock.Instant?
        /// The address at which a DELETE ends the connection.
        var resource: String?
        /// The rooms that the offer names.
        var rooms: [String] = []
        /// The server, if it is a room.
        var target: String?
        /// Whether the offer has layers of the video. A server that does not accept such an offer gets another one.
        var offersLayers = true
        /// The number of layers that the server accepts; 0: one stream.
        var layers = 0
    }

    /// The time that the request that ends a connection may take, in milliseconds: a session does not end
    /// later because of a server.
    private static let longestEnd = 1500
    /// A connection that has lasted so long has worked.
    private static let shortestSuccess = Duration.seconds(10)

    private let plan: Plan
    private let room: Room
    private let state = Mutex(State())
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ plan: Plan, room: Room) {
        self.plan = plan
        self.room = room
    }

    private var host: PluginHost { room.services.host }

    /// Connects, and stays connected until ``cancel()``.
    func start() {
        state.withLock { state in
            state.task = Task { [self] in
                await run()
                await end()
                hasEnded.signal()
            }
        }
    }

    /// Begins to end the connection.
    func cancel() { state.withLock { $0.task }?.cancel() }

    /// Ends the connection if it fetches a participant, who would keep a drained session.
    func endFetch() {
        guard plan.purpose == .fetch else { return }
        cancel()
        room.disconnectFetched()
    }

    /// Waits for the end, until a server has had its time.
    func finish(until deadline: DispatchTime) {
        guard state.withLock({ $0.task.take() }) != nil else { return }
        _ = hasEnded.wait(timeout: deadline)
    }

    /// The time that ends may take together.
    static var endDeadline: DispatchTime { .now() + .milliseconds(longestEnd + 300) }

    private func run() async {
        var backoff = ServerBackoff()
        while !Task.isCancelled {
            var wait = 0
            do throws(ServerError) {
                let (id, peer) = try await connect()
                try await untilConnected(id, peer)
                guard !Task.isCancelled else { return }
                let begun = ContinuousClock.now
                state.withLock { $0.begun = begun }
                say(.info, done)
                await untilGone(id)
                setEnded()
                guard !Task.isCancelled else { return }
                guard !room.wasDismissed(id) else {
                    return say(
                        .info, "the operator removed \(plan.name); not fetching again")
                }
                if room.has(id) {
                    room.disconnect(id)
                    await end()
                    say(.info, "connecting again, because another room joined")
                    continue
                }
                say(.warning, "the connection is lost")
                if ContinuousClock.now - begun > Self.shortestSuccess { backoff.reset() }
            } catch {
                guard !Task.isCancelled else { return }
                wait = error.retryAfter
                say(.warning, error.description)
            }
            await end()
            let seconds = backoff.next(wanted: wait)
            say(.info, "retrying in \(seconds) s")
            try? await Task.sleep(for: .seconds(seconds))
        }
    }

    private var done: String {
        guard plan.purpose == .publish else { return "\(plan.name) is fetched from there" }
        let layers = state.withLock { $0.layers }
        return "the session is sent there" + (layers == 0 ? "" : ", in \(layers) renditions")
    }

    private func say(_ level: PluginHost.LogLevel, _ text: String) {
        host.log(level, "\(plan.address.origin): \(text)")
    }

    private func setEnded() {
        state.withLock { state in
            if let begun = state.begun.take() { state.lasted += ContinuousClock.now - begun }
        }
        report()
    }

    /// Reports how long the server was connected, in whole seconds. Called every second.
    func report() {
        let seconds = state.withLock { state in
            let now = state.begun.map { ContinuousClock.now - $0 } ?? .zero
            return (state.lasted + now).components.seconds
        }
        host.report("\(plan.purpose.participle)-seconds", Int(seconds))
    }

    /// Tells the server that the connection has ended, if there was one.
    private func end() async {
        guard let resource = state.withLock({ $0.resource.take() }) else { return }
        var request = ServerRequest(method: "DELETE", url: resource, token: plan.token)
        request.milliseconds = Self.longestEnd
        _ = await request.send()
    }

    /// Makes an offer, and takes the server's answer.
    ///
    /// - Returns: The connection's id in the room, and its peer.
    private func connect() async throws(ServerError) -> (id: String, peer: Peer) {
        let connection: (id: String, peer: Peer, offer: String, hasVideo: Bool)
        let offersLayers = plan.purpose == .publish && state.withLock { $0.offersLayers }
        do {
            connection = try await room.connect(
                plan.purpose, plan.codec, inLayers: offersLayers, named: plan.name,
                at: plan.address.local)
        } catch let error as RequestError {
            throw ServerError(error.description)
        } catch {
            throw ServerError("cannot make an offer: \(error)")
        }
        let inLayers = offersLayers && connection.hasVideo
        let rooms = room.rooms(for: state.withLock { $0.target })
        state.withLock { $0.rooms = rooms }
        do throws(ServerError) {
            let reply = await ServerRequest(
                method: "POST", url: plan.address.url, token: plan.token,
                offer: SDPDescription.marked(connection.offer, with: rooms)
            ).send()
            if reply.status == 201 { keep(reply.location) }
            if inLayers, reply.refusesOffer {
                state.withLock { $0.offersLayers = false }
                throw ServerError(
                    "an offer of \(Simulcast.offered.count) renditions is not accepted "
                        + "(\(reply.status)). The next offer has one.")
            }
            let (answer, warning) = try reply.answer(
                for: plan.purpose, hasVideo: connection.hasVideo, name: plan.name)
            if let warning { say(.warning, warning) }
            state.withLock { $0.target = answer.rooms.first }
            do throws(RequestError) {
                let layers = try room.accept(
                    answer, to: connection.offer, of: connection.id, connection.peer)
                state.withLock { $0.layers = layers }
                if inLayers, layers == 0 {
                    say(.info, "the answer has no simulcast: the server gets one rendition")
                }
            } catch {
                // Another fault of the answer would stay with one rendition.
                let isOfLayers = inLayers && answer.hasLayers
                if isOfLayers { state.withLock { $0.offersLayers = false } }
                throw ServerError(
                    "the answer is not usable. \(error)"
                        + (isOfLayers ? " The next offer has one rendition." : ""))
            }
        } catch {
            room.disconnect(connection.id)
            throw error
        }
        return (connection.id, connection.peer)
    }

    /// Keeps where the connection can be ended.
    private func keep(_ location: String?) {
        // Do not send the token over http.
        if let location, plan.address.url.hasPrefix("https:"), !location.hasPrefix("https:") {
            return say(
                .warning,
                "the server's URL for ending the connection is not https; leaving the end to its timeout"
            )
        }
        state.withLock { $0.resource = location }
    }

    /// Waits until media can flow.
    private func untilConnected(_ id: String, _ peer: Peer) async throws(ServerError) {
        while !Task.isCancelled {
            let seen = room.changes.count
            guard !peer.isConnected else { return }
            guard room.has(id) else {
                throw ServerError(
                    "the server answered, but media do not connect: \(peer.trouble ?? "connection ended")."
                )
            }
            await room.changes.wait(after: seen, atMost: .seconds(1))
        }
    }

    /// Waits until the room has given the connection up, until the server must learn of other rooms, or for
    /// the end.
    private func untilGone(_ id: String) async {
        let (rooms, target) = state.withLock { (Set($0.rooms), $0.target) }
        while !Task.isCancelled {
            let seen = room.changes.count
            guard room.has(id),
                plan.purpose == .fetch || rooms.isSuperset(of: room.rooms(for: target))
            else { return }
            await room.changes.wait(after: seen, atMost: .seconds(1))
        }
    }
}
