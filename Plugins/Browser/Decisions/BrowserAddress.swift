package import GreenroomMedia

/// The address of a page, as Chromium gets it.
package struct BrowserAddress: Equatable, Sendable {
    /// A URL of printable ASCII.
    package let url: String

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - page: An absolute path, or empty.
    ///   - url: A URL, or empty.
    ///   - isNetworkGranted: Whether http and https are allowed.
    package init(page: String, url: String, isNetworkGranted: Bool) throws(InvalidValueError) {
        guard page.isEmpty != url.isEmpty else {
            throw InvalidValueError(
                page.isEmpty
                    ? "neither a page nor a URL: write page: FILE.html, or url: https://…"
                    : "both page and url are set: leave one out")
        }
        guard url.isEmpty else {
            self.url = try Self.check(url, isNetworkGranted)
            return
        }
        self.url = "file://" + Self.encoded(page)
    }

    private static func check(_ url: String, _ isNetworkGranted: Bool) throws(InvalidValueError)
        -> String
    {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        switch scheme {
        case "http", "https":
            guard isNetworkGranted else {
                throw InvalidValueError(
                    "url: a page of the network needs network: true in the settings")
            }
        case "file", "data": break
        default:
            throw InvalidValueError(
                "url: must begin with https://, http://, file:/// or data:; for a file use "
                    + "page: FILE.html")
        }
        return encoded(url, isURL: true)
    }

    /// Escapes all but what a URL may hold. Escapes in a URL stay.
    private static func encoded(_ text: String, isURL: Bool = false) -> String {
        let plain: Set<UInt8> = Set("-._~/!$&'()*+,;=:@".utf8)
        let more: Set<UInt8> = isURL ? Set("%?#[]".utf8) : []
        var result = ""
        for byte in text.utf8 {
            let isLetter =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
            if isLetter || plain.contains(byte) || more.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
