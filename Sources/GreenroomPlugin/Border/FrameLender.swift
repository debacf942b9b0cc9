internal import GreenroomABI
internal import GreenroomMedia
internal import Synchronization

/// The host's functions to keep frames, bound to an output.
///
/// Safe to share: but for the atomics nothing changes after `init`, and the contract lets
/// `release` be called from any thread for as long as the process lives. `keep` is called within
/// the callback that the contract names: only a frame that is borrowed there has it.
final class FrameLender: @unchecked Sendable {
    private let functions: gr_output_host?
    private let host: HostTable
    private let ended = Atomic<UInt64>(0)
    private let kept = Atomic<UInt64>(0)
    private static let none = UInt64.max

    init(_ host: HostTable) {
        self.host = host
        functions = host.output
    }

    /// Changes when sending ends: no frame of a former term is readable.
    var term: UInt64 { ended.load(ordering: .acquiring) }

    /// Ends the term.
    func end() { ended.wrappingAdd(1, ordering: .releasing) }

    /// A callback with a frame begins.
    func begin() { kept.store(Self.none, ordering: .relaxed) }

    func keep(_ frame: UInt64) throws(SendRefusal) {
        guard let functions else {
            throw SendRefusal(
                status: .unsupported, text: "the host keeps no frames: copy what you need")
        }
        // The host keeps a frame once, however often it is asked.
        guard kept.load(ordering: .relaxed) != frame else { throw .keptBefore }
        try host.check(functions.keep(host.instance, frame))
        kept.store(frame, ordering: .relaxed)
    }

    /// The lease ends, whatever status the host returns.
    func release(_ frame: UInt64) { _ = functions?.release(host.instance, frame) }
}

extension SendRefusal {
    static var keptBefore: SendRefusal {
        SendRefusal(
            status: .badLease,
            text: "keep was already called for this frame; use the result of the first call")
    }
}
