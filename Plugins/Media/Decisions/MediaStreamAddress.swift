/// The URL of a stream.
package struct MediaStreamAddress: Hashable, Sendable {
    /// The schemes that can be opened. None of them opens a file.
    package static let schemes = [
        "http", "https", "rtmp", "rtmps", "rtsp", "rtsps", "srt", "tcp", "udp", "rtp",
    ]

    /// The URL, with the scheme in small letters.
    package let url: String
    /// The part before the colon, in small letters.
    package let scheme: String
    /// The URL as messages have it: without user, password, path and query, any of which may be a credential.
    package let name: String

    /// - Returns: nil for a URL of another scheme.
    package init?(_ url: String) {
        guard let separator = url.firstRange(of: "://") else { return nil }
        scheme = url[..<separator.lowerBound].lowercased()
        guard Self.schemes.contains(scheme) else { return nil }
        self.url = scheme + url[separator.lowerBound...]
        let rest = url[separator.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        // A slash in a password: where the host begins is not known.
        let isClear = !rest[authority.endIndex...].contains("@")
        let host = isClear ? authority.split(separator: "@").last ?? "" : "..."
        name = "\(scheme)://\(host)"
    }

    /// Whether its server sends as fast as it is read.
    package var isPaced: Bool { scheme.hasPrefix("http") }
}
