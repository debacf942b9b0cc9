import GreenroomHarness
import GreenroomIPC
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// Lends frames whose planes end at a page's end, with inaccessible pages before and after them
    /// and known bytes in between, and checks those bytes when the frame returns.
    static let leaseEdges = Check(
        "video.lease-edges", "only the planes of a leased frame are written", of: .videoSources,
        rule: "Only the planes of a leased frame are written.",
        why: "The memory around a plane belongs to the host.",
        measured: """
            At most size_bytes bytes from data on, at each row (a share at three limits) \
            and 641x361. A guard page follows each plane; other bytes are compared.
            """,
        fix: "Round chroma up, and write width bytes per row, not stride_bytes."
    ) { examination throws(Verdict) in
        let others = examination.rows.filter { !LeaseTrial.rows.contains($0) }
        switch try examination.tryLeases(andAt: others) {
        case .leasesNothing: throw .skipped("sends its own memory and leases nothing")
        case .intact: return .passed()
        case .spoiled(_, _, isReturned: true):
            throw .hindered(by: "video.lease-end", "uses frames after commit or abandon")
        case .spoiled(let lease, let text, isReturned: false):
            return .failed(
                "\(text) of a leased \(lease.format.name) frame of \(lease.size): write "
                    + "stride_bytes for each row but the last, and size_bytes in all; chroma of an "
                    + "odd size rounds up")
        }
    }

    /// Makes the pages of a frame inaccessible when it is returned, and lends other frames first.
    static let leaseEnd = Check(
        "video.lease-end", "a frame is not touched after commit or abandon", of: .videoSources,
        rule: "A frame is not touched after commit or abandon.",
        why: """
            Both end a lease, whatever they answer: the host shows the memory, forwards it \
            or lends it out. Later writes tear frames.
            """,
        measured: "A second of session time at 640x360 and 641x361.",
        fix: "Acquire a new frame for each picture, and keep no pointer to the old one."
    ) { examination throws(Verdict) in
        switch try examination.tryLeases() {
        case .leasesNothing: throw .skipped("sends its own memory and leases nothing")
        case .intact: return .passed()
        case .spoiled(_, _, isReturned: false):
            throw .hindered(by: "video.lease-edges", "writes beyond leased planes")
        case .spoiled(let lease, let text, isReturned: true):
            return .failed(
                "\(text) of a leased \(lease.format.name) frame of \(lease.size) after it ended "
                    + "the lease: drop the frame before commit or abandon, and finish all drawing first"
            )
        }
    }
}
