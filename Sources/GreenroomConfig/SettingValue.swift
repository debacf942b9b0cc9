import GreenroomSchema

/// A value of a plugin's setting, as far as the file alone tells what it is.
///
/// A plain `true` or `false` is a boolean, a plain decimal number is an integer or a number, and
/// everything else is a string: `yes`, `no`, `on`, `off`, `0x10` and whatever stands in quotes.
/// The plugin's parameter table decides what a value has to be.
public enum SettingValue: Hashable, Sendable {
    /// `true` or `false`.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number with a point or an exponent; finite.
    case number(Double)
    /// Text without NUL.
    case string(String)
}

extension SettingValue: CustomStringConvertible {
    /// The value as people read it, strings in quotes.
    public var description: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        }
    }
}
