import CMicroHTTPD
import Foundation
import RoomDecisions
import Synchronization

/// A request of a connection, and its answer.
final class RoomExchange: Sendable {
    /// A request of the server's, which may be used from any thread until it is freed.
    ///
    /// Safe to share: the functions that are called with it take the server's lock, or read what nobody
    /// changes while the request waits for its answer.
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private struct State {
        var isDrained = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let handle: Handle
    private let head: RequestHead
    private let client: ClientAddress?
    private let body = Mutex(Data())
    private let state = Mutex(State())

    /// - Parameter client: The client's address; nil: unknown.
    init(_ request: OpaquePointer, head: RequestHead, client: ClientAddress?) {
        (handle, self.head, self.client) = (Handle(pointer: request), head, client)
    }

    /// Takes the body. [the server's thread]
    func take() {
        var count = 0
        guard let bytes = greenroom_mhd_body(handle.pointer, &count) else { return }
        body.withLock { $0 = Data(bytes: bytes, count: count) }
    }

    /// Refuses the request, because the room has closed.
    func abandon() {
        HTTPReply.refused(503, RequestError.hasClosed.description).send(to: handle.pointer)
        greenroom_mhd_request_free(handle.pointer)
    }

    /// Answers the request, once.
    func serve(_ handler: RoomHandler) async {
        let request = RoomRequest(head: head, body: body.withLock { $0 })
        var reply = HTTPReply.refused(500, "The request failed.")
        if let made = try? await handler.respond(to: request, from: client) { reply = made }
        reply.send(to: handle.pointer)
        if case .events(var events) = reply.body {
            while let text = try? await events.text() {
                state.withLock { $0.isDrained = false }
                guard send(text) else { break }
                await untilDrained()
            }
            greenroom_mhd_end(handle.pointer)
        }
        greenroom_mhd_request_free(handle.pointer)
    }

    private func send(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return true }
            return greenroom_mhd_send(handle.pointer, base, bytes.count)
        }
    }

    /// Wakes the sender of a stream: the network has all parts, or the reader has disconnected. [the server's
    /// thread]
    func drain() {
        state.withLock { state in
            state.isDrained = true
            return state.waiter.take()
        }?.resume()
    }

    private func untilDrained() async {
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if !state.isDrained { state.waiter = continuation }
                return state.isDrained
            }
            if isDrained { continuation.resume() }
        }
    }
}

extension HTTPReply {
    /// Gives the reply to the server.
    func send(to request: OpaquePointer) {
        var data = Data()
        var isStream = false
        switch body {
        case .data(let bytes): data = bytes
        case .events: isStream = true
        }
        let texts = headers.flatMap { [strdup($0.name), strdup($0.value)] }
        defer { for text in texts { free(text) } }
        let fields = stride(from: 0, to: texts.count, by: 2).compactMap { index in
            texts[index].flatMap { name in
                texts[index + 1].map { greenroom_mhd_field(name: name, value: $0) }
            }
        }
        data.withUnsafeBytes { bytes in
            greenroom_mhd_answer(
                request, UInt32(clamping: status), fields, fields.count, bytes.baseAddress,
                bytes.count, isStream)
        }
    }
}
