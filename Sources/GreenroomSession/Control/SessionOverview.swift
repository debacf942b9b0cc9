import GreenroomABI
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime

/// The description of a session for plugins that may control it; encoded as JSON.
///
/// The description holds no secrets: of the settings it has only the live settings.
struct SessionOverview: Encodable {
    /// A command as a user writes it, and its meaning.
    struct Command: Encodable {
        var line: String
        var meaning: String
    }

    struct Parameter: Encodable {
        var name: String
        var title: String
        /// `boolean`, `integer`, `number`, `string`, `choice` or `path`.
        var type: String
        var unit: String?
        var minimum: Double?
        var maximum: Double?
        var choices: [String]?
        var value: Value
        var defaultValue: Value?

        enum CodingKeys: String, CodingKey {
            case name, title, type, unit, minimum, maximum, choices, value
            case defaultValue = "default"
        }
    }

    struct Plugin: Encodable {
        /// The plugin's name in commands, e.g. `camera.pre-processors[0]`.
        var role: String
        var id: String
        var name: String
        var kind: String
        var state: LifecycleState
        var fault: String?
        /// The command that stops or mutes the plugin; nil if there is none.
        var stop: String?
        /// The command that restarts the plugin.
        var start: String?
        /// The command's word for the plugin's ceiling; nil without video.
        var ceiling: String?
        /// The ceiling set by a command; nil if none.
        var ceilingNow: String?
        /// The live parameters.
        var parameters: [Parameter]
    }

    /// The kind of the answer, as in the socket's other answers.
    var event = "description"
    var session: String
    var seconds: Double
    var clock: String
    /// The sizes and rates in offers to cameras, largest first.
    var table: [String]
    var commands: [Command]
    var plugins: [Plugin]

    init(
        _ plan: SessionPlan, _ instances: [PluginInstance],
        ceilings: [SessionRole: VideoCapability], seconds: Double
    ) {
        session = plan.configuration.name
        self.seconds = seconds
        clock = plan.configuration.clock.rawValue
        table = plan.configuration.table.map(\.description)
        commands = (plan.controlParser?.commands ?? []).map {
            Command(line: $0.line, meaning: $0.meaning)
        }
        plugins = instances.map { instance in
            let role = SessionRole(rawValue: instance.role)
            let facts = role?.facts
            let values = Dictionary(
                instance.settings.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            return Plugin(
                role: instance.role, id: instance.descriptor.id, name: instance.descriptor.name,
                kind: instance.descriptor.kind.name, state: instance.lifecycle,
                fault: instance.fault, stop: facts?.stopping?.stop, start: facts?.stopping?.start,
                ceiling: facts?.ceiling?.word,
                ceilingNow: role.flatMap { ceilings[$0] }?.description,
                parameters: instance.descriptor.parameters.filter(\.isLive).compactMap {
                    parameter in
                    values[parameter.name].map { Parameter(parameter, $0) }
                })
        }
    }
}

extension SessionOverview.Parameter {
    fileprivate init(_ parameter: Parameter, _ value: ParameterValue) {
        name = parameter.name
        title = parameter.title
        type = "\(parameter.type)"
        unit = parameter.unit
        minimum = parameter.bounds.flatMap { $0.lowerBound.isFinite ? $0.lowerBound : nil }
        maximum = parameter.bounds.flatMap { $0.upperBound.isFinite ? $0.upperBound : nil }
        choices = parameter.choices.isEmpty ? nil : parameter.choices
        self.value = SessionOverview.Value(value)
        defaultValue = parameter.defaultValue.map(SessionOverview.Value.init)
    }
}

extension SessionOverview {
    /// A setting's value.
    struct Value: Encodable {
        private let value: ParameterValue

        init(_ value: ParameterValue) { self.value = value }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .boolean(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            }
        }
    }
}

/// A report of a running session, with the time.
struct LiveReport: Encodable {
    var timedReport: Session.TimedReport

    private enum Key: CodingKey {
        case seconds
    }

    func encode(to encoder: any Encoder) throws {
        try timedReport.report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(timedReport.seconds, forKey: .seconds)
    }
}

// MARK: - The session's side

extension Session {
    /// Executes a line of a plugin that may control the session.
    func perform(line: String, origin: String) throws(CommandError) {
        guard let parser = plan.controlParser else {
            throw CommandError("this program does not accept commands from plugins.")
        }
        switch try parser.read(line) {
        case .command(let command): try perform(command, origin: origin)
        case .stop: stop(isPlanned: true)
        case .advance: throw CommandError(ControlLine.advanceRefusal)
        case .help: throw CommandError("the session's description lists the commands.")
        case .nothing: throw CommandError("the command is empty. Write one, such as explain.")
        }
    }

    /// The description of the session's current state, as JSON.
    package var descriptionText: String? {
        guard let snapshot else { return nil }
        return try? SessionOverview(
            plan, instances, ceilings: commandedCeilings, seconds: snapshot.seconds
        ).jsonText()
    }

    /// The session's newest report, as JSON. A report that is too long omits the participants.
    package var reportText: String? {
        guard var timedReport else { return nil }
        let text = try? LiveReport(timedReport: timedReport).jsonText()
        let participants = timedReport.report.participants?.count ?? 0
        guard let text, text.utf8.count >= Int(GR_MAX_CONTROL_TEXT), participants > 0 else {
            return text
        }
        timedReport.report.participants = []
        timedReport.report.participantsLeftOut =
            (timedReport.report.participantsLeftOut ?? 0) + participants
        return try? LiveReport(timedReport: timedReport).jsonText()
    }
}
