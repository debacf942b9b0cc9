/// The settings of a plugin: a plain struct whose stored defaults are the defaults, and a
/// table that says how the session file writes each.
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
/// The host checks what the session file says against the table before the plugin sees it,
/// and shows the table to people.
public protocol PluginSettings: Sendable {
    /// The settings with every default.
    init()

    /// How the session file writes each setting, in the order in which people read them.
    static var table: [Setting<Self>] { get }
}

/// The settings of a plugin that has none.
public struct NoSettings: PluginSettings {
    /// The only value.
    public init() {}

    /// Nothing.
    public static let table: [Setting<NoSettings>] = []
}
