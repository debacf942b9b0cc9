import GreenroomPluginInterface
package import GreenroomRuntime
package import GreenroomVideo

/// A pre-processor is a filter of its track.
extension PluginInstance: VideoFilter {
    package var name: String { descriptor.name }

    package var clockOrder: ClockOrder { ClockOrder(part: .track, number: number, owner: number) }

    package var editing: FilterEditing? {
        guard let backend = sendingBackend else { return nil }
        return backend.pool.map(FilterEditing.copies) ?? .inPlace
    }

    package func giveUp(hungFor nanoseconds: Int64) {
        events.send(
            .callbackHangs(role: role, callback: "process", seconds: Double(nanoseconds) / 1e9))
        giveUp(because: "it hangs in process")
    }

    package func tell(_ text: String) { events.send(.note(role: role, text: text)) }
}
