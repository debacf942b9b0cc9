/// How much a room takes.
package enum RoomLimits {
    /// Connections that watch or listen, if the process may have files and threads enough.
    package static let viewers = 60
    /// Files that a connection needs with a request that waits, and the process itself.
    private static let filesOfConnection = 8
    private static let filesBeside = 64
    /// Threads of a viewer's connection, of one that sends with its decoders, and of the process itself.
    private static let threadsOfViewer = 8
    private static let threadsOfSender = 15
    private static let threadsBeside = 48

    /// Whether a process has files and threads for connections.
    ///
    /// - Parameters:
    ///   - senders: Guests and shares.
    ///   - openFiles: How many files it may open; below 0 for no limit. A plugin's own process may have
    ///     as many threads.
    package static func fits(viewers: Int, senders: Int, openFiles: Int) -> Bool {
        let files = filesBeside + filesOfConnection * (viewers + senders)
        let threads = threadsBeside + threadsOfViewer * viewers + threadsOfSender * senders
        return openFiles < 0 || max(files, threads) <= openFiles
    }

    /// Viewers of an address: one link does not take all places.
    package static let viewersOfAddress = 12

    /// The connections of the page's server.
    ///
    /// - Parameter openFiles: How many files the process may open; below 0 for no limit.
    package static func connections(openFiles: Int) -> ConnectionTable {
        let most = openFiles < 0 ? 256 : min(256, max(16, openFiles * 3 / 16))
        return ConnectionTable(most: most, mostOfAddress: most / 2)
    }

    /// Guests, and as many shares.
    package static let guests = 8
    /// Characters of a guest's name.
    package static let name = 40

    /// A name as the session shows it: in one line, without what can't be seen.
    ///
    /// - Throws: ``RequestError/bad(_:)`` for none.
    package static func name(_ text: String) throws(RequestError) -> String {
        var name = String(visible(text, joiners: false).prefix(Self.name))
        // A session's names have up to 100 bytes.
        while name.utf8.count > 100 { name.removeLast() }
        guard !name.isEmpty else { throw .bad("the name is empty") }
        return name
    }

    /// A text in one line, without characters that can't be seen.
    ///
    /// - Parameter joiners: Whether U+200C and U+200D stay, which emoji and some scripts need.
    package static func visible(_ text: String, joiners: Bool) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar? in
            switch scalar.properties.generalCategory {
            case .format where joiners && (scalar == "\u{200C}" || scalar == "\u{200D}"): scalar
            case .control where scalar.properties.isWhitespace: " "
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
                .paragraphSeparator:
                nil
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars.compactMap(\.self)))
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
