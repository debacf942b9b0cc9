import GreenroomHarness
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomLifecycle

extension Catalogue {
    static let identical = Check(
        "robustness.identical", "same output in process and isolated", needsLibrary: true,
        rule: "The output is the same in the host's process and isolated.",
        why: "Any session file may set isolation: process.",
        measured: """
            A second of session time in both: frames, timestamps, audio, requested formats \
            and reported values. Skipped for a plugin that is not repeatable or does not \
            use the session clock.
            """,
        fix: "Depend on nothing but settings, offers and the session clock."
    ) { examination throws(Verdict) in
        let seconds: Int64 = 1_000_000_000
        let isolated = try examination.isolatedDigest(nanoseconds: seconds)
        guard try examination.isolatedDigest(nanoseconds: seconds) == isolated else {
            throw .skipped("its output differs each time: cannot compare it")
        }
        let hosted = try examination.inProcessRun(nanoseconds: seconds)
        guard let difference = isolated.difference(from: hosted) else {
            if examination.descriptor.kind.isOutput {
                return .passed(
                    "\(isolated.wants.count) wants, \(isolated.values.count) reported values")
            }
            return isolated.isEmpty
                ? .passed("made nothing")
                : .passed(
                    "\(isolated.frames.count) frames, \(isolated.blocks.count * 10) ms of audio")
        }
        guard try examination.inProcessRun(nanoseconds: seconds) == hosted else {
            throw .skipped("its output differs each time: cannot compare it")
        }
        // Unwritten bytes of a frame depend on its memory.
        throw .failed(
            "its output in a separate process differs from its output in the host's process: "
                + "\(difference). Output must depend only on settings and "
                + "session, not on the process."
        ).unless("video.whole-frames")
    }
}

extension Examination {
    fileprivate func isolatedDigest(nanoseconds: Int64) throws(Verdict) -> MediaDigest {
        let fixture = try fixture()
        let (digest, problem) = fixture.pluginHarness.performWhole(
            fixture.record, nanoseconds: nanoseconds)
        if fixture.clock.isOffClock() {
            throw .skipped("does not use the session clock, so nothing can be compared")
        }
        if let problem { throw .hindered(by: "lifecycle.whole-life", problem) }
        return digest
    }

    fileprivate func inProcessRun(nanoseconds: Int64) throws(Verdict) -> MediaDigest {
        let answer = try InProcessRun.make(request, nanoseconds: nanoseconds)
        if answer.isOffClock {
            throw .skipped("does not use the session clock, so nothing can be compared")
        }
        if let problem = answer.problem {
            throw .failed(
                "works isolated, but not in the host's process: \(problem)")
        }
        return answer.digest ?? MediaDigest()
    }
}
