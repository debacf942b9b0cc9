/// The request line and the headers of a request from an untrusted client.
package struct RequestHead: Equatable, Sendable {
    /// A header.
    package struct Field: Equatable, Sendable {
        package var name: String
        package var value: String

        /// Describes a header.
        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    package private(set) var method: String
    /// The path and the query, percent-encoded.
    package private(set) var path: String
    package private(set) var query: String
    package private(set) var fields: [Field] = []
    /// The length of the body, in bytes.
    package private(set) var length = 0

    /// Limit of a head, in bytes, including the empty line.
    package static let longest = 16 * 1024
    /// Limit of a body, in bytes.
    package static let longestBody = 64 * 1024
    private static let mostFields = 100

    /// The decoded components of the path.
    package var parts: [String] { path.split(separator: "/").map(Self.decoded) }

    /// The decoded parameters of the query.
    package var parameters: [(name: String, value: String)] {
        query.split(separator: "&").map { parameter in
            let sides = parameter.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decoded(sides[0]), sides.count > 1 ? Self.decoded(sides[1]) : "")
        }
    }

    /// The value of a header; nil if absent. Joins the values of a repeated header with ", ".
    ///
    /// - Parameter name: The name in lower case.
    package subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Checks the parts of a head.
    ///
    /// - Parameters:
    ///   - target: The path and the query, percent-encoded.
    ///   - version: The word after the target, such as `HTTP/1.1`.
    package init(
        method: String, target: String, version: String, fields: [Field]
    ) throws(RequestError) {
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw RequestError(.otherVersion, "The room speaks HTTP/1.1.")
        }
        guard !method.isEmpty, method.utf8.allSatisfy(Self.isToken), target.hasPrefix("/"),
            target.utf8.allSatisfy({ (33...126).contains($0) })
        else { throw RequestError.bad("the first line is not such as GET / HTTP/1.1") }
        let sides = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        (self.method, path, query) = (
            method, String(sides[0]), sides.count > 1 ? String(sides[1]) : ""
        )
        guard fields.count <= Self.mostFields else {
            throw RequestError(.headTooLarge, "The request has too many headers.")
        }
        let size = fields.reduce(method.utf8.count + target.utf8.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count + 4
        }
        guard size <= Self.longest else {
            throw RequestError(.headTooLarge, "The head of the request is too large.")
        }
        for field in fields { try read(field) }
        guard length <= Self.longestBody else {
            throw RequestError.tooLarge
        }
    }

    private mutating func read(_ field: Field) throws(RequestError) {
        let (name, value) = (field.name, field.value)
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else {
            throw RequestError.bad("a header has no name")
        }
        guard value.utf8.allSatisfy({ $0 == 9 || $0 >= 32 && $0 != 127 }) else {
            throw RequestError.bad("a control character in the head")
        }
        switch name.lowercased() {
        case "content-length":
            guard self["content-length"] == nil,
                value.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(value)
            else { throw RequestError.bad("the Content-Length is not a number, or duplicate") }
            self.length = length
        case "transfer-encoding":
            throw RequestError(
                .lengthRequired, "The room accepts only bodies with a Content-Length.")
        default: break
        }
        fields.append(field)
    }

    /// The text without percent-encoding. Invalid encoding stays unchanged.
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

    /// Whether a byte may appear in a method or in a header's name.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
