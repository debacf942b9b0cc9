/// The connections of a server. The table limits their number, chooses the connection that a new
/// one replaces, and keeps the deadline of each connection's next step.
///
/// A new connection may replace a connection that waits for its sender: the longest waiting
/// connection of the address with the most waiting connections. A connection stays if its request has arrived or is being
/// answered.
package struct ConnectionTable: Sendable {
    /// The outcome of a new connection.
    package enum Verdict: Equatable, Sendable {
        case admitted
        /// The new connection is admitted, and this connection must close.
        case inPlace(of: Int)
        /// The address has reached its limit, and all its connections are in use.
        case refused
        /// The new connection must wait, because no connection can be closed.
        case full
    }

    private struct Connection {
        var address: String
        var isBusy = false
        var since: Double
        var deadline: Double
        /// Whether the connection must close and no longer counts.
        var isEnding = false
    }

    /// Seconds in which a new connection must send a request. Afterwards other peers' connections
    /// may replace it.
    private static let grace = 0.25

    /// Limit of connections.
    package let most: Int
    /// Limit of connections per address.
    package let mostOfAddress: Int
    private var connections: [Int: Connection] = [:]

    package init(most: Int, mostOfAddress: Int) {
        (self.most, self.mostOfAddress) = (most, mostOfAddress)
    }

    /// Whether the server may accept a new connection now; otherwise the connection waits. Closing
    /// connections may still have open files, and new connections may be about to send a request.
    ///
    /// - Parameters:
    ///   - now: The time in seconds, on any clock.
    ///   - hasAsked: Whether a connection has sent something that a busy machine has not read yet.
    package func hasRoom(at now: Double, hasAsked: (_ id: Int) -> Bool = { _ in false }) -> Bool {
        guard connections.count < most + 8 else { return false }
        let counted = connections.filter { !$0.value.isEnding }
        return counted.count < most
            || counted.contains { Self.givesWay($0.value, at: now) && !hasAsked($0.key) }
    }

    private static func givesWay(_ connection: Connection, at now: Double) -> Bool {
        !connection.isBusy && now - connection.since >= grace
    }

    /// Adds a connection.
    ///
    /// - Parameters:
    ///   - id: The unique number of the connection.
    ///   - address: The address of the peer; nil if several peers share it, such as this machine's.
    ///   - now: The time in seconds, on any clock.
    ///   - deadline: The time by which the first request must arrive.
    ///   - hasAsked: Whether a connection has sent something that a busy machine has not read yet.
    package mutating func add(
        _ id: Int, from address: String?, at now: Double, until deadline: Double,
        hasAsked: (_ id: Int) -> Bool = { _ in false }
    ) -> Verdict {
        guard hasRoom(at: now, hasAsked: hasAsked) else { return .full }
        let mine = address ?? ""
        let counted = connections.filter { !$0.value.isEnding }
        let own = counted.filter { $0.value.address == mine }
        var verdict = Verdict.admitted
        if address != nil, own.count >= mostOfAddress {
            let silent = own.filter { !hasAsked($0.key) }
            guard let oldest = Self.oldest(of: silent) ?? Self.oldest(of: own) else {
                return .refused
            }
            verdict = .inPlace(of: oldest)
        } else if counted.count >= most {
            let leaving = counted.filter { Self.givesWay($0.value, at: now) && !hasAsked($0.key) }
            let idle = Dictionary(grouping: leaving) { $0.value.address }
            guard let crowd = idle.values.max(by: { $0.count < $1.count }),
                let oldest = Self.oldest(of: Dictionary(uniqueKeysWithValues: crowd))
            else { return .full }
            verdict = .inPlace(of: oldest)
        }
        if case .inPlace(let old) = verdict { connections[old]?.isEnding = true }
        connections[id] = Connection(address: mine, since: now, deadline: deadline)
        return verdict
    }

    private static func oldest(of connections: [Int: Connection]) -> Int? {
        connections.filter { !$0.value.isBusy }.min { $0.value.since < $1.value.since }?.key
    }

    /// Records that a connection begins its next step.
    ///
    /// - Parameter isBusy: Whether the server is answering the connection's request.
    /// - Returns: Whether the connection may continue; otherwise it must close.
    package mutating func set(
        _ id: Int, isBusy: Bool, at now: Double, until deadline: Double
    ) -> Bool {
        guard var connection = connections[id], !connection.isEnding else { return false }
        if !isBusy, connection.isBusy { connection.since = now }
        (connection.isBusy, connection.deadline) = (isBusy, deadline)
        connections[id] = connection
        return true
    }

    /// Removes a closed connection.
    package mutating func remove(_ id: Int) { connections[id] = nil }

    /// Connections that missed the deadline of their step and must close.
    package mutating func expire(at now: Double) -> [Int] {
        let late = connections.filter { $0.value.deadline <= now }.map(\.key)
        for id in late { connections[id]?.isEnding = true }
        return late.sorted()
    }
}
