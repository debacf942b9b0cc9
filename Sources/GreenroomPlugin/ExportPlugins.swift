internal import GreenroomMedia

/// Exports the plugins of a library. Call it from the library's entry function:
///
/// ```swift
/// @c(greenroom_plugin_entry)
/// public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Plasma.self) }
/// ```
///
/// The function must be `public`, or a release build drops it. A library has one list of plugins:
/// that of the first call.
///
/// - Parameter plugins: The types, each with a name of its own.
/// - Returns: The `gr_entry` that the host reads, valid for as long as the process lives.
public func exportPlugins(_ plugins: any Plugin.Type...) -> UnsafeRawPointer? {
    PluginLibrary.export(plugins.map { $0.export })
}

/// The same for a program that is no library and may export its plugins any number of times.
///
/// - Returns: nil if others were exported before.
package func exportPlugins(_ plugins: [any Plugin.Type]) -> UnsafeRawPointer? {
    let exports = plugins.map { $0.export }
    let entry = PluginLibrary.export(exports)
    return PluginLibrary.current?.exports.map(\.description) == exports.map(\.description)
        ? entry : nil
}

/// A plugin type to export: its description, its parameters, and how to make an instance.
public struct PluginExport: Sendable {
    let kind: PluginKind
    let description: PluginDescription
    /// Each parameter with its default.
    let parameters: [(parameter: Parameter, defaultValue: SettingValue)]
    /// What the plugin can make; empty for anything.
    let capabilities: [VideoCapability]
    let make: @Sendable ([(name: String, value: SettingValue)], PluginHost) throws -> AnyInstance

    init<P: Plugin>(
        _ type: P.Type, kind: PluginKind, capabilities: [VideoCapability] = [],
        instance: @escaping @Sendable (sending InstanceState<P>) -> AnyInstance
    ) {
        self.kind = kind
        self.capabilities = capabilities
        description = P.plugin
        let defaults = P.Settings()
        parameters = P.Settings.table.map { ($0.parameter, $0.read(defaults)) }
        make = { values, host in
            var settings = P.Settings()
            for (name, value) in values { try settings.apply(value, to: name) }
            let plugin = try P(settings: settings, host: host)
            return instance(InstanceState(plugin: plugin, settings: settings))
        }
    }

    var hasLiveParameters: Bool { parameters.contains { $0.parameter.isLive } }
}
