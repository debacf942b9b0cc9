import TestSupport
import Testing

@testable import GreenroomValidator

/// Quotation marks in the explanation of a check quote the headers.
@Suite struct QuotationTests {
    /// The text of all headers in one line, without comment marks.
    private static func headers() throws -> String {
        let names = ["plugin", "broadcast", "output", "call", "control"]
        let texts = try names.map { name in
            String(
                decoding: try readFile(Checkout.include + "/greenroom/\(name).h"), as: UTF8.self)
        }
        return texts.joined(separator: "\n").replacing(#/(?m)^ *(\/\*\*?|\*\/?)/#, with: "")
            .inOneLine
    }

    @Test func `every quotation is in a header`() throws {
        let headers = try Self.headers()
        var count = 0
        for check in Catalogue.checks {
            for match in [check.rule, check.why, check.measured, check.fix].joined(separator: " ")
                .matches(of: #/"([^"]+)"/#)
            {
                count += 1
                // The sentence may begin or end in the quotation, not in the header.
                let quotation = match.1.drop { $0 == "[" }.filter { $0 != "]" }.description
                let words = quotation.inOneLine.trimmingSuffix { $0 == "." }
                #expect(headers.contains(words), "\(check.id) quotes \(match.0)")
            }
        }
        #expect(count >= 9)
    }
}

extension String {
    fileprivate var inOneLine: String {
        lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    fileprivate func trimmingSuffix(while isLeftOut: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, isLeftOut(last) { text.removeLast() }
        return String(text)
    }
}
