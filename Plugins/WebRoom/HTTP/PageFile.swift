import CRoomPage

/// A file of the page.
struct PageFile {
    let bytes: [UInt8]
    let type: String

    /// - Parameter path: Its path; nil for no such file.
    init?(path: [String]) {
        let name = path.first ?? "room.html"
        guard path.count <= 1, let type = Self.types[name.drop { $0 != "." }] else { return nil }
        var size = 0
        guard let bytes = room_page_file(name, &size) else { return nil }
        self.bytes = Array(UnsafeBufferPointer(start: bytes, count: size))
        self.type = type
    }

    private static let types: [Substring: String] = [
        ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml",
    ]
}
