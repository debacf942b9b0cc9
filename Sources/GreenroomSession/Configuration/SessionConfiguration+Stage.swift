import GreenroomModel
import GreenroomOutputs

extension SessionConfiguration {
    /// The composer for a session that needs a composer and names none.
    private static let composer = PluginConfiguration("Stage")

    /// Composes all participants into one video for recordings in one file that name no tracks, if
    /// the session has a call.
    ///
    /// Uses the stage without a name, or else the only stage. Adds a stage if the session has none.
    package mutating func composeRecordings() {
        guard outputs.contains(where: \.output.isCall) else { return }
        let stages = slots.map(\.role).filter(\.composes)
        let stage = stages.first { $0.name == nil } ?? (stages.count == 1 ? stages[0] : nil)
        var needsStage = false
        for index in outputs.indices {
            guard var recording = outputs[index].output as? FileRecording else { continue }
            // With several stages the recording must name a stage.
            if stages.isEmpty || stage != nil { recording.takeStage(stage ?? .stage) }
            needsStage = needsStage || recording.selection?.own.contains(.own(.stage)) == true
            outputs[index] = SessionOutput(recording, origin: outputs[index].origin)
        }
        guard needsStage, stages.isEmpty else { return }
        slots.append(SessionSlot(.stage, Self.composer))
    }
}
