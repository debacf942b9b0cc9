/// The URLs at which people open the room's page.
package struct PageAddress: Equatable, Sendable {
    /// The best one first, each with a slash at its end.
    package let urls: [String]

    /// - Parameters:
    ///   - publicURL: The setting `public-url` after ``origin(_:)``; nil if it is not set.
    ///   - address: The IP address that the server listens at.
    ///   - port: Its port.
    ///   - isSecure: Whether the server has a certificate.
    ///   - machine: The machine's addresses, if the server listens at all of them.
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

    /// Whether a server of this address listens at all of the machine.
    package static func isWildcard(_ address: String) -> Bool {
        address == "0.0.0.0" || address == "::"
    }

    /// The setting `public-url` without a slash at its end.
    ///
    /// - Returns: nil if it is not such as `https://room.example:8443`.
    package static func origin(_ text: String) -> String? {
        let origin = /(https?:\/\/([a-z0-9.\-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?)\/?/
        guard text.utf8.count <= 300 else { return nil }
        return text.lowercased().wholeMatch(of: origin).map { String($0.output.1) }
    }
}
