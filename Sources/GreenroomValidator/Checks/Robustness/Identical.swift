import GreenroomHarness
import GreenroomSession

extension Catalogue {
    static let identical = Check(
        "robustness.identical", "same output in process and isolated",
        proving: """
            Runs a second of session time on the virtual clock in the host's process and in an \
            isolated one, and compares all frames, timestamps and audio. Any session file may say \
            isolation: process. A plugin that is not repeatable, or that does not use the session \
            clock, can't be compared.
            """
    ) { examination throws(Verdict) in
        let seconds: Int64 = 1_000_000_000
        let isolated = try examination.isolatedPerformance(nanoseconds: seconds)
        guard try examination.isolatedPerformance(nanoseconds: seconds) == isolated else {
            throw .skipped("what it makes is another thing each time: that can't be compared")
        }
        let hosted = try examination.inProcessRun(nanoseconds: seconds)
        guard let difference = isolated.difference(from: hosted) else {
            return isolated.isEmpty
                ? .passed("it made nothing")
                : .passed(
                    "\(isolated.pictures.count) frames, \(isolated.sounds.count * 10) ms of sound")
        }
        guard try examination.inProcessRun(nanoseconds: seconds) == hosted else {
            throw .skipped("what it makes is another thing each time: that can't be compared")
        }
        // What was never written to a frame depends on where the frame lies.
        throw .failed(
            "it makes one thing in a process of its own, and another one in its host's: "
                + "\(difference). Whatever a plugin goes by has to come from its settings and the "
                + "session, not from the process that it is in."
        ).unless("video.whole-frames")
    }
}

extension Examination {
    fileprivate func isolatedPerformance(nanoseconds: Int64) throws(Verdict) -> MediaDigest {
        let fixture = try fixture()
        let (digest, problem) = fixture.pluginHarness.performWhole(
            fixture.record, nanoseconds: nanoseconds)
        if fixture.clock.isOffClock() {
            throw .skipped("it does not use the session clock, so nothing can be compared")
        }
        if let problem { throw .hindered(by: "lifecycle.whole-life", problem) }
        return digest
    }

    fileprivate func inProcessRun(nanoseconds: Int64) throws(Verdict) -> MediaDigest {
        let answer = try InProcessRun.make(order, nanoseconds: nanoseconds)
        if answer.isOffClock {
            throw .skipped("it does not use the session clock, so nothing can be compared")
        }
        if let problem = answer.problem {
            throw .failed(
                "in a process of its own it works, and in its host's it does not: \(problem)")
        }
        return answer.digest ?? MediaDigest()
    }
}
