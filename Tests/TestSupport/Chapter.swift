import Foundation

/// A page of the documentation in Markdown.
public struct Chapter: Sendable, CustomStringConvertible {
    /// A fenced block of code.
    public struct Block: Sendable {
        /// The word after the fence: `swift`, `c`, `yaml`, or empty.
        public var language: String
        /// The line of the fence in the file, from 1.
        public var line: Int
        /// The lines, each with its end.
        public var text: String
    }

    /// The file.
    public let path: String
    /// Its content.
    public let text: String

    /// The name, without folder and extension: `lifecycle`.
    public var name: String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.prefix { $0 != "." })
    }

    /// The name, for the reports of tests.
    public var description: String { name }

    /// Reads a page.
    public init(path: String) throws {
        self.path = path
        text = String(decoding: try readFile(path), as: UTF8.self)
    }

    /// The folder of the pages in the checkout.
    public static let folder = "\(Checkout.root)/docs"

    /// The pages of the authors' book, by name.
    public static let book = pages(in: "\(folder)/book")

    /// The pages of the manual, by name.
    public static let manual = pages(in: "\(folder)/manual")

    private static func pages(in folder: String) -> [Chapter] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".md") }.sorted()
            .compactMap { try? Chapter(path: "\(folder)/\($0)") }
    }

    /// Reads a page of the authors' book.
    public static func book(_ name: String) throws -> Chapter {
        try Chapter(path: "\(folder)/book/\(name).md")
    }

    /// Reads a page of the manual.
    public static func manual(_ name: String) throws -> Chapter {
        try Chapter(path: "\(folder)/manual/\(name).md")
    }

    /// The fenced blocks, in order.
    public var blocks: [Block] {
        var blocks: [Block] = []
        var open: Block?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if var block = open {
                if line == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    block.text += line + "\n"
                    open = block
                }
            } else if line.hasPrefix("```") {
                open = Block(
                    language: String(line.dropFirst(3)), line: index + 1, text: "")
            }
        }
        return blocks
    }

    /// The text without its fenced blocks.
    public var prose: String {
        var isInside = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            if line.hasPrefix("```") {
                isInside.toggle()
                return false
            }
            return !isInside
        }.joined(separator: "\n")
    }

    /// Code voice in the prose, without backquotes.
    public var codeVoice: [String] {
        prose.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// The markers around a generated part.
    private static func markers(of part: String) -> (begin: String, end: String) {
        ("<!-- made from code: \(part) -->\n", "\n<!-- end of \(part) -->")
    }

    /// The generated part with a name; nil without its markers.
    public func generated(_ part: String) -> String? {
        let (begin, end) = Self.markers(of: part)
        guard let from = text.range(of: begin)?.upperBound,
            let to = text.range(of: end, range: from..<text.endIndex)?.lowerBound
        else { return nil }
        return String(text[from..<to])
    }

    /// The page with a new text between the markers of a name.
    public func replacing(_ part: String, with new: String) -> String {
        let (begin, end) = Self.markers(of: part)
        guard let old = generated(part) else { return text }
        return text.replacing(begin + old + end, with: begin + new + end)
    }
}
