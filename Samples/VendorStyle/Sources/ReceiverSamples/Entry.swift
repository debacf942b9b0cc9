import AgoraStyle
import AzureStyle
import ZoomStyle

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(
        ZoomReceiver<ZoomRecorderApp>.self, AzureReceiver<AzureRecorderApp>.self,
        AzureCall<CameraRepeater>.self, AgoraReceiver<AgoraRecorderApp>.self,
        BroadcastExtension<ScreenHandlerApp>.self)
}
