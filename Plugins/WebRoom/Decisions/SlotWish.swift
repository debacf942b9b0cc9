/// A page's wish for a slot of its connection.
package struct SlotWish: Equatable, Sendable {
    package var slot: Int
    /// The number of the stream.
    package var stream: UInt32
    /// The number of lines in which the page shows the stream.
    package var lines: Int

    package init(slot: Int, stream: UInt32, lines: Int) {
        self.slot = slot
        self.stream = stream
        self.lines = lines
    }

    package static let mostLines = 10_000

    /// Checks the wishes of a page.
    ///
    /// - Parameter slots: The number of the connection's slots.
    /// - Throws: `RequestError` with the fault.
    package static func check(
        _ wishes: [SlotWish], slots: Int
    ) throws(RequestError) {
        guard Set(wishes.map(\.slot)).count == wishes.count else {
            throw .bad("a slot has one stream")
        }
        for wish in wishes {
            guard (0..<slots).contains(wish.slot) else {
                throw .bad("the connection has the slots 0 to \(slots - 1), and not \(wish.slot)")
            }
            guard (0...mostLines).contains(wish.lines) else {
                throw .bad("lines are 0 to \(mostLines)")
            }
        }
    }
}
