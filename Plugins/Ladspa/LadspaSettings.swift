import PluginEffects
import GreenroomPlugin

/// The settings of an effect: the values of its control ports.
struct LadspaSettings: PluginSettings {
    /// Nil only before the bridge has made them.
    let effect: LadspaEffect?
    /// The values, in the order of the effect's parameters.
    private(set) var values: [Double]

    static var table: [Setting<LadspaSettings>] { [] }

    init() {
        effect = nil
        values = []
    }

    init(_ effect: LadspaEffect) {
        self.effect = effect
        values = effect.parameters.map(\.defaultValue)
    }

    subscript(boolean index: Int) -> Bool {
        get { values[index] > 0 }
        set { values[index] = newValue ? 1 : 0 }
    }

    subscript(integer index: Int) -> Int {
        get { Int(exactly: values[index].rounded()) ?? 0 }
        set { values[index] = Double(newValue) }
    }

    subscript(number index: Int) -> Double {
        get { values[index] }
        set { values[index] = newValue }
    }
}

extension LadspaEffect {
    /// The table of the effect's settings. All are live.
    var settings: [Setting<LadspaSettings>] {
        var names: Set<String> = []
        return parameters.enumerated().map { index, parameter in
            let base = EffectName.setting(parameter.title)
            let name = EffectName.unique(
                base.isEmpty ? "parameter-\(index + 1)" : base, among: &names)
            let title = parameter.title.isEmpty ? name : parameter.title
            switch parameter.form {
            case .boolean:
                return .boolean(name, \.[boolean: index], title: title, live: true)
            case .integer:
                let bounds = parameter.bounds.flatMap { bounds in
                    Int(exactly: bounds.lowerBound).flatMap { lower in
                        Int(exactly: bounds.upperBound).map { lower...$0 }
                    }
                }
                return .integer(name, \.[integer: index], in: bounds, title: title, live: true)
            case .number:
                return .number(
                    name, \.[number: index], in: parameter.bounds, title: title, live: true)
            }
        }
    }
}
