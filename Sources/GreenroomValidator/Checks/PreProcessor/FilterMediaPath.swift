import GreenroomHarness
import GreenroomSession
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    /// What makes a media thread late.
    static let filterMediaPath = Check(
        "pre-processor.media-path", "nothing is allocated or locked for a frame",
        of: [.preProcessor],
        proving: """
            Has thirty frames edited, of which the first ten don't count, in a process that has \
            libgreenroom-meter loaded before all other libraries, and counts what the media thread \
            calls within process: malloc and its kin, free, and pthread_mutex_lock. Whoever \
            allocates or locks waits for others now and then, and the picture with it: what a frame \
            needs is made in initialize or start-send. Told as a warning, never as a fault. Locks \
            that do without pthread_mutex_lock, such as Swift's Mutex, are not seen; nor is what \
            other threads do. What the host's functions do is counted too: call them elsewhere.
            """
    ) { examination throws(Verdict) in
        let examination = try examination.metered()
        let stage = FilterStage(examination)
        let row = VideoCapability(width: 640, height: 360, fps: 30)
        guard let life = try stage.begin(row) else {
            throw .hindered(by: "pre-processor.sizes", "it does not initialize at \(row)")
        }
        let picture = FilterFrame(.noise, examination.random(8))
        for _ in 0..<30 { _ = try life.edit(picture) }
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
