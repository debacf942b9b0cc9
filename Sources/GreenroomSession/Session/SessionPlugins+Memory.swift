import GreenroomLifecycle
import GreenroomEvents
import Glibc
import GreenroomRuntime

/// Memory that isolated outputs hold after its frames have ended.
extension SessionPlugins {
    /// Limit of such memory of an output, in bytes, before what it wants may change: each change ends
    /// the memory of the frames before, and a process can hold that until it ends.
    static let endedByteLimit = 64 << 20

    /// How long an output may hold it, in real time, before the log says so.
    private static let holdingNanoseconds: Int64 = 3_000_000_000

    /// Whether an output may be asked what it wants, which may begin and end memory.
    ///
    /// A virtual clock stands still while it unmaps that: what it gets next is the same each time.
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
            // Once.
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
