import GreenroomRuntime
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let threadContracts = Check(
        "lifecycle.thread-contracts", "calls come from the threads that may make them",
        proving: """
            Over a life of a second with a new offer, changes of live parameters and, for a \
            pre-processor, frames to edit: set_error is called inside of control callbacks alone \
            ("[control]"), and wait_until_ns on threads of the plugin's own alone ("not from a \
            callback"), where it would hold up the control or the media thread.
            """
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        try fixture.initialize()
        let end = fixture.make("start-send")
        guard end == .done || end == .pumps else { return fixture.ordinary("start-send", end) }
        try fixture.wait(seconds: 0.5)
        if Set.pictures.contains(fixture.kind), let offer = fixture.pluginHarness.nextOffer() {
            _ = fixture.pluginHarness.propertyChange(offer)
        }
        for setting in fixture.pluginHarness.settings { _ = fixture.pluginHarness.set(setting) }
        if fixture.kind == .preProcessor {
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
                    "it calls set_error on a thread of its own: it tells why the control callback "
                        + "that is running fails. Use log, or give_up")
            case (.setError, .media):
                return .failed(
                    "it calls set_error while it edits a frame: it tells why a control callback "
                        + "fails. Use log")
            case (.waitUntil, .control) where end != .pumps:
                return .failed(
                    "it calls wait_until_ns in a callback: that is for threads of its own, and "
                        + "holds up the control thread")
            case (.waitUntil, .media):
                return .failed(
                    "it calls wait_until_ns while it edits a frame: that holds up the picture")
            default: continue
            }
        }
        return .passed()
    }
}
