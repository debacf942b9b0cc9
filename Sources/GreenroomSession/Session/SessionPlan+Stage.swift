import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface
import StageDecisions

extension SessionPlan {
    private static let stageID = "org.greenroom.stage"

    /// The names in stages' settings that match no track or participant of this session.
    package var stageProblems: [ConfigurationProblem] {
        slots.flatMap { slot in
            slot.plugin.settings.flatMap { setting in
                problems(of: setting.name, setting.value, at: PluginAddress(slot.role)).map {
                    line, text in
                    let path = "\(slot.role.rawValue).settings.\(setting.name)"
                    return ConfigurationProblem(text, at: line.map { "\(path)[\($0)]" } ?? path)
                }
            }
        }
    }

    /// Returns the names in a stage's setting that match no track or participant, each with its
    /// line.
    func problems(
        of setting: String, _ value: ParameterValue, at address: PluginAddress
    ) -> [(line: Int?, text: String)] {
        guard case .source(let role) = address, role.composes,
            self[address]?.descriptor.id == Self.stageID, case .string(let text) = value
        else { return [] }
        let tracks = ConfiguredPlugins(of: configuration).roles
            .filter { $0.medium == .video && !$0.composes }.sorted().map(\.trackName)
        let names = StageNames(
            tracks: tracks, hasParticipants: configuration.outputs.contains(where: \.output.isCall))
        return names.problems(in: setting, text)
    }
}
