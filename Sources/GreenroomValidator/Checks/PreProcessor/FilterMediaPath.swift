import GreenroomHarness
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    /// Allocations and locks on the media thread.
    static let filterMediaPath = Check(
        "pre-processor.media-path", "process neither allocates nor locks",
        of: .filters,
        rule: "process neither allocates nor locks.",
        why: "Both sometimes wait, and the frame with them. This check only warns.",
        measured: """
            Twenty frames after ten of warm-up, with libgreenroom-meter: calls of malloc, \
            free and pthread_mutex_lock on the media thread. Swift's Mutex and other \
            threads are not seen.
            """,
        fix: "Allocate in initialize or start-send; in Swift, use readOnlyRow instead of row."
    ) { examination throws(Verdict) in
        let examination = try examination.metered()
        let stage = FilterStage(examination)
        let row = VideoCapability(width: 640, height: 360, fps: 30)
        guard let life = try stage.begin(row) else {
            throw .hindered(by: "pre-processor.sizes", "does not initialize at \(row)")
        }
        let source = FilterFrame(.noise, examination.random(8))
        for _ in 0..<30 { _ = try life.edit(source) }
        try life.end()
        let counts = life.fixture.record.edits.dropFirst(10).compactMap(\.counts)
        guard !counts.isEmpty else {
            throw .skipped("nothing could be counted: libgreenroom-meter.so was not loaded")
        }
        func aFrame(_ value: (TracedEdit.Counts) -> Int) -> Double {
            Double(counts.reduce(0) { $0 + value($1) }) / Double(counts.count)
        }
        func text(_ number: Double, _ thing: String) -> String {
            "\(decimal(number, number == number.rounded() ? 0 : 1)) \(thing)"
        }
        let (allocations, bytes) = (aFrame(\.allocations), aFrame(\.allocatedBytes))
        let (frees, locks) = (aFrame(\.frees), aFrame(\.locks))
        guard allocations + frees + locks > 0 else {
            return .passed("no allocations and no locks in \(counts.count) frames")
        }
        return .warning(
            "\(text(allocations, "allocations")) of \(text(bytes, "bytes")), "
                + "\(text(frees, "frees")) and \(text(locks, "locks")) a frame: make what frames "
                + "need in initialize, and share it without locks")
    }
}
