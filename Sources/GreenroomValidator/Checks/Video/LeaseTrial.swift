import GreenroomConversion
import GreenroomHarness
import GreenroomSession
import GreenroomIsolation
import GreenroomMedia

/// What the checks of leased frames have in common: the sizes at which they look, and what a life
/// under guard comes to.
enum LeaseTrial {
    /// A size of whole cache lines, and one whose chroma rounds up in both ways and whose rows have
    /// padding.
    static let rows = [
        VideoCapability(width: 640, height: 360, fps: 30),
        VideoCapability(width: 641, height: 361, fps: 30),
    ]

    /// How a plugin dealt with what it was lent.
    enum End {
        /// It leases nothing.
        case leasesNothing
        case sound
        /// It touched what it must not: that frame, and in words what and how.
        case spoiled(LeaseWatch.Lease, String, isReturned: Bool)
    }
}

extension Examination {
    /// - Parameters:
    ///   - extraStrideBytes: How much longer than need be strides are.
    ///   - isClosed: Whether whoever touches what is not lent is killed.
    ///   - life: Makes another filling for each life.
    func watch(
        extraStrideBytes: Int = 0, isClosed: Bool, life: UInt8 = 0
    ) -> LeaseWatch {
        var random = random(7)
        return LeaseWatch(
            guarding: FrameGuarding(extraStrideBytes: extraStrideBytes), isClosed: isClosed,
            filling: .from(UInt8.random(in: 0...255, using: &random) &+ life &* 41))
    }

    /// What is shown at a row, where anything else than standard sizes is offered as the one row
    /// that there is.
    func scenario(_ row: VideoCapability, seconds: Double, leases: LeaseWatch? = nil)
        -> VideoScenario
    {
        VideoScenario(row: row, table: [row], seconds: seconds, leases: leases)
    }

    /// Has the plugin live with its frames under guard, at each of the sizes for a second, and at
    /// others for a moment.
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
        return hasLeased ? .sound : .leasesNothing
    }

    /// What a crash means for what was lent; nil if it has nothing to do with that.
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
    /// The same; at a size that not every plugin copes with a crash is the business of the check of
    /// such sizes.
    func atSize(_ row: VideoCapability) -> Verdict {
        guard outcome == .crashed, row != LeaseTrial.rows[0] else { return self }
        return unless(
            LeaseTrial.rows.contains(row) ? "negotiation.unfamiliar-sizes" : "video.sizes")
    }
}
