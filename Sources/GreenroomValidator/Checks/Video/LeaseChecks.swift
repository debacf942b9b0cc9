import GreenroomHarness
import GreenroomIPC
import GreenroomConversion
import GreenroomSession
import GreenroomMedia

extension Catalogue {
    /// Lends frames whose planes end where a page ends, with closed pages before and after them and
    /// known bytes in between, and looks at those bytes when the frame comes back.
    static let leaseEdges = Check(
        "video.lease-edges", "nothing but the planes of a leased frame is written", of: .pictures,
        proving: """
            A plugin that leases frames writes size_bytes bytes of each plane at most, from data on, \
            at each row of the standard table (a share at three limits), and at 641x361, where \
            chroma rounds up. Each plane lies against a closed page here, and what else is in its \
            pages is looked at when the frame comes back.
            """
    ) { examination throws(Verdict) in
        let others = examination.rows.filter { !LeaseTrial.rows.contains($0) }
        switch try examination.tryLeases(andAt: others) {
        case .leasesNothing: throw .skipped("it sends its own memory, and leases nothing")
        case .sound: return .passed()
        case .spoiled(_, _, isReturned: true):
            throw .hindered(by: "video.lease-end", "it uses frames that it has given back")
        case .spoiled(let lease, let text, isReturned: false):
            return .failed(
                "it \(text) of a leased \(lease.format.name) frame of \(lease.size): write "
                    + "stride_bytes for each row but the last, and size_bytes in all; chroma of an "
                    + "odd size rounds up")
        }
    }

    /// Closes the pages of a frame as soon as it is given back, and lends others before those.
    static let leaseEnd = Check(
        "video.lease-end", "a frame is left alone once it is given back", of: .pictures,
        proving: """
            A lease ends with commit or abandon, whatever they answer: from then on the memory is the \
            host's, which shows it, sends it on or lends it anew. A plugin that still writes to it \
            tears pictures that are on air, and one that reads it finds other frames. Looked at for a \
            second of session time at 640x360 and at 641x361.
            """
    ) { examination throws(Verdict) in
        switch try examination.tryLeases() {
        case .leasesNothing: throw .skipped("it sends its own memory, and leases nothing")
        case .sound: return .passed()
        case .spoiled(_, _, isReturned: false):
            throw .hindered(by: "video.lease-edges", "it writes beyond what it is lent")
        case .spoiled(let lease, let text, isReturned: true):
            return .failed(
                "it \(text) of a leased \(lease.format.name) frame of \(lease.size) after it had given "
                    + "that back: forget the frame before commit or abandon, and finish all drawing first"
            )
        }
    }
}
