import GreenroomPlugin

/// The library's entry, `greenroom_plugin_entry`.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    // One name: the place in the session file says which one is meant.
    exportPlugins(
        Command.self, CommandCamera.self, CommandShare.self, CommandMicrophone.self,
        CommandShareAudio.self)
}
