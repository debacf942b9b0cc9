/// The settings of a plugin: a struct whose initial values are the defaults, and a table that maps
/// them to names in the session file.
///
/// ```swift
/// struct Settings: PluginSettings {
///     var speed = 1.0
///     var pattern = Pattern.bars
///
///     static let table: [Setting<Self>] = [
///         .number("speed", \.speed, in: 0...10, unit: "Hz", live: true),
///         .choice("pattern", \.pattern, title: "Pattern"),
///     ]
/// }
/// ```
///
/// The host checks the values of the session file against the table before the plugin sees them,
/// and `greenroom plugin info` prints the table.
public protocol PluginSettings: Sendable {
    /// The settings with every default.
    init()

    /// Each setting, in the order in which people read them.
    static var table: [Setting<Self>] { get }
}

/// The settings of a plugin that has none.
public struct NoSettings: PluginSettings {
    /// The only value.
    public init() {}

    /// Empty.
    public static let table: [Setting<NoSettings>] = []
}
