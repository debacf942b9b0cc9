import Foundation
import Glibc
import TestSupport
import Testing

/// Compares the log lines and messages that the pages quote with the texts of the sources.
///
/// A quote is a line of a fenced block `log`, or code voice with three words in a row. `…` omits a part of it.
@Suite struct QuoteTests {
    @Test(arguments: Chapter.manual + Chapter.book)
    func `every quoted message is in the sources`(page: Chapter) throws {
        let texts = try Self.texts.get()
        for quote in Self.quotes(of: page) {
            for part in quote.split(separator: "…") {
                #expect(texts.strangers(in: String(part)) == [], "\(page): \(quote)")
            }
        }
    }

    @Test func `the pages quote messages`() {
        #expect((Chapter.manual + Chapter.book).flatMap(Self.quotes).count >= 50)
    }

    @Test func `a quote with a word that no text has is found`() throws {
        let texts = try Self.texts.get()
        #expect(texts.strangers(in: "microphone: sends 14 % less audio than real time") == [])
        #expect(texts.strangers(in: "microphone: it sends 14 % less audio") == ["it sends"])
        #expect(texts.strangers(in: "crashed with SIGSEGV while it ran") != [])
    }

    private static let texts = Result {
        let errors = (1..<134).map { String(cString: strerror($0)) }
        return Texts(try MessageTable.literals() + errors)
    }

    private static func quotes(of page: Chapter) -> [String] {
        let lines = page.blocks.filter { $0.language == "log" }
            .flatMap { $0.text.split(separator: "\n").map(String.init) }
        let voice = page.codeVoice.filter {
            $0.contains(#/[a-z]{2,} [a-z]+ [a-z]+/#)
                && !$0.contains(
                    #/^(greenroom|apt|pip|sh|swift|systemctl|plugin|unsafe) |[{$'|=]|: \[/#)
        }
        return lines + voice
    }
}

/// The texts of the sources, cut at their values.
private struct Texts {
    /// Whether a value precedes a part of a text, and whether one follows.
    private var parts: [String: (followsValue: Bool, precedesValue: Bool)] = [:]
    /// All parts, with a newline before and after each.
    private var all = ""

    init(_ texts: [String]) {
        for text in texts {
            let pieces = text.split(separator: "…", omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                let words = Self.trimmed(piece.split(whereSeparator: \.isWhitespace))
                guard words.contains(" ") else { continue }
                let known = parts[words] ?? (false, false)
                parts[words] = (
                    known.followsValue || index > 0,
                    known.precedesValue || index < pieces.count - 1
                )
            }
        }
        let lines = parts.flatMap { words, value in
            [words] + (value.followsValue ? ["…" + words] : [])
                + (value.precedesValue ? [words + "…"] : [])
        }
        all = "\n" + lines.joined(separator: "\n") + "\n"
    }

    private static func trimmed(_ words: some Sequence<Substring>) -> String {
        words.joined(separator: " ").replacing(#/^'s /#, with: "").trimmingCharacters(
            in: CharacterSet(charactersIn: " ,;:.()\"'"))
    }

    // Faster than String.contains in a debug build.
    private func contains(_ text: String) -> Bool { strstr(all, text) != nil }

    /// The pairs of adjacent words in a quote that are in no text, neither beside each other nor with a value
    /// for one of them.
    func strangers(in quote: String) -> [String] {
        let words = quote.split(whereSeparator: \.isWhitespace)
        if contains(Self.trimmed(words)) { return [] }
        var isCovered = Array(repeating: false, count: words.count)
        for first in words.indices {
            for last in words.indices where last > first {
                let range = Self.trimmed(words[first...last])
                let part = parts[range]
                // The quote may begin or end inside a text.
                let begins = last == words.count - 1 && contains("\n" + range)
                let ends = first == 0 && contains(range + "\n")
                guard part != nil || begins || ends else { continue }
                let followsValue =
                    part?.followsValue == true || begins && contains("\n…" + range)
                let precedesValue = part?.precedesValue == true || ends && contains(range + "…\n")
                let from = followsValue ? max(first - 1, 0) : first
                let to = precedesValue ? last + 1 : last
                for pair in from..<to { isCovered[pair] = true }
            }
        }
        // Names of roles and of a system call.
        let values: Set = ["call", "camera", "microphone", "open", "share"]
        return words.indices.dropLast().filter { index in
            let pair = words[index...(index + 1)].map { $0.filter(\.isLetter) }
            return !isCovered[index] && values.isDisjoint(with: pair)
                && words[index].wholeMatch(of: #/[a-z'’]+/#) != nil
                && words[index + 1].wholeMatch(of: #/[a-z'’]+[,;:.]*/#) != nil
        }.map { "\(words[$0]) \(words[$0 + 1])" }
    }
}
