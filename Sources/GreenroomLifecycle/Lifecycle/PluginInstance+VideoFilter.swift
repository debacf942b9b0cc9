import GreenroomModel
import GreenroomPluginInterface
package import GreenroomRuntime
package import GreenroomVideo

/// A pre-processor acts as a filter of its track.
extension PluginInstance: VideoFilter {
    package var name: String { descriptor.name }

    package var clockOrder: ClockOrder { ClockOrder(part: .track, number: number, owner: number) }

    package var editing: FilterEditing? {
        guard let (backend, frames) = sendingFilter else { return nil }
        return FilterEditing(
            backend.pool.map(FilterEditing.Memory.shared) ?? .host, frames: frames)
    }

    package func giveUp(hungFor nanoseconds: Int64, in call: FilterCall) {
        guard !isDebugged else { return }
        let step: SessionEvent.Step =
            switch call {
            case .process: .process
            case .propertyChange: .lifecycle(.propertyChange)
            }
        events.send(.callbackHangs(role: role, callback: step, seconds: Double(nanoseconds) / 1e9))
        giveUp(because: "hangs in \(step)")
    }

    package func tell(_ text: String) { events.send(.note(role: role, text: text)) }
}
