import Foundation
import TestSupport
import Testing

/// Follows every link between the Markdown files of the checkout, as a viewer of Markdown does.
@Suite struct LinkTests {
    private struct Link: CustomStringConvertible {
        var page: String
        var target: String
        var description: String { "\(page): \(target)" }
    }

    /// The Markdown files of the checkout, with paths from its root.
    private static let pages: [String] =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
        + ["docs", "Samples", "Plugins", "Tests"].flatMap { folder in
            let paths = FileManager.default.enumerator(atPath: "\(Checkout.root)/\(folder)")
            return (paths?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".md") && !$0.contains(".build/") }.sorted()
                .map { "\(folder)/\($0)" }
        }

    private static func prose(of page: String) throws -> String {
        try Chapter(path: "\(Checkout.root)/\(page)").prose
            .replacing(#/(?m)^    (?!- \[).*$/#, with: "").replacing(#/`[^`]*`/#, with: "code")
    }

    private static func links() throws -> [Link] {
        try pages.flatMap { page in
            try prose(of: page).matches(of: #/\]\(\s*([^)\s]+)\s*\)/#)
                .map { Link(page: page, target: String($0.1)) }
                .filter { $0.target.firstMatch(of: #/^[a-z]+:/#) == nil }
        }
    }

    /// The anchors that viewers make from a page's headings.
    private static func anchors(of path: String) throws -> Set<String> {
        var anchors: Set<String> = []
        for line in try Chapter(path: path).prose.split(separator: "\n") where line.hasPrefix("#") {
            let heading = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                .replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }
            let slug = heading.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                .replacing(" ", with: "-")
            var anchor = slug
            var copy = 1
            while !anchors.insert(anchor).inserted {
                anchor = "\(slug)-\(copy)"
                copy += 1
            }
        }
        return anchors
    }

    /// A path from the root of the checkout, without `..`.
    private static func resolve(_ target: some StringProtocol, from page: String) -> String {
        URL(filePath: String(target), relativeTo: URL(filePath: "\(Checkout.root)/\(page)"))
            .standardizedFileURL.path(percentEncoded: false)
    }

    @Test func `every link and anchor in Markdown resolves`() throws {
        let links = try Self.links()
        #expect(links.count > 350)
        for link in links {
            let parts = link.target.split(
                separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path =
                parts[0].isEmpty
                ? "\(Checkout.root)/\(link.page)" : Self.resolve(parts[0], from: link.page)
            guard FileManager.default.fileExists(atPath: path) else {
                Issue.record("\(link): no such file")
                continue
            }
            guard parts.count == 2 else { continue }
            #expect(
                try Self.anchors(of: path).contains(String(parts[1])), "\(link): no such heading")
        }
    }

    @Test(arguments: ["manual", "book", "contributing", "decisions"])
    func `a folder's first page lists every page of the folder`(folder: String) throws {
        let first = "docs/\(folder)/README.md"
        let listed = try Self.links().filter { $0.page == first }
            .map { Self.resolve($0.target, from: first) }
        for page in Self.pages where page.hasPrefix("docs/\(folder)/") && page != first {
            #expect(listed.contains("\(Checkout.root)/\(page)"), "\(page)")
        }
    }

    @Test func `every page that a source or a script names exists`() throws {
        for folder in ["Packaging", "Plugins", "Samples", "Sources", "Tests", "docs"] {
            let paths = FileManager.default.enumerator(atPath: "\(Checkout.root)/\(folder)")
            while let path = paths?.nextObject() as? String {
                guard
                    [".swift", ".h", ".hpp", ".c", ".cpp", ".py", ".rs", ".sh", ".yaml", ".md"]
                        .contains(where: path.hasSuffix), !path.contains(".build/")
                else { continue }
                let text = try Chapter(path: "\(Checkout.root)/\(folder)/\(path)").text
                for name in text.matches(of: #/docs/[a-z]+/[A-Za-z0-9-]+\.(?:md|png|gif|svg)/#) {
                    #expect(
                        FileManager.default.fileExists(atPath: "\(Checkout.root)/\(name.0)"),
                        "\(folder)/\(path): \(name.0)")
                }
            }
        }
    }
}
