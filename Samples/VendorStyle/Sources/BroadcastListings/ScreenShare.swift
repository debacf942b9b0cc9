// swift-format-ignore-file
// An excerpt of the project's seed document "Share the Screen",
// for compatibility testing.
import AgoraStyle

/// The screen-sharing view of the app.
class ScreenShareMain: UIViewController, AgoraRtcEngineDelegate {
    let broadcasterPickerContainer = UIView()

    func showAlert(message: String) { os_log("\(message)") }

// listing: agora-picker
// Swift
func prepareSystemBroadcaster() {
    if #available(iOS 12.0, *) {
        let frame = CGRect(x: 0, y:0, width: 60, height: 60)
        let systemBroadcastPicker = RPSystemBroadcastPickerView(frame: frame)
        systemBroadcastPicker.autoresizingMask = [.flexibleTopMargin, .flexibleRightMargin]
        if let url = Bundle.main.url(forResource: "Agora-ScreenShare-Extension", withExtension: "appex", subdirectory: "PlugIns") {
            if let bundle = Bundle(url: url) {
                systemBroadcastPicker.preferredExtension = bundle.bundleIdentifier
            }
        }
        broadcasterPickerContainer.addSubview(systemBroadcastPicker)
    } else {
        self.showAlert(message: "Minimum support iOS version is 12.0")
    }

}
// end

// listing: agora-uid
// Swift
// Determine if the uid is used for a screen-sharing stream
func isScreenShareUid(uid: UInt) -> Bool {
    return uid >= SCREEN_SHARE_UID_MIN && uid <= SCREEN_SHARE_UID_MAX
}

// The callback of adding remote users to the channel
func rtcEngine(_ engine: AgoraRtcEngineKit, didJoinedOfUid uid: UInt, elapsed: Int) {
    LogUtils.log(message: "remote user join: \(uid) \(elapsed)ms", level: .info)

    // In the case of a uid for screen sharing, ignore
    if(isScreenShareUid(uid: uid)) {
        LogUtils.log(message: "Ignore screen share uid", level: .info)
        return
    }

    // Set up the remote user view
    // changed: the page leaves the rest out
}
// end
}
