import PluginEffects
import GreenroomPlugin

/// A parameter of an effect, with its default.
struct Frei0rParameter: Sendable {
    /// A parameter's value in the effect's own terms.
    enum Value: Equatable, Sendable {
        case boolean(Bool)
        case number(Double)
        case color(Frei0rFunctions.ColorValue)
        case position(Frei0rFunctions.PositionValue)
        case text(String)
    }

    /// The index in the effect.
    let index: Int32
    /// The name in session files.
    let name: String
    let title: String
    let defaultValue: Value

    /// Reads a parameter of an instance; nil for a type that the specification does not have.
    init?(_ index: Int32, of instance: UnsafeMutableRawPointer, _ functions: Frei0rFunctions) {
        var info = Frei0rFunctions.ParameterInfo()
        withUnsafeMutablePointer(to: &info) {
            functions.getParameterInfo(UnsafeMutableRawPointer($0), index)
        }
        guard let value = Self.value(index, type: info.type, of: instance, functions) else {
            return nil
        }
        self.index = index
        defaultValue = value
        let title = printable(info.name)
        let name = EffectName.setting(title)
        self.name = name.isEmpty ? "parameter-\(index + 1)" : name
        let explanation = printable(info.explanation)
        self.title =
            [title, explanation].filter { !$0.isEmpty }.joined(separator: ": ").ifEmpty(self.name)
    }

    private static func value(
        _ index: Int32, type: Int32, of instance: UnsafeMutableRawPointer,
        _ functions: Frei0rFunctions
    ) -> Value? {
        func read<Content>(_ initial: Content) -> Content {
            var content = initial
            withUnsafeMutablePointer(to: &content) {
                functions.getParameter(instance, UnsafeMutableRawPointer($0), index)
            }
            return content
        }
        switch type {
        case 0: return .boolean(read(0.0) >= 0.5)
        case 1: return .number(read(0.0).finite)
        case 2: return .color(read(Frei0rFunctions.ColorValue()))
        case 3:
            let position = read(Frei0rFunctions.PositionValue())
            return .position(
                Frei0rFunctions.PositionValue(x: position.x.finite, y: position.y.finite))
        case 4: return .text(printable(read(UnsafePointer<CChar>?.none)))
        default: return nil
        }
    }

    /// Gives the effect a value.
    func set(_ value: Value, in instance: UnsafeMutableRawPointer, _ functions: Frei0rFunctions) {
        func write<Content>(_ content: Content) {
            var content = content
            withUnsafeMutablePointer(to: &content) {
                functions.setParameter(instance, UnsafeMutableRawPointer($0), index)
            }
        }
        switch value {
        case .boolean(let flag): write(flag ? 1.0 : 0.0)
        case .number(let number): write(number)
        case .color(let color): write(color)
        case .position(let position): write(position)
        case .text(let text): text.withCString { write(UnsafeMutablePointer(mutating: $0)) }
        }
    }
}

extension Double {
    /// 0 instead of infinity and NaN.
    fileprivate var finite: Double { isFinite ? self : 0 }
}

extension String {
    fileprivate func ifEmpty(_ other: String) -> String { isEmpty ? other : self }
}

extension Frei0rFunctions.ColorValue {
    /// `#rrggbb`.
    var text: String {
        let digits = [red, green, blue].map { component in
            let byte = UInt8(min(max(component.isNaN ? 0 : component * 255, 0), 255).rounded())
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "#" + digits.joined()
    }

    /// Reads `#rrggbb`.
    init?(_ text: String) {
        let digits = text.utf8.dropFirst().compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard text.utf8.first == UInt8(ascii: "#"), text.utf8.count == 7, digits.count == 6 else {
            return nil
        }
        func component(_ index: Int) -> Float {
            Float(digits[index] * 16 + digits[index + 1]) / 255
        }
        self.init(red: component(0), green: component(2), blue: component(4))
    }
}
