import GreenroomHost
import GreenroomLoading
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
        let bench = try examination.bench()
        try bench.create()
        try bench.initialize()
        let end = bench.make("start-send")
        guard end == .done || end == .pumps else { return bench.ordinary("start-send", end) }
        try bench.wait(seconds: 0.5)
        if Set.pictures.contains(bench.kind), let offer = bench.rehearsal.nextOffer() {
            _ = bench.rehearsal.propertyChange(offer)
        }
        for setting in bench.rehearsal.settings { _ = bench.rehearsal.set(setting) }
        if bench.kind == .preProcessor {
            for _ in 0..<5 {
                let info = FrameInfo(
                    color: .bt709Limited, offerRevision: 1, ptsNanoseconds: bench.clock.now)
                let size = FrameSize(width: 1920, height: 1080)
                _ = bench.rehearsal.edit(size, info: info) { _ in }
            }
        }
        try bench.wait(seconds: 0.5)
        try bench.stopSend()
        try bench.uninitialize()
        try bench.destroy()
        for call in bench.record.calls {
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
