/// When the session has something to do next, if nothing is posted before.
struct SessionDue: Equatable {
    /// How soon to look again at what wakes nobody, in nanoseconds.
    static let retryNanoseconds: Int64 = 200_000_000

    /// On the session clock; nil for never.
    var session: Int64?
    /// On the host clock; nil for never.
    var host: Int64?

    mutating func add(session time: Int64?) { session = Self.earlier(session, time) }
    mutating func add(host time: Int64?) { host = Self.earlier(host, time) }

    static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one else { return other }
        return other.map { min(one, $0) } ?? one
    }
}
