import GreenroomDecisions
import Testing

@Suite struct SessionEndTests {
    /// The outcome, whether every output is lost, whether a recording is incomplete, and what the report says.
    @Test(arguments: [
        (SessionOutcome.finished, false, false, SessionOutcome.finished),
        (.finished, true, false, .outputsFailed),
        (.finished, false, true, .outputsFailed),
        (.interrupted, true, false, .interrupted),
        (.interrupted, false, true, .outputsFailed),
        (.pluginFailed(role: "a"), true, true, .pluginFailed(role: "a")),
    ])
    func `an incomplete recording makes a planned end a failure`(
        outcome: SessionOutcome, losesAll: Bool, isIncomplete: Bool, result: SessionOutcome
    ) {
        #expect(
            outcome.after(losingEveryOutput: losesAll).after(failedRecording: isIncomplete)
                == result)
    }

    @Test func `recordings end before the plugins stop, and files after all plugins`() {
        #expect(
            EndStep.allCases == [
                .tellEvents, .finishAudio, .closeIngests, .stopSources, .followParticipants,
                .finishTracks, .finishPluginSinks, .stopPlugins, .uninitializePlugins,
                .destroyPlugins, .finishOutputs, .tellOfEmptyOutputs,
            ])
    }
}
