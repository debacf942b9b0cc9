// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

func makeVideoFormat() -> VideoFormat {
// listing: azure-video-format
var videoFormats: [VideoFormat] = []  // changed: a constant takes no append

let videoFormat = VideoFormat()
videoFormat.width = 1280
videoFormat.height = 720
videoFormat.pixelFormat = .nv12
videoFormat.videoFrameKind = .videoSoftware
videoFormat.framesPerSecond = 30
videoFormat.stride1 = 1280
videoFormat.stride2 = 1280

videoFormats.append(videoFormat)
// end
return videoFormats[0]
}

func makeScreenFormat() -> VideoFormat {
// listing: azure-screen-format
var videoFormats: [VideoFormat] = []  // changed: a constant takes no append

let videoFormat = VideoFormat()
videoFormat.width = Int32(UIScreen.main.nativeBounds.width)
videoFormat.height = Int32(UIScreen.main.nativeBounds.height)
videoFormat.pixelFormat = .nv12
videoFormat.videoFrameKind = .videoSoftware
videoFormat.framesPerSecond = 30
videoFormat.stride1 = Int32(UIScreen.main.nativeBounds.width)
videoFormat.stride2 = Int32(UIScreen.main.nativeBounds.width)

videoFormats.append(videoFormat)
// end
return videoFormats[0]
}
