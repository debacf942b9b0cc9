import GreenroomPlugin

/// The library's entry, `greenroom_plugin_entry`.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    // All kinds share one name, because the place in the session file selects the kind.
    exportPlugins(
        Command.self, CommandCamera.self, CommandShare.self, CommandMicrophone.self,
        CommandShareAudio.self)
}
