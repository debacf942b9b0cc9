package import GreenroomPluginInterface

/// The participants whom an output leaves out.
package struct ParticipantExceptions: Equatable, Sendable {
    /// Participants by name, including people who join later.
    package var names: Set<String>
    /// Participants by number.
    package var numbers: Set<UInt32>

    package init(names: Set<String> = [], numbers: Set<UInt32> = []) {
        (self.names, self.numbers) = (names, numbers)
    }

    package func has(_ participant: OutputTrack.Participant) -> Bool {
        numbers.contains(participant.number) || names.contains(participant.name)
    }

    package mutating func formUnion(_ other: ParticipantExceptions) {
        names.formUnion(other.names)
        numbers.formUnion(other.numbers)
    }
}
