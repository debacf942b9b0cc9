import GreenroomHarness
import GreenroomModel
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomIsolation
import GreenroomMedia

extension Catalogue {
    static let lasting = Check(
        "robustness.lasting", "stable over days",
        rule: "Threads, descriptors and memory do not grow.",
        why: "Sessions run for days.",
        measured: """
            A minute of session time, or 15 s of real time without the session clock. \
            Growth below about 50 KB in ten seconds is noise. After 40 s of real time, \
            fewer than four intervals are a warning.
            """,
        fix: "Release or reuse what each frame or block needs."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.startLasting()
        try fixture.wait(seconds: 0.5)
        guard fixture.clock.isOffClock() else { return try fixture.last(seconds: 10) }
        let other = try examination.fixture(on: .real)
        try other.startLasting()
        return try other.last(seconds: 2.5)
    }

    /// The size of the plugin's frames.
    fileprivate static let smallest = VideoCapability(width: 320, height: 180, fps: 15)
}

extension Fixture {
    fileprivate func startLasting() throws(Verdict) {
        try create()
        try initialize(pluginHarness.nextOffer(ceiling: Catalogue.smallest))
        try startSend()
    }

    /// Compares six periods.
    fileprivate func last(seconds: Double) throws(Verdict) -> Verdict {
        let deadline = MonotonicClock.deadline(after: Self.timeBudget)
        let delayBefore = ProcessLoad(of: process.process).delayNanoseconds
        var leaks = LeakDetector(from: ProcessSnapshot(of: process.process))
        var looks = 0
        while looks < 6, try work(seconds: seconds, until: deadline) {
            leaks.add(ProcessSnapshot(of: process.process))
            looks += 1
        }
        let stretch =
            "\(Int(seconds.rounded(.up))) s of \(isSource ? "sending" : kind.isFilter ? "editing" : "taking media")"
        guard looks >= Self.fewestLooks else {
            let delay = ProcessLoad(of: process.process).delayNanoseconds - delayBefore
            throw tooSlow(looks, stretch, delayNanoseconds: delay)
        }
        try end()
        guard let finding = leaks.finding else { return .passed() }
        switch finding {
        case .threads(let count):
            throw .failed(
                "\(looks) times \(stretch) leave \(count) threads behind. End the threads that are started, or "
                    + "keep one.")
        case .descriptors(let count, let kinds):
            throw .failed(
                "\(looks) times \(stretch) leave \(count) descriptors open (\(kinds.listed(most: 3))). Close "
                    + "what is opened.")
        case .memory(let bytes):
            throw .failed(
                "every \(stretch) take \(bytes / 1024) KB of memory more. Free what each frame or "
                    + "block allocates, or allocate it once.")
        }
    }

    /// The number of periods needed to detect growth. The first periods fill caches.
    private static let fewestLooks = 4

    /// The verdict if there was too little time for those periods.
    private func tooSlow(_ looks: Int, _ stretch: String, delayNanoseconds: Int64) -> Verdict {
        guard delayNanoseconds < Self.timeBudget / 4 else {
            return .notProven(
                "the machine was too busy to tell: the plugin's threads waited "
                    + "\(delayNanoseconds / 1_000_000) ms for a processor")
        }
        return .warning(
            "in 40 s of real time it has done \(looks) times \(stretch); four are needed to detect "
                + "leaks. Make it do less for each small frame or block, and run again."
        )
    }

    /// The time limit for a slow plugin, in nanoseconds of real time.
    private static let timeBudget: Int64 = 40_000_000_000

    /// Waits while the plugin sends, or calls it to edit as many frames.
    ///
    /// - Returns: Whether the work was done in time.
    private func work(seconds: Double, until deadline: Int64) throws(Verdict) -> Bool {
        guard kind.isFilter else {
            for _ in 0..<10 where MonotonicClock.now < deadline { try wait(seconds: seconds / 10) }
            return MonotonicClock.now < deadline
        }
        let info = FrameInfo(ptsNanoseconds: clock.now)
        for number in 0..<Int(seconds * 15) {
            let cpuDeadline = CPUTimeDeadline(process.process)
            guard
                let edit = pluginHarness.edit(
                    Catalogue.smallest.size, info: info,
                    fill: { if number < 2 { $0.fillWithRamp(number: number) } })
            else { return true }
            if case .overdue = edit {
                throw cpuDeadline.doubt
                    ?? verdict(on: "process", .hangs).unless("lifecycle.whole-life")
            }
            try wait(seconds: 1 / 15)
            if MonotonicClock.now > deadline { return false }
        }
        return true
    }
}
