/// The volumes that a page has set for single people.
package struct PersonVolumes: Equatable, Sendable {
    /// The volume of one person.
    package struct Wish: Equatable, Sendable {
        /// The participant's number; nil for the session's own audio.
        package var participant: UInt32?
        package var percent: Int

        package init(participant: UInt32?, percent: Int) {
            self.participant = participant
            self.percent = percent
        }
    }

    package static let mostPercent = 200

    /// The volumes other than 100 %.
    private var percents: [UInt32?: Int] = [:]

    /// - Throws: `RequestError` with the fault.
    package init(_ wishes: [Wish]) throws(RequestError) {
        guard Set(wishes.map(\.participant)).count == wishes.count else {
            throw .bad("a participant has one volume")
        }
        for wish in wishes {
            guard (0...Self.mostPercent).contains(wish.percent) else {
                throw .bad("a volume is 0 to \(Self.mostPercent) %, and not \(wish.percent)")
            }
            if wish.percent != 100 { percents[wish.participant] = wish.percent }
        }
    }

    /// Whether all people have 100 %, so that the viewer needs no separate mix.
    package var isEmpty: Bool { percents.isEmpty }

    /// The factor of a person's samples in the viewer's mix.
    ///
    /// - Parameters:
    ///   - participant: Nil for the session's own audio.
    ///   - leftOut: The participants whom the viewer must not hear: the viewer's own audio, and echoes.
    package func gain(of participant: UInt32?, leftOut: Set<UInt32>) -> Float {
        if let participant, leftOut.contains(participant) { return 0 }
        return Float(percents[participant] ?? 100) / 100
    }
}
