import GreenroomPlugin

/// The library's entry, `greenroom_plugin_entry`.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(
        BrowserCamera.self, BrowserShare.self, BrowserOverlay.self, BrowserMicrophone.self,
        BrowserShareAudio.self, BrowserEars.self)
}
