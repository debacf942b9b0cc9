import GreenroomLifecycle
import GreenroomModel
import GreenroomRuntime

/// Memory that isolated outputs hold after the memory's frames have ended.
extension SessionPlugins {
    /// The real time for which an output may exceed the limit before the log reports it.
    private static let holdingNanoseconds: Int64 = 3_000_000_000

    /// Whether the host may ask an output for its demand. A new demand can map and unmap memory.
    mutating func mayWantMore(_ output: SessionPlugin) -> Bool {
        let (number, instance) = (output.number, output.instance)
        let limit = PluginInstance.endedByteLimit
        guard instance.endedByteCount > limit else {
            holding[number] = nil
            return true
        }
        let now = clock.host.now
        guard let since = holding[number] else {
            holding[number] = now
            return false
        }
        if since != .max, now - since >= Self.holdingNanoseconds {
            // Log the excess once.
            holding[number] = .max
            events.send(
                .note(
                    role: instance.role,
                    text:
                        "holds \(instance.endedByteCount >> 20) MiB of released frames, limit: "
                        + "\(limit >> 20) MiB; new wants and tracks wait until the process unmaps "
                        + "them"))
        }
        return false
    }

    /// The time at which the log reports an excess, on the host clock; nil if none is pending.
    ///
    /// A virtual clock stands still until then, unless the output unmaps its memory, so that
    /// sessions are reproducible.
    var nextHoldingLook: Int64? {
        let now = clock.host.now
        return holding.values.filter { $0 != .max }.map { $0 + Self.holdingNanoseconds }
            .filter { $0 > now }.min()
    }
}
