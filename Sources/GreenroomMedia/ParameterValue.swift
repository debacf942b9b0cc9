/// A value of a plugin's setting.
///
/// In a session file, a plain `true` or `false` is a boolean, a plain decimal number is an integer
/// or a number, and everything else is a string: `yes`, `no`, `on`, `off`, `0x10` and quoted text.
/// The plugin's parameter table defines the required type.
public enum ParameterValue: Hashable, Sendable, CustomStringConvertible {
    /// True or false.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number, neither infinite nor NaN.
    case number(Double)
    /// Text, a choice or a path; without NUL.
    case string(String)

    /// The value as text, strings without quotes.
    public var description: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value
        }
    }
}

// Settings are written as literals: `["pattern": "grey", "level": 0.5]`.

extension ParameterValue: ExpressibleByBooleanLiteral {
    /// Makes true or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension ParameterValue: ExpressibleByIntegerLiteral {
    /// Makes a whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension ParameterValue: ExpressibleByFloatLiteral {
    /// Makes a number.
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension ParameterValue: ExpressibleByStringLiteral {
    /// Makes text.
    public init(stringLiteral value: String) { self = .string(value) }
}
