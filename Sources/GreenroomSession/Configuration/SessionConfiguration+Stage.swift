import GreenroomModel
import GreenroomOutputs

extension SessionConfiguration {
    /// The composer of a session that needs one and names none.
    private static let composer = PluginConfiguration("Stage")

    /// If the session has a call, lets recordings in one file that name no tracks take everybody in one
    /// video: of the stage without a name, or else of the only one. Adds a stage if the session has none.
    package mutating func composeRecordings() {
        guard outputs.contains(where: \.output.isCall) else { return }
        let stages = slots.map(\.role).filter(\.composes)
        let stage = stages.first { $0.name == nil } ?? (stages.count == 1 ? stages[0] : nil)
        var needsStage = false
        for index in outputs.indices {
            guard var recording = outputs[index].output as? FileRecording else { continue }
            // With several stages the recording has to name one.
            if stages.isEmpty || stage != nil { recording.takeStage(stage ?? .stage) }
            needsStage = needsStage || recording.selection?.own.contains(.own(.stage)) == true
            outputs[index] = SessionOutput(recording, origin: outputs[index].origin)
        }
        guard needsStage, stages.isEmpty else { return }
        slots.append(SessionSlot(.stage, Self.composer))
    }
}
