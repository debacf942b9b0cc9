import Foundation
import TestSupport

/// The texts for people in the sources: log lines, errors, warnings, help texts, the web page.
struct MessageTable {
    /// The messages of each file, sorted.
    private(set) var messages: [(file: String, texts: [String])] = []

    /// The table of the checkout's sources.
    init() throws {
        for file in try Self.sources() {
            let source = String(decoding: try readFile("\(Checkout.root)/\(file)"), as: UTF8.self)
            let texts = Self.texts(in: source, of: file).map(Self.onOneLine).filter(\.isMessage)
            if !texts.isEmpty { messages.append((file, Set(texts).sorted())) }
        }
    }

    /// Every literal of the sources on one line, including names and code.
    static func literals() throws -> [String] {
        try sources().flatMap { file in
            let source = String(decoding: try readFile("\(Checkout.root)/\(file)"), as: UTF8.self)
            return texts(in: source, of: file).map(onOneLine)
        }
    }

    /// A line for each file, and below it an indented line for each message.
    var text: String {
        messages.map { "\($0.file)\n" + $0.texts.map { "  \($0)\n" }.joined() }
            .joined(separator: "\n")
    }

    /// The paths of sources in the checkout. The templates' texts belong to their users.
    private static func sources() throws -> [String] {
        try ["Plugins", "Sources"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: "\(Checkout.root)/\(folder)")
                .map { "\(folder)/\($0)" }
        }
        .filter { path in
            [".c", ".html", ".js", ".swift"].contains { path.hasSuffix($0) }
                && !path.contains("/CPluginTemplates/")
        }
        .sorted()
    }

    private static func texts(in source: String, of file: String) -> [String] {
        switch file.split(separator: ".").last {
        case "swift": LiteralScanner.literals(in: source, language: .swift)
        case "js": LiteralScanner.literals(in: source, language: .javaScript)
        case "c": LiteralScanner.literals(in: source, language: .c)
        default:
            source.matches(of: #/>([^<>]+)<|(?:title|placeholder|aria-label)="([^"]+)"/#)
                .map { String($0.1 ?? $0.2 ?? "") }
        }
    }

    private static func onOneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension String {
    /// Whether the text is for people: at least two words, of which not half are names or code.
    fileprivate var isMessage: Bool {
        let parts = split(separator: " ")
        guard parts.count > 1, firstMatch(of: #/ ! |=\{|</|;$|[({]$|^(SELECT|a)=/#) == nil else {
            return false
        }
        let words = parts.count {
            $0.wholeMatch(of: #/["'(]?[A-Za-z][a-z'’-]+["')]?[.,:;!?]*/#) != nil
        }
        return words > 0 && words * 2 >= parts.count { $0 != "…" && $0 != "…:" }
    }
}
