import CGStreamer
import Glibc
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// A WebRTC connection: a pipeline with a `webrtcbin`, which answers one offer, or makes one.
final class Peer: Sendable {
    /// The state of a connection.
    enum Connection: Equatable {
        case new, connected, gone
    }

    /// A part of the pipeline that receives media.
    struct Receiver: Sendable {
        /// The elements, with one open end.
        var elements: String
        /// Called when the elements are in the pipeline and begin to receive media.
        var onAdded: @Sendable () -> Void
    }

    /// The events that a peer reports to the room, on the pipeline's threads.
    struct Events: Sendable {
        var onConnected: @Sendable () -> Void = {}
        var onGone: @Sendable (String) -> Void = { _ in }
        /// Called when media of a codec arrive. Returns their receiver; nil to ignore the media.
        var onMedia: @Sendable (String) -> Receiver? = { _ in nil }
        /// The far end reports what arrived of what was sent to it.
        var onFeedback: @Sendable (greenroom_peer_feedback) -> Void = { _ in }
    }

    private struct State {
        var connection = Connection.new
        var begun: UInt64
        var lastHeard: UInt64
        /// The continuation that waits for its description.
        var description: CheckedContinuation<String, any Error>?
        /// The session that later candidates of the far end must match; nil before its description.
        var target: CandidateTarget?
        /// The webrtcbin; nil from the end on, because its callbacks retain the peer.
        var webrtc: Element?
        /// The candidates that are tried: the room's, and the far end's.
        var local: [SDPDescription.Candidate] = []
        var remote: [SDPDescription.Candidate] = []
        /// Whether all candidates were tried in vain.
        var hasFailed = false
        /// The reason why media have not connected in time.
        var trouble: String?
        /// The meters of the streams that arrive, by their codec.
        var meters: [String: PacketMeter] = [:]
        /// The fingerprints of the far end's description. The certificate must match one of them.
        var fingerprints: [SDPDescription.Fingerprint] = []
        /// Whether the far end's certificate matched no fingerprint.
        var isRefused = false
    }

    private final class Warning: Sendable {
        let text = Mutex<String?>(nil)
    }

    /// The time that an answer and a connection may take.
    private static let longestConnecting: UInt64 = 15_000_000_000
    /// The time to wait for servers of STUN and TURN, in seconds.
    private static let longestGathering = 4
    /// The time that the answer to an offer may take.
    private static let longestAnswer: UInt64 = 25_000_000_000
    /// A peer that sends nothing has vanished: browsers report on what they get every few seconds.
    /// A network may be away for 10 s.
    private static let longestSilence: UInt64 = 13_000_000_000

    let pipeline: Pipeline
    private let events: Events
    private let state: Mutex<State>
    private let network: RoomNetwork
    /// The time on GStreamer's clock at which the pipeline's time begins.
    private let base: UInt64
    /// All that arrives.
    private let meter: PacketMeter
    /// The last warning of the pipeline's elements.
    private let warnings = Warning()
    /// Whether a packet has arrived since ``fault(now:)`` was last asked. [each packet]
    private let hasHeard = Atomic(false)

    /// - Parameter bounds: The limits of what the far end may send.
    init(
        latencyMilliseconds: Int, bounds: StreamLimit.Bounds, events: Events,
        services: RoomServices
    ) throws(PluginError) {
        self.events = events
        (network, base) = (services.network, services.clock.base)
        meter = PacketMeter(bounds, onExcess: events.onGone)
        let now = greenroom_gst_now()
        state = Mutex(State(begun: now, lastHeard: now))
        pipeline = try Pipeline(
            "webrtcbin name=peer bundle-policy=max-bundle latency=\(latencyMilliseconds)",
            onWarning: { [warnings] text in warnings.text.withLock { $0 = text } },
            onError: { text in events.onGone(text) })
        do throws(PluginError) {
            let webrtc = try pipeline.child("peer")
            try pipeline.play(from: services.clock.base)
            state.withLock { $0.webrtc = webrtc }
        } catch {
            pipeline.stop()
            throw error
        }
    }

    /// The received media.
    struct Receiving {
        var audioCaps: String?
        var videoCaps: String?
    }

