package import GreenroomMedia

/// A line of the layout `custom`: what is shown, and where in per cent of the picture.
///
/// `camera 0 0 70 100 crop`, `participant Ana 70 0 30 50`, `participant * 70 50 30 50`.
package struct CustomPlace: Equatable, Sendable {
    /// The subject of a place: a track of the session, a participant, the active speaker, or the next
    /// participant without a place.
    package enum Subject: Equatable, Sendable {
        case reference(String)
        case nextParticipant
        case speaker
    }

    package var subject: Subject
    /// In per cent of the picture, each 0 to 100.
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double
    /// Nil: shares whole, others cropped.
    package var fit: StageFit?

    /// Reads lines; empty ones count for nothing.
    ///
    /// - Throws: The first line that can't be read.
    package static func places(in text: String) throws(InvalidValueError) -> [CustomPlace] {
        var places: [CustomPlace] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ").map(String.init)
            if words.isEmpty { continue }
            guard let place = CustomPlace(words) else {
                throw InvalidValueError(
                    "\"\(line.prefix(80))\" is not a place. Write its content, x, y, width and "
                        + "height in per cent, such as: camera 0 0 50 100 crop")
            }
            places.append(place)
        }
        return places
    }

    private init?(_ words: [String]) {
        var words = words
        if let last = words.last, let fit = StageFit(rawValue: last) {
            self.fit = fit
            words.removeLast()
        }
        guard words.count >= 5 else { return nil }
        let numbers = words.suffix(4).compactMap(Double.init)
        let subject = words.dropLast(4).joined(separator: " ")
        guard numbers.count == 4, numbers.allSatisfy((0...100).contains), numbers[2] > 0,
            numbers[3] > 0, numbers[0] + numbers[2] <= 100.001, numbers[1] + numbers[3] <= 100.001
        else { return nil }
        (x, y, width, height) = (numbers[0], numbers[1], numbers[2], numbers[3])
        let word = "participant "
        switch subject {
        case "speaker": self.subject = .speaker
        case "participant *": self.subject = .nextParticipant
        case _ where subject.hasPrefix(word):
            self.subject = .reference(String(subject.dropFirst(word.count)))
        default: self.subject = .reference(subject)
        }
    }
}
