/// The time of the session's next wake-up, unless an event is posted earlier.
package struct SessionDue: Equatable {
    /// The due time on the session clock; nil for never.
    package var session: Int64?
    /// The due time on the host clock; nil for never.
    package var host: Int64?

    package init() {}

    package mutating func add(session time: Int64?) { session = Self.earlier(session, time) }
    package mutating func add(host time: Int64?) { host = Self.earlier(host, time) }

    package static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
        guard let one else { return other }
        return other.map { min(one, $0) } ?? one
    }
}