    /// Answers the offer.
    ///
    /// - Parameters:
    ///   - receiving: Nil: the peer is only sent to.
    ///   - address: The only address to be reached at; nil: all of the machine.
    ///   - rooms: The rooms that the answer names.
    /// - Throws: ``RequestError``.
    func answer(
        _ answer: SDPAnswer, receiving: Receiving?, address: String?, rooms: [String]
    ) async throws -> String {
        let offer = answer.offerForRoom
        state.withLock { state in
            state.target = answer.candidateTarget
            state.remote = offer.media.flatMap(\.transport.candidates)
            state.fingerprints = offer.fingerprints
        }
        let local = try SDPDescription(
            await describe(answering: offer.text, receiving: receiving, address: address))
        keep(local)
        var description = try answer.description(with: local)
        description.rooms = rooms
        return description.text
    }

    /// Takes candidates that follow the far end's offer.
    func take(_ fragment: CandidateFragment) throws(RequestError) {
        let (webrtc, candidates) = try state.withLock { state throws(RequestError) in
            guard let webrtc = state.webrtc else { throw RequestError.hasClosed }
            let candidates = try state.target?.take(fragment) ?? []
            state.remote += candidates.map { $0.address }
            return (webrtc, candidates)
        }
        for candidate in candidates {
            greenroom_peer_take_candidate(
                webrtc.pointer, UInt32(clamping: candidate.line), candidate.address.text)
        }
    }

    /// Makes an offer to a far end that answers.
    ///
    /// - Parameters:
    ///   - receiving: Nil: the peer only sends.
    ///   - address: The only address to be reached at; nil: all of the machine.
    /// - Throws: ``RequestError``.
    func offer(receiving: Receiving?, address: String?) async throws -> String {
        // The far end has this long to answer.
        state.withLock { $0.begun = greenroom_gst_now() + Self.longestAnswer }
        let text = try await describe(answering: nil, receiving: receiving, address: address)
        if let local = try? SDPDescription(text) { keep(local) }
        return text
    }

    /// Keeps the room's candidates, so that an error can name the ones that were tried.
    private func keep(_ local: SDPDescription) {
        state.withLock { $0.local = local.media.flatMap(\.transport.candidates) }
    }

    /// Takes the far end's answer to its offer. May wait.
    func take(_ answer: ServerAnswer) throws(RequestError) {
        let webrtc = state.withLock { state in
            state.begun = greenroom_gst_now()
            state.remote = answer.description.media.flatMap(\.transport.candidates)
            state.fingerprints = answer.description.fingerprints
            return state.webrtc
        }
        guard let webrtc else { throw RequestError.hasClosed }
        guard let why = greenroom_peer_take_answer(webrtc.pointer, answer.description.text) else {
            return
        }
        defer { free(why) }
        throw .bad(String(cString: why))
    }

