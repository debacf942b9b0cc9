import GreenroomPlugin

/// What the host looks for in the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Adjust.self) }
