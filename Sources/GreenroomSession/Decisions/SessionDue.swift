/// The time of the session's next wake-up, unless an event is posted earlier.
struct SessionDue: Equatable {
    /// The poll interval for conditions that post no wake-up, in nanoseconds.
    static let retryNanoseconds: Int64 = 200_000_000

    /// The due time on the session clock; nil for never.
    var session: Int64?
    /// The due time on the host clock; nil for never.
    var host: Int64?

    mutating func add(session time: Int64?) { session = Self.earlier(session, time) }
    mutating func add(host time: Int64?) { host = Self.earlier(host, time) }

    static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one else { return other }
        return other.map { min(one, $0) } ?? one
    }
}
