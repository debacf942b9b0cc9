import ZoomStyle

/// The listing of the camera.
enum VideoSourceApp: ZoomApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.zoom-camera", name: "ZoomCamera", version: "1.0.0",
        summary: "A video source from Zoom's guide")

    static func join(_ sessionContext: ZoomVideoSDKSessionContext) {
        sessionContext.token = "no token is needed"
        Registration.assignCamera(sessionContext)
    }
}

/// The listing of the filter.
enum PreProcessorApp: ZoomApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.zoom-filter", name: "ZoomFilter", version: "1.0.0",
        summary: "A pre-processor from Zoom's guide")

    static func join(_ sessionContext: ZoomVideoSDKSessionContext) {
        Registration.assignFilter(sessionContext)
    }
}

/// The listing of the microphone.
enum VirtualMicApp: ZoomApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.zoom-microphone", name: "ZoomMicrophone", version: "1.0.0",
        summary: "A virtual microphone from Zoom's guide")

    static func join(_ sessionContext: ZoomVideoSDKSessionContext) {
        Registration.assignMicrophone(sessionContext)
    }
}

/// The listing of the share.
enum ShareSourceApp: ZoomApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.zoom-share", name: "ZoomShare", version: "1.0.0",
        summary: "A share source from Zoom's guide")

    static func join(_ sessionContext: ZoomVideoSDKSessionContext) {
        Registration.registerShare()
    }
}

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(
        ZoomCamera<VideoSourceApp>.self, ZoomFilter<PreProcessorApp>.self,
        ZoomMicrophone<VirtualMicApp>.self, ZoomShare<ShareSourceApp>.self)
}
