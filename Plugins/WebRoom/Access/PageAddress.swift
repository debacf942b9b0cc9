/// The URLs at which people open the room's page.
package struct PageAddress: Equatable, Sendable {
    /// The URLs, the best first, each with a slash at its end.
    package let urls: [String]

    /// - Parameters:
    ///   - publicURL: The setting `public-url` after ``origin(_:)``; nil if not set.
    ///   - address: The IP address on which the server listens.
    ///   - port: The server's port.
    ///   - isSecure: Whether the server has a certificate.
    ///   - machine: The machine's addresses, used if the server listens on all addresses.
    package init(
        publicURL: String?, address: String, port: Int, isSecure: Bool, machine: [NetworkAddress]
    ) {
        let scheme = isSecure ? "https" : "http"
        if let publicURL {
            urls = ["\(publicURL)/"]
            return
        }
        func url(_ host: String) -> String { "\(scheme)://\(host):\(port)/" }
        guard Self.isWildcard(address) else {
            urls = [url(address.contains(":") ? "[\(address)]" : address)]
            return
        }
        let all = NetworkAddress.usable(machine, isIPv6Heard: address != "0.0.0.0")
        urls = all.isEmpty ? [url("127.0.0.1")] : all.map { url($0.host) }
    }

    /// Whether a server with this address listens on all addresses of the machine.
    package static func isWildcard(_ address: String) -> Bool {
        address == "0.0.0.0" || address == "::"
    }

    /// The setting `public-url` without a slash at its end.
    ///
    /// - Returns: The origin; nil if the text does not have the form `https://room.example:8443`.
    package static func origin(_ text: String) -> String? {
        let origin = /(https?:\/\/([a-z0-9.\-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?)\/?/
        guard text.utf8.count <= 300 else { return nil }
        return text.lowercased().wholeMatch(of: origin).map { String($0.output.1) }
    }
}
