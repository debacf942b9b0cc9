/// One setting: its name in the session file, its property in the struct, and its legal values.
///
/// A name consists of a–z, 0–9 and `-`, and starts with a letter. A *live* setting may change while
/// the plugin runs; ``Plugin/onSettingsChange(_:)`` receives it.
public struct Setting<Root: PluginSettings>: Sendable {
    let name: String
    let parameter: ParameterEntry
    let read: @Sendable (Root) -> SettingValue
    /// False: the value is of another type, or no choice.
    let write: @Sendable (inout Root, SettingValue) -> Bool

    private init<Value>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, type: SettingType,
        title: String?, unit: String? = nil, live: Bool, required: Bool = false,
        choices: [String] = [], bounds: ClosedRange<Double>? = nil,
        isResource: Bool = false, isSecret: Bool = false,
        encode: @escaping @Sendable (Value) -> SettingValue,
        decode: @escaping @Sendable (SettingValue) -> Value?
    ) {
        self.name = name
        parameter = ParameterEntry(
            name: name, title: title ?? Self.title(of: name), type: type, unit: unit,
            isLive: live, isRequired: required, choices: choices, bounds: bounds,
            isResource: isResource, isSecret: isSecret)
        read = { encode($0[keyPath: path]) }
        write = { root, value in
            guard let value = decode(value) else { return false }
            root[keyPath: path] = value
            return true
        }
    }

    /// `"line-width"` reads "Line width".
    private static func title(of name: String) -> String {
        let words = String(name.map { $0 == "-" ? " " : $0 })
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}

extension Setting {
    /// True or false.
    public static func boolean(
        _ name: String, _ path: any WritableKeyPath<Root, Bool> & Sendable, title: String? = nil,
        live: Bool = false
    ) -> Setting {
        Setting(
            name, path, type: .boolean, title: title, live: live,
            encode: { .boolean($0) },
            decode: { if case .boolean(let value) = $0 { value } else { nil } })
    }

    /// A whole number; bounds are optional.
    public static func integer(
        _ name: String, _ path: any WritableKeyPath<Root, Int> & Sendable,
        in bounds: ClosedRange<Int>? = nil, title: String? = nil, unit: String? = nil,
        live: Bool = false
    ) -> Setting {
        Setting(
            name, path, type: .integer, title: title, unit: unit, live: live,
            bounds: bounds.map { Double($0.lowerBound)...Double($0.upperBound) },
            encode: { .integer(Int64($0)) },
            decode: { if case .integer(let value) = $0 { Int(exactly: value) } else { nil } })
    }

    /// A number; bounds are optional; never infinite, never NaN.
    public static func number(
        _ name: String, _ path: any WritableKeyPath<Root, Double> & Sendable,
        in bounds: ClosedRange<Double>? = nil, title: String? = nil, unit: String? = nil,
        live: Bool = false
    ) -> Setting {
        Setting(
            name, path, type: .number, title: title, unit: unit, live: live, bounds: bounds,
            encode: { .number($0) },
            decode: { if case .number(let value) = $0 { value } else { nil } })
    }

    private static func text(
        _ name: String, _ path: any WritableKeyPath<Root, String> & Sendable,
        type: SettingType = .string, title: String?, live: Bool, required: Bool,
        isResource: Bool = false, isSecret: Bool = false
    ) -> Setting {
        Setting(
            name, path, type: type, title: title, live: live, required: required,
            isResource: isResource, isSecret: isSecret, encode: { .string($0) },
            decode: { if case .string(let value) = $0 { value } else { nil } })
    }

    /// A text. A required text has no default: the session file must set it.
    public static func string(
        _ name: String, _ path: any WritableKeyPath<Root, String> & Sendable, title: String? = nil,
        required: Bool = false, live: Bool = false
    ) -> Setting {
        text(name, path, title: title, live: live, required: required)
    }

    /// A text that names something outside of the plugin, such as an address, a device, a command or a file.
    ///
    /// While the plugin runs, a live resource changes only to values that the session file names or grants.
    public static func resource(
        _ name: String, _ path: any WritableKeyPath<Root, String> & Sendable, title: String? = nil,
        required: Bool = false, live: Bool = false
    ) -> Setting {
        text(name, path, title: title, live: live, required: required, isResource: true)
    }

    /// A password, key or token. The host never prints it, and it is never live. The session file can
    /// name a file that contains it, as `NAME-file`.
    public static func secret(
        _ name: String, _ path: any WritableKeyPath<Root, String> & Sendable, title: String? = nil,
        required: Bool = false
    ) -> Setting {
        text(name, path, title: title, live: false, required: required, isSecret: true)
    }

    /// A file or folder; the plugin receives an absolute path. A required path has no default: the session
    /// file must set it.
    public static func path(
        _ name: String, _ path: any WritableKeyPath<Root, String> & Sendable, title: String? = nil,
        required: Bool = false, live: Bool = false
    ) -> Setting {
        text(name, path, type: .path, title: title, live: live, required: required)
    }

    /// One of an enum's cases, written as its raw value.
    public static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Root, Choice> & Sendable, title: String? = nil,
        live: Bool = false
    ) -> Setting {
        Setting(
            name, path, type: .choice, title: title, live: live,
            choices: Choice.allCases.map(\.rawValue),
            encode: { .string($0.rawValue) },
            decode: { if case .string(let value) = $0 { Choice(rawValue: value) } else { nil } })
    }
}

/// The type of a parameter. Raw values are those of `GR_TYPE_…`.
enum SettingType: UInt32 {
    case boolean = 1
    case integer = 2
    case number = 3
    case string = 4
    case choice = 5
    case path = 6
}

/// The value of a setting.
enum SettingValue: Equatable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
}

/// The entry of a setting in the C parameter table, without its default.
struct ParameterEntry: Sendable {
    var name: String
    var title: String
    var type: SettingType
    var unit: String?
    var isLive: Bool
    var isRequired: Bool
    var choices: [String]
    var bounds: ClosedRange<Double>?
    var isResource: Bool
    var isSecret: Bool
}
