/// The first line and the headers of a request, from bytes that anybody can send.
package struct RequestHead: Equatable, Sendable {
    /// A header.
    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: String
    }

    /// Why a request is not read.
    package struct Fault: Error, Equatable {
        /// The status of HTTP.
        package var status: Int
        package var text: String

        /// Describes a fault.
        package init(status: Int, text: String) { (self.status, self.text) = (status, text) }
    }

    package private(set) var method: String
    /// The path and the query, percent-encoded.
    package private(set) var path: String
    package private(set) var query: String
    package private(set) var fields: [Field] = []
    /// The bytes of the body.
    package private(set) var length = 0
    /// Whether further requests may follow on the connection.
    package private(set) var isKept: Bool
    /// Whether the sender waits for a word before it sends the body.
    package private(set) var waitsToContinue = false

    /// The most bytes of a head, with the empty line.
    package static let longest = 16 * 1024
    /// The most bytes of a body.
    package static let longestBody = 64 * 1024
    private static let mostFields = 100

    /// The parts of the path, decoded.
    package var parts: [String] { path.split(separator: "/").map(Self.decoded) }

    /// What the query says, decoded.
    package var parameters: [(name: String, value: String)] {
        query.split(separator: "&").map { parameter in
            let sides = parameter.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(sides[0]), sides.count > 1 ? Self.decoded(sides[1]) : "")
        }
    }

    /// The value of a header; of one that is there several times, all of them: "a, b".
    ///
    /// - Parameter name: In lower case.
    package subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Where the empty line ends that ends a head.
    ///
    /// - Parameter begin: Where to look from.
    /// - Returns: nil if it is not there yet.
    package static func end(in bytes: [UInt8], from begin: Int) -> Int? {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var index = max(0, begin)
        while index + 4 <= bytes.count {
            if bytes[index] == cr, bytes[index + 1] == lf, bytes[index + 2] == cr,
                bytes[index + 3] == lf
            {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    /// Reads a head.
    ///
    /// - Parameter bytes: With the empty line.
    package init(_ bytes: ArraySlice<UInt8>) throws(Fault) {
        guard
            bytes.allSatisfy({
                (32...126).contains($0) || $0 == 9 || $0 == 10 || $0 == 13 || $0 > 127
            })
        else { throw Self.bad("it has a control character") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.bad("its head is no UTF-8")
        }
        // A line end is one character to Swift.
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).prefix {
            !$0.isEmpty
        }
        guard let first = lines.popFirst() else { throw Self.bad("it has no first line") }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].utf8.allSatisfy(Self.isToken),
            words[1].hasPrefix("/"), words[1].utf8.allSatisfy({ (33...126).contains($0) })
        else { throw Self.bad("its first line is not such as GET / HTTP/1.1") }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw Fault(status: 505, text: "The room speaks HTTP/1.1.")
        }
        method = String(words[0])
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        (path, query) = (String(target[0]), target.count > 1 ? String(target[1]) : "")
        isKept = words[2] == "HTTP/1.1"
        guard lines.count <= Self.mostFields else {
            throw Fault(status: 431, text: "The request has too many headers.")
        }
        for line in lines { try read(line) }
    }

    private mutating func read(_ line: Substring) throws(Fault) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw Self.bad("a header has no colon")
        }
        let name = line[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
            throw Self.bad("a header has no name")
        }
        guard !line.utf8.contains(10), !line.utf8.contains(13) else {
            throw Self.bad("a line does not end as lines of HTTP do")
        }
        let blanks: Set<Character> = [" ", "\t"]
        var rest = line[line.utf8.index(after: colon)...].drop { blanks.contains($0) }
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        let value = String(rest)
        switch name.lowercased() {
        case "content-length":
            guard self["content-length"] == nil,
                value.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(value)
            else { throw Self.bad("its Content-Length is no number, or is there twice") }
            self.length = length
        case "transfer-encoding":
            throw Fault(status: 411, text: "The room takes bodies with a Content-Length alone.")
        case "connection":
            let words = value.lowercased().split(separator: ",").map {
                $0.trimmingPrefix(while: \.isWhitespace)
            }
            if words.contains("close") { isKept = false }
            if words.contains("keep-alive") { isKept = true }
        case "expect": waitsToContinue = value.lowercased() == "100-continue"
        default: break
        }
        fields.append(Field(name: String(name), value: value))
    }

    /// Text as it is without percent-encoding; one that is wrong stays.
    private static func decoded(_ text: Substring) -> String {
        var (bytes, rest) = ([UInt8](), text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            guard digits.count == 2 else { return String(text) }
            bytes.append(UInt8(digits[0] << 4 | digits[1]))
            rest.removeFirst(2)
        }
        return String(validating: bytes, as: UTF8.self) ?? String(text)
    }

    private static func bad(_ text: String) -> Fault {
        Fault(status: 400, text: "The request is wrong: \(text).")
    }

    /// Whether a byte may be in a method or in the name of a header.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
