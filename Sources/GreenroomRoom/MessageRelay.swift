/// Text messages on their way to the pages of a room.
///
/// The relay keeps a message for 30 s, so that a page that was away for a moment still gets it, and then
/// forgets it.
package struct MessageRelay: Sendable {
    /// A message.
    package struct Message: Encodable, Equatable, Sendable {
        package var number: Int
        /// The participant's number; nil for an operator outside of the room.
        package var participant: UInt32?
        package var name: String
        package var text: String
    }

    /// Characters of a message.
    package static let longest = 500
    /// Bytes of a message: a character may have any number of them.
    package static let longestBytes = 2000
    private static let most = 100
    private static let lifetime = 30.0

    private var kept: [(message: Message, seconds: Double)] = []
    /// The number of the newest message; 0 before the first one.
    package private(set) var newest = 0

    package init() {}

    /// Takes a message.
    ///
    /// - Parameters:
    ///   - participant: Nil for an operator outside of the room.
    ///   - seconds: The time, on any clock.
    /// - Throws: ``RequestError/bad(_:)`` for a text that is empty or too long.
    package mutating func add(
        _ text: String, from name: String, _ participant: UInt32?, at seconds: Double
    ) throws(RequestError) {
        let text = RoomLimits.visible(text, joiners: true)
        guard !text.isEmpty else { throw .bad("the message is empty") }
        guard text.count <= Self.longest, text.utf8.count <= Self.longestBytes else {
            throw .bad("a message has at most \(Self.longest) characters")
        }
        expire(at: seconds)
        newest += 1
        kept.append(
            (Message(number: newest, participant: participant, name: name, text: text), seconds))
        if kept.count > Self.most { kept.removeFirst() }
    }

    /// Forgets messages that are 30 s old.
    package mutating func expire(at seconds: Double) {
        kept.removeAll { seconds - $0.seconds > Self.lifetime }
    }

    /// The messages after a number. A number that the relay has not reached is of an earlier room: all of them.
    package func messages(after number: Int) -> [Message] {
        kept.map(\.message).filter { number > newest || $0.number > number }
    }
}
