import GreenroomABI
import GreenroomHarness
import GreenroomIsolation
import GreenroomMedia
import GreenroomRuntime
import GreenroomLifecycle

extension Catalogue {
    static let outputReleases = Check(
        "output.releases", "kept frames are released", of: .outputs, limitSeconds: 90,
        rule: "Kept frames are released.",
        why: "Kept frames hold memory, and soon none can be kept.",
        measured: """
            Thirty seconds of media, or as many as forty of real time allow. The fewest \
            kept frames must not grow from third to third, and no keep may fail in the \
            last third while all 8 stay kept.
            """,
        fix: "Release each kept frame, even after errors."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.startOutput()
        let deadline = MonotonicClock.deadline(after: 40_000_000_000)
        var kept: [Int] = []
        var refusedBefore = 0
        for second in 0..<30 where MonotonicClock.now < deadline {
            try fixture.wait(seconds: 1)
            kept.append(fixture.pluginHarness.keptFrames)
            if second == 19 { refusedBefore = fixture.refusedKeeps }
        }
        let refused = fixture.refusedKeeps - refusedBefore
        try fixture.end()
        let third = kept.count / 3
        guard third >= 2 else {
            return .skipped(
                "in 40 s of real time it took \(kept.count) s of media: too few to tell")
        }
        let least = (0..<3).map { kept[($0 * third)..<(($0 + 1) * third)].min() ?? 0 }
        let isFull = least[2] == Int(GR_MAX_KEPT) && refused > 0
        guard isFull || least[0] < least[1] && least[1] < least[2] else {
            return .passed(least[2] == 0 ? "" : "keeps \(least[2]) frames")
        }
        return .failed(
            isFull
                ? "keeps \(least[2]) frames for good, and keep has answered NO_BUFFER "
                    + "\(refused) times since: release each kept frame once it is not needed"
                : "keeps more and more frames: \(least[0]), \(least[1]) and \(least[2]) at least "
                    + "in each third of \(kept.count) s. Release each kept frame")
    }
}

extension Fixture {
    /// The number of `keep` calls that were refused because there was no room.
    fileprivate var refusedKeeps: Int {
        record.calls.count { $0.request == .keepFrame && $0.status == .noBuffer }
    }
}
