import GreenroomModel
import GreenroomHarness
import GreenroomPluginInterface
import GreenroomMedia

extension Examination {
    /// The live parameters. Throws a verdict if there are none.
    func liveParameters() throws(Verdict) -> [Parameter] {
        let live = descriptor.parameters.filter(\.isLive)
        guard !live.isEmpty else { throw .skipped("has no live parameters") }
        return live
    }
}

extension Fixture {
    /// Creates, initializes with small frames, and starts.
    func startSmall() throws(Verdict) {
        try create()
        try initialize(pluginHarness.smallOffer())
        try startSend()
    }

    /// Requires a step to succeed after a value was set.
    ///
    /// - Parameter cause: The value, as text.
    func require(_ step: String, _ end: PluginHarness.StepEnd, after cause: String) throws(Verdict)
    {
        guard end != .done, end != .pumps else { return }
        var verdict = verdict(on: step, end)
        verdict.text = "with \(cause): \(verdict.text)"
        // The plugin may behave so with any value.
        throw verdict.unless(check(naming: LifecycleStep(rawValue: step), end))
    }

    /// Ends a started run.
    func end(after cause: String) throws(Verdict) {
        try settle()
        try require("stop-send", pluginHarness.stopSend(), after: cause)
        try require("uninitialize", pluginHarness.uninitialize(), after: cause)
        try require("destroy", pluginHarness.destroy(), after: cause)
    }
}
