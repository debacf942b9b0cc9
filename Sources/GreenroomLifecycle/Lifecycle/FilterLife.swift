import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomRuntime
import GreenroomVideo
import Synchronization

/// One life of a pre-processor in a process of its own, for the track's thread.
final class FilterLife: RemoteFilter {
    private let backend: any RemoteBackend
    private let gate: MediaGate
    private let clock: SessionClock
    /// When the current call began.
    private let begun = Atomic<Int64>(0)

    /// - Parameter gate: Open to the backend.
    init(_ backend: any RemoteBackend, _ gate: MediaGate, _ clock: SessionClock) {
        self.backend = backend
        self.gate = gate
        self.clock = clock
    }

    func enter() -> Bool {
        guard gate.enterIfFree() != nil else { return false }
        begun.store(clock.now, ordering: .relaxed)
        return true
    }

    func leave() { gate.leave(after: nil) }

    func canFollow(_ previous: any RemoteFilter) -> Bool {
        guard let previous = previous as? FilterLife else { return false }
        return backend.canFollow(previous.backend)
    }

    func put(_ frame: borrowing VideoFrame) {
        _ = backend.put(Self.description(of: frame), from: nil)
    }

    func put(
        _ frame: borrowing VideoFrame, from source: borrowing VideoFrame,
        of previous: any RemoteFilter
    ) -> Bool {
        guard let previous = previous as? FilterLife else { return false }
        return backend.put(
            Self.description(of: frame), from: (Self.description(of: source), previous.backend))
    }

    private static func description(of frame: borrowing VideoFrame) -> gr_mutable_frame {
        gr_mutable_frame(describing: frame, revision: frame.info.offerRevision)
    }

    func begin(in pass: UInt32, next: (any RemoteFilter)?) {
        backend.begin(in: pass, next: (next as? FilterLife)?.backend)
    }

    func result(until deadline: Int64) -> EditResult? {
        backend.result(until: deadline).map { end(with: $0) }
    }

    var callsHost: Bool { backend.callsHost }

    func cancel(pass: UInt32) -> Bool { backend.cancel(pass: pass) }

    func finish() -> EditResult { end(with: backend.finish()) }

    private func end(with edit: RemoteEdit) -> EditResult {
        // In a pass the filter had the frame for a part of the time.
        let elapsed = clock.now - begun.load(ordering: .relaxed)
        let own = edit.nanoseconds.map { min(max($0, 0), elapsed) } ?? elapsed
        gate.leave(after: edit.result == .notBegun ? nil : own)
        return edit.result
    }
}
