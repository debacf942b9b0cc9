import PluginEffects
import GreenroomPlugin

/// The settings of an effect.
struct Frei0rSettings: PluginSettings {
    /// The effect; nil only before the bridge has set it.
    let effect: Frei0rEffect?
    /// The effect's values, in the order of its parameters.
    private(set) var values: [Frei0rParameter.Value]
    /// The text of each colour, which may not be a valid colour.
    private var colors: [Int: String] = [:]
    /// Whether to start an effect that is known to fail.
    var startsAnyway = false

    static var table: [Setting<Frei0rSettings>] { [] }

    init() {
        effect = nil
        values = []
    }

    init(_ effect: Frei0rEffect) {
        self.effect = effect
        values = effect.parameters.map(\.defaultValue)
    }

    /// The settings whose text is not a valid colour.
    var badColors: [(name: String, text: String)] {
        colors.sorted { $0.key < $1.key }.compactMap { index, text in
            guard Frei0rFunctions.ColorValue(text) == nil,
                let parameter = effect?.parameters[index]
            else { return nil }
            return (parameter.name, text)
        }
    }

    subscript(boolean index: Int) -> Bool {
        get { if case .boolean(let flag) = values[index] { flag } else { false } }
        set { values[index] = .boolean(newValue) }
    }

    subscript(number index: Int) -> Double {
        get { if case .number(let number) = values[index] { number } else { 0 } }
        set { values[index] = .number(newValue) }
    }

    subscript(text index: Int) -> String {
        get { if case .text(let text) = values[index] { text } else { "" } }
        set { values[index] = .text(newValue) }
    }

    /// A colour that can't be read leaves the value as it is.
    subscript(color index: Int) -> String {
        get {
            if let text = colors[index] { return text }
            return if case .color(let color) = values[index] { color.text } else { "" }
        }
        set {
            colors[index] = newValue
            guard let parameter = effect?.parameters[index],
                case .color(let original) = parameter.defaultValue,
                let color = Frei0rFunctions.ColorValue(newValue)
            else { return }
            // The effect's own default may lie between two texts.
            values[index] = .color(newValue.lowercased() == original.text ? original : color)
        }
    }

    subscript(x index: Int) -> Double {
        get { if case .position(let position) = values[index] { position.x } else { 0 } }
        set {
            guard case .position(var position) = values[index] else { return }
            position.x = newValue
            values[index] = .position(position)
        }
    }

    subscript(y index: Int) -> Double {
        get { if case .position(let position) = values[index] { position.y } else { 0 } }
        set {
            guard case .position(var position) = values[index] else { return }
            position.y = newValue
            values[index] = .position(position)
        }
    }
}

extension Frei0rEffect {
    /// The table of the effect's settings.
    var settings: [Setting<Frei0rSettings>] {
        var names: Set<String> = []
        func unique(_ name: String) -> String { EffectName.unique(name, among: &names) }
        /// Values range from 0 to 1. An effect whose default is outside has no bounds.
        func bounds(_ value: Double) -> ClosedRange<Double>? { 0...1 ~= value ? 0...1 : nil }

        var table: [Setting<Frei0rSettings>] = []
        if record.fault != nil {
            table.append(
                .boolean(
                    unique("start-anyway"), \.startsAnyway,
                    title: "Start the effect although it is known to fail"))
        }
        for (index, parameter) in parameters.enumerated() {
            switch parameter.defaultValue {
            case .boolean:
                table.append(
                    .boolean(
                        unique(parameter.name), \.[boolean: index], title: parameter.title,
                        live: true))
            case .number(let value):
                table.append(
                    .number(
                        unique(parameter.name), \.[number: index], in: bounds(value),
                        title: parameter.title, live: true))
            case .color:
                table.append(
                    .string(
                        unique(parameter.name), \.[color: index],
                        title: "\(parameter.title) (#rrggbb)", live: true))
            case .position(let value):
                table.append(
                    .number(
                        unique("\(parameter.name)-x"), \.[x: index], in: bounds(value.x),
                        title: "\(parameter.title) (from the left)", live: true))
                table.append(
                    .number(
                        unique("\(parameter.name)-y"), \.[y: index], in: bounds(value.y),
                        title: "\(parameter.title) (from the top)", live: true))
            case .text:
                // Some effects open the file that a text names.
                table.append(
                    .resource(
                        unique(parameter.name), \.[text: index], title: parameter.title,
                        live: true))
            }
        }
        return table
    }
}
