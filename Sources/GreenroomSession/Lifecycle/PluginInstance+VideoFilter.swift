import GreenroomPluginInterface
package import GreenroomRuntime
import GreenroomVideo

/// A pre-processor is a filter of its track.
extension PluginInstance: VideoFilter {
    package var name: String { descriptor.name }

    package var clockOrder: ClockOrder { ClockOrder(part: .track, number: number, owner: number) }

    package var isSending: Bool { lifecycle == .sending }

    package func giveUp(hungFor nanoseconds: Int64) {
        events.send(
            .callbackHangs(role: role, callback: "process", seconds: Double(nanoseconds) / 1e9))
        giveUp(because: "it hangs in process")
    }
}