    private func describe(
        answering offer: String?, receiving: Receiving?, address: String?
    ) async throws -> String {
        let late = Task { [weak self] in
            try await Task.sleep(for: .seconds(8))
            self?.resume(.failure(RequestError(.failed, "The answer took too long.")))
        }
        defer { late.cancel() }
        let gathering = Task { [weak self] in
            try await Task.sleep(for: .seconds(Self.longestGathering))
            self?.describeNow()
        }
        defer { gathering.cancel() }
        let text: String = try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.description = continuation }
            begin(offer, receiving: receiving, address: address)
        }
        return network.announcement.applied(to: text)
    }

    /// Goes on without the candidates that a silent STUN or TURN server owes.
    private func describeNow() {
        guard let webrtc = state.withLock({ $0.webrtc }),
            let text = greenroom_peer_description(webrtc.pointer)
        else { return }
        defer { free(text) }
        let description = String(cString: text)
        if description.contains("a=candidate:") { resume(.success(description)) }
    }

    private func begin(_ offer: String?, receiving: Receiving?, address: String?) {
        guard let webrtc = state.withLock({ $0.webrtc }) else {
            return resume(.failure(RequestError.hasClosed))
        }
        var calls = greenroom_peer_calls(
            described: { value, sdp, why in
                let peer = greenroom_gst_context.object(value, Peer.self)
                if let sdp {
                    peer.resume(.success(String(cString: sdp)))
                } else {
                    let reason = why.map { String(cString: $0) } ?? "cannot make a description"
                    peer.resume(.failure(RequestError.bad(reason)))
                }
            },
            state_changed: { value, state in
                greenroom_gst_context.object(value, Peer.self).follow(Int(state))
            },
            pad_added: { value, pad, encoding in
                let peer = greenroom_gst_context.object(value, Peer.self)
                peer.link(pad, String(cString: encoding))
            },
            trusts: { value, pem in
                greenroom_gst_context.object(value, Peer.self).trusts(pem)
            },
            heard: { value, packets, bytes in
                let peer = greenroom_gst_context.object(value, Peer.self)
                peer.hasHeard.store(true, ordering: .relaxed)
                return peer.meter.passes(packets, bytes, endsFrame: false)
            },
            fed_back: { value, feedback in
                greenroom_gst_context.object(value, Peer.self).events.onFeedback(feedback.pointee)
            })
        let servers = network.servers.forAgent(at: RoomNetwork.now)
        let turn = servers.turn.isEmpty ? nil : servers.turn.joined(separator: "\n")
        let texts = [
            offer, receiving?.audioCaps, receiving?.videoCaps, address, servers.stun, turn,
        ].map { $0.map { strdup($0) } ?? nil }
        defer { for text in texts { free(text) } }
        var terms = greenroom_peer_terms(
            offer: texts[0], sends: receiving == nil, audio_caps: texts[1], video_caps: texts[2],
            address: texts[3], first_port: UInt32(network.ports?.lowerBound ?? 0),
            last_port: UInt32(network.ports?.upperBound ?? 0), stun: texts[4], turn: texts[5])
        greenroom_peer_describe(webrtc.pointer, &terms, &calls, greenroom_gst_context(self))
    }

    private func resume(_ result: Result<String, any Error>) {
        state.withLock { $0.description.take() }?.resume(with: result)
    }

    /// Compares the far end's certificate with the fingerprints of its description. Without a match no media
    /// pass in either direction.
    private func trusts(_ pem: UnsafePointer<CChar>) -> Bool {
        let isTrusted = state.withLock { state in
            let isTrusted = state.fingerprints.contains { fingerprint in
                greenroom_certificate_matches(pem, fingerprint.hash, fingerprint.value)
            }
            if !isTrusted { (state.isRefused, state.connection) = (true, .gone) }
            return isTrusted
        }
        if !isTrusted {
            events.onGone("its certificate does not match a=fingerprint of its description")
        }
        return isTrusted
    }

    private func follow(_ connection: Int) {
        if state.withLock({ $0.isRefused }) { return }
        switch connection {
        case GREENROOM_PEER_CONNECTED:
            let isNew = state.withLock { state in
                defer { (state.connection, state.trouble) = (.connected, nil) }
                state.lastHeard = greenroom_gst_now()
                return state.connection == .new
            }
            if isNew { events.onConnected() }
        case GREENROOM_PEER_FAILED, GREENROOM_PEER_CLOSED:
            let isOver = state.withLock { state in
                // The room keeps it until the page knows the reason.
                state.hasFailed = state.connection == .new && connection == GREENROOM_PEER_FAILED
                if !state.hasFailed { state.connection = .gone }
                return !state.hasFailed
            }
            if isOver { events.onGone("the connection failed") }
        default: break
        }
    }

    private func link(_ pad: OpaquePointer, _ encoding: String) {
        let receiver = events.onMedia(encoding)
        guard
            let end = greenroom_peer_add(
                pipeline.element.pointer, receiver?.elements ?? "fakesink sync=false async=false")
        else { return events.onGone("cannot receive \(encoding)") }
        count(pad, encoding)
        if encoding == RoomCodec.h264.rawValue {
            retime(pad)
            fillRepeats(pad)
        }
        receiver?.onAdded()
        if !greenroom_peer_link(pad, end) { events.onGone("cannot receive \(encoding)") }
    }

    /// Counts the packets of a stream: what is behind the pad keeps them until a frame is whole.
    private func count(_ pad: OpaquePointer, _ encoding: String) {
        let meter = PacketMeter(encoding == "OPUS" ? .audio : .video, onExcess: events.onGone)
        state.withLock { $0.meters[encoding] = meter }
        greenroom_peer_filter(pad, greenroom_gst_context(meter)) { value, packets, bytes, ends in
            greenroom_gst_context.object(value, PacketMeter.self)
                .passes(packets, bytes, endsFrame: ends)
        }
    }

    /// Lets each frame of H.264 stay in one piece.
    private func fillRepeats(_ pad: OpaquePointer) {
        let repeats = PacketRepeats()
        greenroom_peer_fill(pad, greenroom_gst_context(repeats)) { value, bytes, count in
            let packet = UnsafeBufferPointer(start: bytes, count: count)
            return greenroom_gst_context.object(value, PacketRepeats.self)
                .repeats.withLock { $0.header(in: packet) } ?? 0
        }
    }

    private final class PacketRepeats: Sendable {
        let repeats = Mutex(H264Repeats())
    }

    /// Gives the packets of a video with B-frames their times. Senders report when they have sent a frame,
    /// not when it is due: the reports are ignored then.
    private func retime(_ pad: OpaquePointer) {
        let times = PacketTimes(base: base) { [weak self] in
            if let webrtc = self?.state.withLock({ $0.webrtc }) {
                greenroom_peer_ignore_reports(webrtc.pointer)
            }
        }
        greenroom_peer_retime(pad, greenroom_gst_context(times)) { value, timestamp, pts in
            greenroom_gst_context.object(value, PacketTimes.self).time(timestamp, pts)
        }
    }

    /// The packets that have come of a codec, and since when.
    func arrived(_ encoding: String) -> (packets: Int, since: UInt64)? {
        state.withLock { $0.meters[encoding] }?.arrived
    }

    /// The last warning of the decoders and their neighbours; nil if none.
    var warning: String? { warnings.text.withLock { $0 } }

    /// Whether media can flow.
    var isConnected: Bool { state.withLock { $0.connection == .connected } }

    /// The reason why media have not connected in time; nil: they have, or still may.
    var trouble: String? { state.withLock { $0.trouble } }

    /// Finds out why media have not connected in time; nil: nothing is new. Asked every second.
    func newTrouble(now: UInt64) -> String? {
        state.withLock { state in
            let isLate =
                now > state.begun
                && now - state.begun >= UInt64(ConnectionTrouble.patience) * 1_000_000_000
            guard state.connection == .new, state.trouble == nil, isLate || state.hasFailed else {
                return nil
            }
            state.trouble =
                ConnectionTrouble(
                    ConnectionTrouble.Facts(
                        local: state.local, remote: state.remote, ports: network.ports,
                        hasTURN: network.servers.hasTURN)
                ).text
            return state.trouble
        }
    }

    /// The time for which it has waited for its connection; nil: it is there, or has been.
    func waiting(now: UInt64) -> UInt64? {
        state.withLock { state in
            guard state.connection == .new else { return nil }
            return now > state.begun ? now - state.begun : 0
        }
    }

    /// The time since the last packet, or since the wait for the connection began.
    func silence(now: UInt64) -> UInt64? {
        if let waiting = waiting(now: now) { return waiting }
        return state.withLock { state in
            let isQuiet = !hasHeard.load(ordering: .relaxed) && now > state.lastHeard
            return isQuiet ? now - state.lastHeard : nil
        }
    }

    /// The reason to disconnect the peer; nil: none. Asked every second.
    func fault(now: UInt64) -> String? {
        let hasHeard = hasHeard.exchange(false, ordering: .relaxed)
        return state.withLock { state in
            if hasHeard { state.lastHeard = now }
            let silence = now > state.lastHeard ? now - state.lastHeard : 0
            let age = now > state.begun ? now - state.begun : 0
            return switch state.connection {
            case .new where age > Self.longestConnecting: "never connected"
            case .connected where silence > Self.longestSilence: "no packets arrive"
            default: nil
            }
        }
    }

    /// Ends the connection, once; not on one of its threads.
    func stop() {
        guard state.withLock({ $0.webrtc.take() }) != nil else { return }
        resume(.failure(RequestError.hasClosed))
        pipeline.stop()
    }
}
