import RoomAccess

/// The other web pages that may use the room: the setting `allow-origins`.
package struct AllowedOrigins: Equatable, Sendable {
    private enum Rule: Equatable {
        case all
        case these(Set<String>)
    }

    private let rule: Rule

    /// - Parameter text: Origins such as `https://page.example`, separated by spaces; `*` allows
    ///   all.
    /// - Returns: The origins; nil if a word is not an origin.
    package init?(_ text: String) {
        let words = text.split(separator: " ").map { $0.lowercased() }
        guard words != ["*"] else {
            rule = .all
            return
        }
        let origin = /https?:\/\/([a-z0-9.\-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/
        guard words.allSatisfy({ $0.wholeMatch(of: origin) != nil }) else { return nil }
        rule = .these(Set(words))
    }

    /// Whether a page may use the room.
    ///
    /// - Parameter origin: The value of the header `Origin`; nil if absent.
    package func allows(_ origin: String?) -> Bool {
        guard let origin, origin.utf8.count <= 300, origin.utf8.allSatisfy({ (33...126) ~= $0 })
        else { return false }
        return switch rule {
        case .all: true
        case .these(let origins): origins.contains(origin.lowercased())
        }
    }

    /// The headers of an answer to an allowed page.
    ///
    /// - Parameters:
    ///   - origin: The origin of the page.
    ///   - isPreflight: Whether the request is a preflight request.
    package static func headers(
        for origin: String, isPreflight: Bool
    ) -> [(name: String, value: String)] {
        var headers = [
            (name: "Access-Control-Allow-Origin", value: origin), ("Vary", "Origin"),
        ]
        if isPreflight {
            headers += [
                ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
                ("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match"),
                ("Access-Control-Max-Age", "7200"),
            ]
        } else {
            headers.append(
                ("Access-Control-Expose-Headers", "Location, Link, ETag, Accept-Patch, Retry-After")
            )
        }
        return headers
    }
}
