import GreenroomModel
import GreenroomHarness
import GreenroomRuntime
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let threadContracts = Check(
        "lifecycle.thread-contracts", "calls come from the right threads",
        rule: """
            set_error is called only inside control callbacks, and wait_until_ns only on \
            the plugin's threads.
            """,
        why: """
            Elsewhere, wait_until_ns would block the host's control or media thread: "not \
            from a callback".
            """,
        measured: """
            A second of sending with a new offer, live parameters, frames for a \
            pre-processor and media for an output.
            """,
        fix: "Wait on the plugin's thread, and return errors from callbacks."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        try fixture.initialize()
        let end = fixture.make(.startSend)
        guard end == .done || end == .pumps else { return fixture.ordinary(.startSend, end) }
        try fixture.wait(seconds: 0.5)
        if Set.videoSources.union(Set.filters).contains(fixture.kind),
            let offer = fixture.pluginHarness.nextOffer()
        {
            _ = fixture.pluginHarness.propertyChange(offer)
        }
        for setting in fixture.pluginHarness.settings { _ = fixture.pluginHarness.set(setting) }
        if fixture.kind.isFilter {
            for _ in 0..<5 {
                let info = FrameInfo(
                    color: .bt709Limited, offerRevision: 1, ptsNanoseconds: fixture.clock.now)
                let size = FrameSize(width: 1920, height: 1080)
                _ = fixture.pluginHarness.edit(size, info: info) { _ in }
            }
        }
        try fixture.wait(seconds: 0.5)
        try fixture.stopSend()
        try fixture.uninitialize()
        try fixture.destroy()
        for call in fixture.record.calls {
            switch (call.request, call.thread) {
            case (.setError, .own):
                return .failed(
                    "calls set_error on its own thread: set_error says why the current control callback "
                        + "fails. Use log, or give_up")
            case (.setError, .media):
                return .failed(
                    "calls set_error in a media callback: set_error says why a control callback "
                        + "fails. Use log")
            case (.waitUntil, .control) where end != .pumps:
                return .failed(
                    "calls wait_until_ns in a callback: use it on the plugin's own threads, as it "
                        + "blocks the control thread")
            case (.waitUntil, .media):
                return .failed(
                    "calls wait_until_ns in a media callback, which delays the media")
            default: continue
            }
        }
        return .passed()
    }
}
