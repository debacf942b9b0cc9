import GreenroomMedia

/// Relays text messages to the pages of a room.
///
/// The relay keeps a message for 30 s, so that a page that was briefly offline still receives it.
package struct MessageRelay: Sendable {
    /// A message.
    package struct Message: Encodable, Equatable, Sendable {
        package var number: Int
        /// The participant's number; nil if the sender is an operator outside the room.
        package var participant: UInt32?
        package var name: String
        package var text: String
    }

    /// Limit of characters in a message.
    package static let longest = 500
    /// Limit of bytes in a message. A character may have any number of bytes.
    package static let longestBytes = 2000
    private static let most = 100
    private static let lifetime = 30.0

    private var kept: [(message: Message, seconds: Double)] = []
    /// The number of the newest message; 0 if none.
    package private(set) var newest = 0

    package init() {}

    /// Adds a message.
    ///
    /// - Parameters:
    ///   - participant: The number of the participant; nil if an operator outside the room.
    ///   - seconds: The time, on any clock.
    /// - Throws: ``RequestError/bad(_:)`` if the text is empty or too long.
    package mutating func add(
        _ text: String, from name: String, _ participant: UInt32?, at seconds: Double
    ) throws(RequestError) {
        let text = text.singleLine
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

    /// The session's command that passes a message on.
    package static func command(_ text: String, from author: String?) -> String {
        // A colon with a space ends the name in the command.
        let name = author.map { "from \($0.singleLine.replacing(": ", with: ":")): " } ?? ""
        return "message \(name)\(text.singleLine)"
    }

    /// Removes messages that are older than 30 s.
    package mutating func expire(at seconds: Double) {
        kept.removeAll { seconds - $0.seconds > Self.lifetime }
    }

    /// The messages after a number. A number above the newest belongs to an earlier room, so all
    /// messages are returned.
    package func messages(after number: Int) -> [Message] {
        kept.map(\.message).filter { number > newest || $0.number > number }
    }
}
