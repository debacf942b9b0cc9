import GreenroomIPC

/// The memory of other plugins that a runner has mapped, by the memory's number.
struct MemoryLoans {
    private struct Loan {
        /// The memory, which lives as long as its frames.
        weak var memory: SharedMemory?
        var byteCount: Int
        var file: MemoryFile?
        /// Whether the runner failed to map the memory.
        var isUnmapped = false
        /// The ping whose answer confirms that the runner has unmapped the memory; nil until the
        /// request to unmap.
        var unmapped: UInt32?
        /// Whether the process still has the memory although the runner has unmapped it.
        var isHeld = false

        /// Whether the memory has no frames left.
        var hasEnded: Bool { memory == nil }
    }

    private var loans: [UInt32: Loan] = [:]

    /// Adds memory that the runner was asked to map.
    mutating func add(_ memory: SharedMemory) {
        loans[memory.number] = Loan(
            memory: memory, byteCount: memory.byteCount, file: MemoryFile(of: memory.descriptor))
    }

    /// Whether the runner was asked to map the memory and has not failed.
    func contains(_ memory: SharedMemory) -> Bool {
        loans[memory.number].map { !$0.isUnmapped } ?? false
    }

    /// Records that the runner failed to map the memory. The next frame in the memory sends it
    /// again.
    mutating func fail(_ memory: SharedMemory) { loans[memory.number]?.isUnmapped = true }

    /// The numbers of memory without frames that the runner was not yet asked to unmap.
    var ended: [UInt32] {
        loans.filter { $0.value.unmapped == nil && $0.value.hasEnded }.map(\.key)
    }

    /// Records that the runner was asked to unmap memory. The answer to `ping` confirms it.
    mutating func unmap(_ number: UInt32, by ping: UInt32) { loans[number]?.unmapped = ping }

    /// Whether the answer to a ping is needed to confirm that memory is unmapped.
    var awaitsPong: Bool { loans.values.contains { $0.unmapped != nil || $0.isHeld } }

    /// The files of memory that the runner had unmapped when it answered a ping; nil if none.
    func files(unmappedBy ping: UInt32) -> Set<MemoryFile>? {
        let unmapped = loans.values.filter { $0.unmapped == ping || $0.isHeld }
        return unmapped.isEmpty ? nil : Set(unmapped.compactMap(\.file))
    }

    /// Removes the memory that the runner had unmapped when it answered a ping.
    ///
    /// - Parameter held: The files that the runner's process still has.
    mutating func forget(unmappedBy ping: UInt32, but held: Set<MemoryFile>) {
        for (number, loan) in loans where loan.unmapped == ping || loan.isHeld {
            if let file = loan.file, held.contains(file) {
                loans[number]?.isHeld = true
            } else {
                loans[number] = nil
            }
        }
    }

    /// All memory with its size in bytes. The memory lives at least as long as the caller holds it.
    var memory: [(memory: SharedMemory?, byteCount: Int)] {
        loans.values.map { ($0.memory, $0.byteCount) }
    }
}
