import GreenroomModel
import GreenroomOutputs

extension SessionConfiguration {
    /// The composer of a session that needs one and names none.
    private static let composer = PluginConfiguration("Stage")

    /// If the session has a call, lets recordings in one file that name no tracks take everybody in one
    /// video. Adds the stage if the session has none.
    package mutating func composeRecordings() {
        guard outputs.contains(where: \.output.isCall) else { return }
        var takesStage = false
        for index in outputs.indices {
            guard var recording = outputs[index].output as? FileRecording else { continue }
            takesStage = recording.takeStage() || takesStage
            outputs[index] = SessionOutput(recording, origin: outputs[index].origin)
        }
        guard takesStage, slots[.stage] == nil else { return }
        slots.append(SessionSlot(.stage, Self.composer))
    }
}
