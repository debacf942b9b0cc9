import TestSupport

/// The statuses in the C header.
package enum HeaderStatuses {
    /// Numbers by name, without `GR_STATUS_`.
    package static func all() throws -> [String: Int32] {
        let header = String(
            decoding: try readFile(Checkout.include + "/greenroom/plugin.h"), as: UTF8.self)
        let matches = header.matches(of: #/\bGR_STATUS_([A-Z_]+) = ([0-9]+)/#)
        return Dictionary(
            matches.map { (String($0.1), Int32($0.2) ?? -1) },
            uniquingKeysWith: { first, _ in first })
    }
}
