import CRoomPage

/// A file of the page.
struct PageFile {
    let bytes: [UInt8]
    let type: String

    /// - Parameter path: Its path; nil for no such file.
    init?(path: [String]) {
        let name = path.first ?? "room.html"
        guard path.count <= 1, let type = path.isEmpty ? "text/html" : Self.types[name] else {
            return nil
        }
        var size = 0
        guard let bytes = room_page_file(name, &size) else { return nil }
        self.bytes = Array(UnsafeBufferPointer(start: bytes, count: size))
        self.type = type
    }

    /// Of the files beside the page itself.
    private static let types = [
        "common.js": "text/javascript", "control.css": "text/css", "control.js": "text/javascript",
        "icon.svg": "image/svg+xml", "join.js": "text/javascript", "people.js": "text/javascript",
        "room.css": "text/css", "room.js": "text/javascript", "stage.js": "text/javascript",
        "watch.js": "text/javascript",
    ]
}
