import RoomAccess

/// The limits of a room.
package enum RoomLimits {
    /// Limit of connections that watch or listen, if the process may have enough files and threads.
    package static let viewers = 60
    /// The number of files that a connection needs, including a waiting request, and of files that
    /// the process itself needs.
    private static let filesOfConnection = 8
    private static let filesBeside = 64
    /// The number of threads of a viewer's connection, of a sender's connection with its decoders,
    /// and of the process itself.
    private static let threadsOfViewer = 8
    private static let threadsOfSender = 16
    private static let threadsBeside = 48
    /// The number of further threads of a sender with three layers: two jitter buffers and four queues.
    private static let threadsOfLayers = 8

    private static func threads(viewers: Int, senders: Int, layered: Int) -> Int {
        threadsBeside + threadsOfViewer * viewers + threadsOfSender * senders
            + threadsOfLayers * layered
    }

    /// Whether a process may have enough files and threads for the connections.
    ///
    /// - Parameters:
    ///   - senders: The number of guests and shares.
    ///   - layered: The number of senders that send layers.
    ///   - openFiles: The process's limit of open files; below 0 if none. A plugin's own process
    ///     may have as many threads.
    package static func fits(
        viewers: Int, senders: Int, layered: Int = 0, openFiles: Int
    ) -> Bool {
        let files = filesBeside + filesOfConnection * (viewers + senders)
        let threads = threads(viewers: viewers, senders: senders, layered: layered)
        return openFiles < 0 || max(files, threads) <= openFiles
    }

    /// Whether a new sender may send layers: a quarter of the threads remains for people who join later. Otherwise
    /// the sender gets a place with one stream.
    ///
    /// - Parameters: As for ``fits(viewers:senders:layered:openFiles:)``, without the new sender.
    package static func mayLayer(
        viewers: Int, senders: Int, layered: Int, openFiles: Int
    ) -> Bool {
        let threads = threads(viewers: viewers, senders: senders + 1, layered: layered + 1)
        return openFiles < 0 || threads * 4 <= openFiles * 3
    }

    /// The people for whom there are places besides those who are there.
    ///
    /// - Parameters:
    ///   - viewers: The number of connections that watch.
    ///   - layered: The number of guests and shares with layers.
    ///   - openFiles: As for ``fits(viewers:senders:layered:openFiles:)``.
    /// - Returns: The viewers, or the guests, each of whom watches as well.
    package static func placesLeft(
        viewers: Int, guests: Int, shares: Int, layered: Int = 0, openFiles: Int
    ) -> (viewers: Int, guests: Int) {
        func most(_ limit: Int, sending: Int) -> Int {
            (0...max(0, limit)).last {
                fits(
                    viewers: viewers + $0, senders: guests + shares + sending * $0,
                    layered: layered, openFiles: openFiles)
            } ?? 0
        }
        let watching = Self.viewers - viewers
        return (most(watching, sending: 0), most(min(Self.guests - guests, watching), sending: 1))
    }

    /// Limit of viewers per address, so that one link cannot take all places.
    package static let viewersOfAddress = 12

    /// Creates the table of the page server's connections.
    ///
    /// - Parameter openFiles: The process's limit of open files; below 0 if none.
    package static func connections(openFiles: Int) -> ConnectionTable {
        let most = openFiles < 0 ? 256 : min(256, max(16, openFiles * 3 / 16))
        return ConnectionTable(most: most, mostOfAddress: most / 2)
    }

    /// Limit of guests. The limit of shares is the same.
    package static let guests = 16

    /// A name as the session shows it: ``RoomName/shown(_:)``.
    ///
    /// - Throws: ``RequestError/bad(_:)`` if nothing visible remains.
    package static func name(_ text: String) throws(RequestError) -> String {
        guard let name = RoomName.shown(text) else { throw .bad("the name is empty") }
        return name
    }
}
