import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// A pre-processor is a filter of the track that it belongs to.
extension PluginInstance: VideoFilter {
    var name: String { descriptor.name }

    var clockOrder: ClockOrder { ClockOrder(part: .track, number: number, owner: number) }

    var isSending: Bool { lifecycle == .sending }

    func giveUp(hungFor nanoseconds: Int64) {
        events.send(
            .callbackHangs(role: role, callback: "process", seconds: Double(nanoseconds) / 1e9))
        giveUp(because: "it hangs in process")
    }
}
