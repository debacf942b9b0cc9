import GreenroomIPC

/// The memory of other plugins that a runner has mapped, by its number.
struct MemoryLoans {
    private struct Loan {
        /// Lives as long as the frames in it.
        weak var memory: SharedMemory?
        var byteCount: Int
        var file: MemoryFile?
        /// Whether the runner could not map it.
        var isUnmapped = false
        /// The ping whose answer shows that the runner has unmapped it; nil until it is told to.
        var unmapped: UInt32?
        /// Whether the process has it although the runner has unmapped it.
        var isHeld = false

        /// Whether no frame is left in it.
        var hasEnded: Bool { memory == nil }
    }

    private var loans: [UInt32: Loan] = [:]

    /// Adds memory that the runner is told to map.
    mutating func add(_ memory: SharedMemory) {
        loans[memory.number] = Loan(
            memory: memory, byteCount: memory.byteCount, file: MemoryFile(of: memory.descriptor))
    }

    /// Whether the runner has been told to map memory, and has not failed to.
    func contains(_ memory: SharedMemory) -> Bool {
        loans[memory.number].map { !$0.isUnmapped } ?? false
    }

    /// Notes that the runner could not map memory: its next frame sends it again.
    mutating func fail(_ memory: SharedMemory) { loans[memory.number]?.isUnmapped = true }

    /// Memory without frames that the runner is still to unmap.
    var ended: [UInt32] {
        loans.filter { $0.value.unmapped == nil && $0.value.hasEnded }.map(\.key)
    }

    /// Notes that the runner was told to unmap memory: the answer to a ping shows that it has.
    mutating func unmap(_ number: UInt32, by ping: UInt32) { loans[number]?.unmapped = ping }

    /// Whether the answer to a ping is to show that the runner has unmapped memory.
    var awaitsPong: Bool { loans.values.contains { $0.unmapped != nil || $0.isHeld } }

    /// The files of memory that the runner had unmapped when it answered a ping; nil for no memory.
    func files(unmappedBy ping: UInt32) -> Set<MemoryFile>? {
        let unmapped = loans.values.filter { $0.unmapped == ping || $0.isHeld }
        return unmapped.isEmpty ? nil : Set(unmapped.compactMap(\.file))
    }

    /// Forgets the memory that the runner had unmapped when it answered a ping.
    ///
    /// - Parameter held: The files that its process has all the same.
    mutating func forget(unmappedBy ping: UInt32, but held: Set<MemoryFile>) {
        for (number, loan) in loans where loan.unmapped == ping || loan.isHeld {
            if let file = loan.file, held.contains(file) {
                loans[number]?.isHeld = true
            } else {
                loans[number] = nil
            }
        }
    }

    /// All memory, which is alive while the caller has it, with its bytes.
    var memory: [(memory: SharedMemory?, byteCount: Int)] {
        loans.values.map { ($0.memory, $0.byteCount) }
    }
}
