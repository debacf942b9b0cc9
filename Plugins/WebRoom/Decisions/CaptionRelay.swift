internal import FoundationEssentials
import GreenroomMedia

/// Relays captions to the pages of a room. Each page shows only new captions.
package struct CaptionRelay: Sendable {
    /// A caption.
    package struct Caption: Encodable, Equatable, Sendable {
        package var number: Int
        package var speaker: String?
        package var text: String
    }

    /// The most captions between two answers to a page.
    private static let most = 4

    /// The newest captions.
    package private(set) var captions: [Caption] = []
    private var newest = 0

    package init() {}

    /// Takes an event of the session.
    ///
    /// - Returns: Whether it is a caption.
    package mutating func take(_ json: String) -> Bool {
        struct Event: Decodable {
            var event: String
            var speaker: String?
            var text: String?
        }
        // Most events are others.
        guard json.contains(#""event":"caption""#),
            let event = try? JSONDecoder().decode(Event.self, from: Data(json.utf8)),
            event.event == "caption", let text = event.text?.singleLine, !text.isEmpty
        else { return false }
        newest += 1
        captions.append(Caption(number: newest, speaker: event.speaker?.singleLine, text: text))
        if captions.count > Self.most { captions.removeFirst() }
        return true
    }
}
