/// The connections of a server: how many there may be, which one gives way to a new one, and until when
/// each has to do its next step.
///
/// One that waits for its sender gives way: the one that has waited longest, of the address that has most
/// of them. One whose request is being answered, or has arrived, stays.
package struct ConnectionTable: Sendable {
    /// The outcome of a new connection.
    package enum Verdict: Equatable, Sendable {
        case admitted
        /// It is admitted, and this one has to end.
        case inPlace(of: Int)
        /// Its address has as many as it may, and all of them are in use.
        case refused
        /// No connection can be closed for it; the new one must wait.
        case full
    }

    private struct Connection {
        var address: String
        var isBusy = false
        var since: Double
        var deadline: Double
        /// Whether it has to end, and counts no more.
        var isEnding = false
    }

    /// Seconds in which a new connection must send a request. Afterwards other peers' connections
    /// may replace it.
    private static let grace = 0.25

    /// Connections together.
    package let most: Int
    /// Connections of an address.
    package let mostOfAddress: Int
    private var connections: [Int: Connection] = [:]

    package init(most: Int, mostOfAddress: Int) {
        (self.most, self.mostOfAddress) = (most, mostOfAddress)
    }

    /// Whether a new one may be taken now: else it waits. Those that have to end may still be open, and have
    /// files; and those that have just come may be about to ask for something.
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
    ///   - id: A number of its own.
    ///   - address: Where it is from; nil: from a place that others share, such as this machine.
    ///   - now: The time in seconds, on any clock.
    ///   - deadline: Until when its first request has to be there.
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

    /// A connection begins its next step.
    ///
    /// - Parameter isBusy: Whether its request is being answered.
    /// - Returns: Whether it may; else it has to end.
    package mutating func set(
        _ id: Int, isBusy: Bool, at now: Double, until deadline: Double
    ) -> Bool {
        guard var connection = connections[id], !connection.isEnding else { return false }
        if !isBusy, connection.isBusy { connection.since = now }
        (connection.isBusy, connection.deadline) = (isBusy, deadline)
        connections[id] = connection
        return true
    }

    /// A connection has ended.
    package mutating func remove(_ id: Int) { connections[id] = nil }

    /// Connections that missed the deadline of their step and must close.
    package mutating func expire(at now: Double) -> [Int] {
        let late = connections.filter { $0.value.deadline <= now }.map(\.key)
        for id in late { connections[id]?.isEnding = true }
        return late.sorted()
    }
}
