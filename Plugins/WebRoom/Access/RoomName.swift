import GreenroomMedia

/// The name of a room or of a guest.
package enum RoomName {
    /// Limit of its characters.
    package static let limit = 40

    /// A name as the session shows it: ``Swift/String/singleLine``, and not too long.
    ///
    /// - Returns: nil if nothing visible remains.
    package static func shown(_ text: String) -> String? {
        var name = String(text.singleLine.prefix(limit))
        // A session's names have at most 100 bytes.
        while name.utf8.count > 100 { name.removeLast() }
        return name.singleLine.isEmpty ? nil : name
    }
}
