import GreenroomLifecycle
import GreenroomModel
import Glibc
import GreenroomRuntime

/// Memory that isolated outputs hold after the memory's frames have ended.
extension SessionPlugins {
    /// Limit of released memory that an output holds, in bytes, before a new demand. Each new
    /// demand releases the memory of earlier frames, and a process can hold that memory until the
    /// process ends.
    static let endedByteLimit = 64 << 20

    /// The real time for which an output may exceed the limit before the log reports it.
    private static let holdingNanoseconds: Int64 = 3_000_000_000

    /// Whether the host may ask an output for its demand. A new demand can map and unmap memory.
    ///
    /// A virtual clock stands still while the output unmaps memory, so that sessions are
    /// reproducible.
    mutating func mayWantMore(_ output: SessionPlugin) -> Bool {
        let (number, instance) = (output.number, output.instance)
        guard instance.endedByteCount > Self.endedByteLimit else {
            holding[number] = nil
            return true
        }
        let now = clock.host.now
        guard let since = holding[number] else {
            holding[number] = now
            guard clock.isVirtual else { return false }
            let deadline = clock.host.deadline(after: Self.holdingNanoseconds)
            while instance.endedByteCount > Self.endedByteLimit, clock.host.now < deadline {
                usleep(2000)
            }
            return instance.endedByteCount <= Self.endedByteLimit
        }
        if since != .max, now - since > Self.holdingNanoseconds {
            // Log the excess once.
            holding[number] = .max
            events.send(
                .note(
                    role: instance.role,
                    text:
                        "holds \(instance.endedByteCount >> 20) MiB of released frames, limit: "
                        + "\(Self.endedByteLimit >> 20) MiB; new wants and tracks wait until the "
                        + "process unmaps them"))
        }
        return false
    }
}
