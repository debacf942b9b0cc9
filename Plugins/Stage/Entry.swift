import GreenroomPlugin

/// The library's entry, `greenroom_plugin_entry`.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Stage.self) }
