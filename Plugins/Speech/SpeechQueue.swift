/// Sentences that wait to be spoken.
struct SpeechQueue {
    /// The number of sentences that may wait.
    static let mostWaiting = 200
    /// The length at which a text without an end of a sentence is cut, in characters.
    static let mostCharacters = 400

    private var waiting: [String] = []

    /// The number of sentences that are waiting.
    var count: Int { waiting.count }

    /// Adds the sentences of a text.
    ///
    /// - Returns: The number of sentences that did not fit.
    mutating func add(_ text: String) -> Int {
        var lost = 0
        Self.forEachSentence(of: text) { sentence in
            if waiting.count < Self.mostWaiting { waiting.append(sentence) } else { lost += 1 }
        }
        return lost
    }

    /// Removes the first sentence; nil if none is waiting.
    mutating func next() -> String? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Removes all sentences.
    mutating func removeAll() { waiting.removeAll() }

    /// Splits a text at line ends and after `.`, `!`, `?` or similar punctuation followed by a
    /// space.
    ///
    /// A full stop after a word of up to three letters is part of an abbreviation: `Dr. Gray`.
    private static func forEachSentence(of text: String, _ body: (String) -> Void) {
        var sentence = ""
        var (length, wordLength, isEnded) = (0, 0, false)
        func end() {
            if !sentence.isEmpty { body(sentence) }
            sentence = ""
            (length, wordLength, isEnded) = (0, 0, false)
        }
        for character in text {
            guard !character.isNewline else {
                end()
                continue
            }
            guard !character.isWhitespace else {
                if isEnded || length >= mostCharacters { end() }
                if !sentence.isEmpty, sentence.last != " " { sentence.append(" ") }
                wordLength = 0
                continue
            }
            // A word without an end.
            if length >= 2 * mostCharacters { end() }
            sentence.append(character)
            length += 1
            switch character {
            case "!", "?", "…", "。", "！", "？": isEnded = true
            case ".": isEnded = wordLength > 3
            case "\"", "'", "”", "’", ")", "»": break
            default:
                isEnded = false
                wordLength += 1
            }
        }
        end()
    }
}
