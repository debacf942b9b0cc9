import GreenroomPluginInterface
package import GreenroomRuntime
package import GreenroomVideo

/// A pre-processor is a filter of its track.
extension PluginInstance: VideoFilter {
    package var name: String { descriptor.name }

    package var clockOrder: ClockOrder { ClockOrder(part: .track, number: number, owner: number) }

    package var editing: FilterEditing? {
        guard let (backend, frames) = sendingFilter else { return nil }
        return FilterEditing(
            backend.pool.map(FilterEditing.Memory.copies) ?? .inPlace, frames: frames)
    }

    package func giveUp(hungFor nanoseconds: Int64, in callback: String) {
        guard !isDebugged else { return }
        events.send(
            .callbackHangs(role: role, callback: callback, seconds: Double(nanoseconds) / 1e9))
        giveUp(because: "it hangs in \(callback)")
    }

    package func tell(_ text: String) { events.send(.note(role: role, text: text)) }
}
