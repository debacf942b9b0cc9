import GreenroomConversion
import GreenroomHarness
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

/// Common parts of the checks of leased frames: the sizes, and the result of a run under guard.
enum LeaseTrial {
    /// A size of whole cache lines, and one with odd chroma in both directions and padded rows.
    static let rows = [
        VideoCapability(width: 640, height: 360, fps: 30),
        VideoCapability(width: 641, height: 361, fps: 30),
    ]

    /// The plugin's use of leased frames.
    enum End {
        /// The plugin leases no frames.
        case leasesNothing
        /// The plugin touched no other memory.
        case intact
        /// The plugin touched forbidden memory: the frame, and a description.
        case spoiled(LeaseWatch.Lease, String, isReturned: Bool)
    }
}

extension Examination {
    /// - Parameters:
    ///   - extraStrideBytes: The bytes to add to the minimum stride.
    ///   - isClosed: Whether access outside leases kills the process.
    ///   - life: Selects a different filling for each run.
    func watch(
        extraStrideBytes: Int = 0, isClosed: Bool, life: UInt8 = 0
    ) -> LeaseWatch {
        var random = random(7)
        return LeaseWatch(
            guarding: FrameGuarding(extraStrideBytes: extraStrideBytes), isClosed: isClosed,
            filling: .from(UInt8.random(in: 0...255, using: &random) &+ life &* 41))
    }

    /// A scenario at a row. A nonstandard size is offered as the only row.
    func scenario(_ row: VideoCapability, seconds: Double, leases: LeaseWatch? = nil)
        -> VideoScenario
    {
        VideoScenario(row: row, table: [row], seconds: seconds, leases: leases)
    }

    /// Runs the plugin with guarded frames, at each size for a second, and at other sizes briefly.
    func tryLeases(andAt others: [VideoCapability] = []) throws(Verdict) -> LeaseTrial.End {
        var hasLeased = false
        for (number, row) in (LeaseTrial.rows + others).enumerated() {
            let seconds = number < LeaseTrial.rows.count ? 1 : 0.15
            let watch = watch(isClosed: true)
            let hold = FrameHold()
            var fixture: Fixture?
            do throws(Verdict) {
                try show(scenario(row, seconds: seconds, leases: watch)) { newest in
                    fixture = newest
                    newest.record.onFrame { hold.keep($0) }
                }
            } catch {
                guard error.outcome == .crashed, let end = spoiled(watch, fixture?.process.fault)
                else { throw error.atSize(row) }
                return end
            }
            if let spill = watch.spill {
                let text =
                    "wrote \(bytes(spill.byteCount)) \(spill.isAfter ? "beyond" : "before") plane "
                    + "\(spill.plane)"
                return .spoiled(spill.lease, text, isReturned: false)
            }
            hasLeased = hasLeased || watch.count > 0
        }
        return hasLeased ? .intact : .leasesNothing
    }

    /// The finding for a crash; nil if leases are not the cause.
    private func spoiled(_ watch: LeaseWatch, _ fault: MemoryFault?) -> LeaseTrial.End? {
        guard let fault, let offset = watch.offset(of: fault.address),
            let lease = watch.lease(near: offset)
        else { return nil }
        let (verb, object) =
            switch fault.access {
            case .write: ("wrote", "wrote to")
            case .read: ("read", "read")
            case .touch: ("touched", "touched")
            }
        let holder = lease.planes.firstIndex { $0.pages.contains(offset) }
        if let holder {
            return .spoiled(lease, "\(object) plane \(holder)", isReturned: true)
        }
        let before = lease.planes.lastIndex { $0.bytes.upperBound <= offset }
        guard let before else {
            let distance = lease.planes[0].offset - offset
            return .spoiled(lease, "\(verb) \(bytes(distance)) before plane 0", isReturned: false)
        }
        let plane = lease.planes[before]
        let distance = offset - plane.bytes.upperBound + 1
        return .spoiled(
            lease, "\(verb) \(bytes(distance)) beyond plane \(before)", isReturned: false)
    }

    private func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}

extension Verdict {
    /// The verdict at a size. The check of unusual sizes reports a crash at such a size.
    func atSize(_ row: VideoCapability) -> Verdict {
        guard outcome == .crashed, row != LeaseTrial.rows[0] else { return self }
        return unless(
            LeaseTrial.rows.contains(row) ? "negotiation.unfamiliar-sizes" : "video.sizes")
    }
}
