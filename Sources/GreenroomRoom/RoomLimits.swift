/// How much a room takes.
package enum RoomLimits {
    /// Connections that watch or listen, if the process may open files enough; a page has one for
    /// each stream.
    package static let viewers = 60
    /// Files that a connection needs, and the page's server and the process itself.
    private static let filesOfConnection = 10
    private static let filesBeside = 76

    /// Connections, guests' included, that a process has files for.
    ///
    /// - Parameter openFiles: How many it may open.
    package static func connections(openFiles: Int) -> Int {
        max(1, (openFiles - filesBeside) / filesOfConnection)
    }
    /// Guests, and as many shares.
    package static let guests = 8
    /// Characters of a guest's name.
    package static let name = 40

    /// A name as the session shows it: in one line, without what can't be seen.
    ///
    /// - Throws: ``SignallingError/bad(_:)`` for none.
    package static func name(_ text: String) throws(SignallingError) -> String {
        let visible = text.unicodeScalars.filter {
            switch $0.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                .paragraphSeparator:
                false
            default: true
            }
        }
        let words = String(String.UnicodeScalarView(visible)).split(whereSeparator: \.isWhitespace)
        var name = String(words.joined(separator: " ").prefix(Self.name))
        // A session's names have up to 100 bytes.
        while name.utf8.count > 100 { name.removeLast() }
        guard !name.isEmpty else { throw .bad("the name is empty") }
        return name
    }
}
