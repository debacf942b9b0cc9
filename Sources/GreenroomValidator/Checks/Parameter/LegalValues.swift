import GreenroomMedia
import GreenroomPluginInterface

extension Parameter {
    /// Limit of choices that are tried individually.
    private static let choiceLimit = 24

    /// Whether the parameter's table determines the legal values.
    var isClosed: Bool {
        switch type {
        case .boolean, .choice: true
        case .integer, .number: bounds != nil
        case .string, .path: false
        }
    }

    /// The values at the bounds of the table; empty if it has no bounds.
    var edges: [ParameterValue] {
        switch type {
        case .boolean: [.boolean(false), .boolean(true)]
        case .choice:
            // The first and last ones of a long table.
            choices.count <= Self.choiceLimit
                ? choices.map { .string($0) }
                : (choices.prefix(Self.choiceLimit / 2) + choices.suffix(Self.choiceLimit / 2))
                    .map { .string($0) }
        case .integer:
            wholeBounds.map { [.integer($0.lowerBound), .integer($0.upperBound)] } ?? []
        case .number: bounds.map { [.number($0.lowerBound), .number($0.upperBound)] } ?? []
        case .string, .path: []
        }
    }

    /// A random allowed value; nil if the table does not limit values.
    func randomValue(_ random: inout SeededRandom) -> ParameterValue? {
        switch type {
        case .boolean: .boolean(Bool.random(using: &random))
        case .choice: choices.randomElement(using: &random).map { .string($0) }
        case .integer: .integer(Int64.random(in: wholeBounds ?? -1000...1000, using: &random))
        case .number: .number(Double.random(in: bounds ?? -1000...1000, using: &random))
        case .string: .string(randomText(&random))
        case .path: nil
        }
    }

    private func randomText(_ random: inout SeededRandom) -> String {
        let letters = Array("abc XYZ019äß%\\\"'<>/.:🎬漢")
        return String(
            (0..<Int.random(in: 0...80, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? "a"
            })
    }

    /// The whole numbers within the bounds; nil if there are no bounds or no such numbers.
    private var wholeBounds: ClosedRange<Int64>? {
        guard let bounds else { return nil }
        let least = Int64(clamping: bounds.lowerBound.rounded(.up))
        let most = Int64(clamping: bounds.upperBound.rounded(.down))
        return least <= most ? least...most : nil
    }
}

extension Int64 {
    /// The nearest number; 0 for NaN.
    fileprivate init(clamping number: Double) {
        self =
            Int64(exactly: number)
            ?? (number.isNaN ? 0 : number < 0 ? Int64.min : Int64.max)
    }
}

extension [PluginSetting] {
    /// The settings with another value for a parameter.
    func with(_ value: ParameterValue, for parameter: Parameter) -> [PluginSetting] {
        map { $0.name == parameter.name ? PluginSetting(parameter, value) : $0 }
    }
}

extension PluginSetting {
    init(_ parameter: Parameter, _ value: ParameterValue) {
        self.init(name: parameter.name, type: parameter.type, value: value)
    }

    /// The setting in a session file's notation.
    var words: String {
        if case .string(let text) = value { "\(name): \(text.quoted)" } else { "\(name): \(value)" }
    }
}
