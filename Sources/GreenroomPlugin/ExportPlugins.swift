internal import GreenroomMedia

/// Exports the plugins of a library. Call it from the library's entry function:
///
/// ```swift
/// @c(greenroom_plugin_entry)
/// public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Plasma.self) }
/// ```
///
/// The function must be `public`, or a release build drops it. A library has one list of plugins: the
/// list of the first call.
///
/// - Parameter plugins: The types, each with its own id. Types of different kinds may have one name: the
///   place in a session file selects the kind.
/// - Returns: The `gr_entry` that the host reads, valid for as long as the process lives.
public func exportPlugins(_ plugins: any Plugin.Type...) -> UnsafeRawPointer? {
    ExportedLibrary.export(plugins.flatMap(exports))
}

/// Exports plugins of a program that is not a library. It may export them any number of times.
///
/// - Returns: nil if others were exported before.
package func exportPlugins(_ plugins: [any Plugin.Type]) -> UnsafeRawPointer? {
    let exports = plugins.flatMap(exports)
    let entry = ExportedLibrary.export(exports)
    return ExportedLibrary.current?.exports.map(\.description) == exports.map(\.description)
        ? entry : nil
}

/// The exports of a type: several for an agent.
private func exports(of plugin: any Plugin.Type) -> [PluginExport] {
    (plugin as? any Agent.Type)?.exports ?? [plugin.export]
}

/// A plugin type to export: its description, its parameters, and how to make an instance.
public struct PluginExport: Sendable {
    let kind: PluginKind
    let description: PluginDescription
    /// Each parameter with its default.
    let parameters: [(parameter: ParameterEntry, defaultValue: SettingValue)]
    /// The sizes that the plugin can make; empty for all.
    let capabilities: [VideoCapability]
    let make: @Sendable ([(name: String, value: SettingValue)], PluginHost) throws -> AnyInstance

    init<P: Plugin>(
        _ type: P.Type, kind: PluginKind, capabilities: [VideoCapability] = [],
        variant: PluginVariant<P.Settings>? = nil,
        instance: @escaping @Sendable (sending InstanceState<P>) -> AnyInstance
    ) {
        self.kind = kind
        self.capabilities = capabilities
        let variant =
            variant
            ?? PluginVariant(
                description: P.plugin, defaults: P.Settings(), table: P.Settings.table)
        description = variant.description
        parameters = variant.table.map { ($0.parameter, $0.read(variant.defaults)) }
        make = { values, host in
            var settings = variant.defaults
            for (name, value) in values { try settings.apply(value, to: name, of: variant.table) }
            let plugin = try P(settings: settings, host: host)
            return instance(
                InstanceState(plugin: plugin, settings: settings, table: variant.table))
        }
    }

    var hasLiveParameters: Bool { parameters.contains { $0.parameter.isLive } }
}

/// One of many plugins of a type, in a bridge that knows them only when it has loaded another library.
package struct PluginVariant<Settings: PluginSettings>: Sendable {
    var description: PluginDescription
    var defaults: Settings
    var table: [Setting<Settings>]

    /// - Parameters:
    ///   - defaults: The settings of an instance without any; they say which variant it is.
    ///   - table: In place of the table of the settings' type.
    package init(
        description: PluginDescription, defaults: Settings, table: [Setting<Settings>]
    ) {
        self.description = description
        self.defaults = defaults
        self.table = table
    }
}

extension VideoSourcePreProcessor {
    /// The export of a variant.
    package static func export(_ variant: PluginVariant<Settings>) -> PluginExport {
        PluginExport(Self.self, kind: .preProcessor, variant: variant) { PreProcessorInstance($0) }
    }
}

extension AudioPreProcessor {
    /// The export of a variant.
    package static func export(_ variant: PluginVariant<Settings>) -> PluginExport {
        PluginExport(Self.self, kind: .audioPreProcessor, variant: variant) {
            AudioPreProcessorInstance($0)
        }
    }
}

extension Camera {
    /// The export of a variant.
    package static func export(_ variant: PluginVariant<Settings>) -> PluginExport {
        PluginExport(PumpedVideoSource<Self>.self, kind: .videoSource, variant: variant) {
            VideoSourceInstance($0)
        }
    }
}

/// Adds plugins to the library, one after another. The entry stays the same.
///
/// - Returns: The `gr_entry`, and the first one's index in it.
package func exportPlugins(
    adding plugins: [PluginExport]
) -> (entry: UnsafeRawPointer, index: UInt32) {
    ExportedLibrary.add(plugins)
}

/// Adds a plugin to the library. The entry stays the same.
///
/// - Returns: The `gr_entry`, and the plugin's index in it.
package func exportPlugin(_ plugin: PluginExport) -> (entry: UnsafeRawPointer, index: UInt32) {
    ExportedLibrary.add([plugin])
}
