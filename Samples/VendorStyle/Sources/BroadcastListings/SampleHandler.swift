// swift-format-ignore-file
// An excerpt of the project's seed document "Share the Screen",
// for compatibility testing.
import AgoraStyle

class SampleHandler: RPBroadcastSampleHandler, @unchecked Sendable {
    var bufferCopy: CMSampleBuffer?
    var lastSendTs: Int64 = Int64(Date().timeIntervalSince1970 * 1000)

// listing: agora-broadcast-started
// Swift
override func broadcastStarted(withSetupInfo setupInfo: [String : NSObject]?) {
    AgoraUploader.startBroadcast(to: "ScreenShare")

    DispatchQueue.main.async {
        Timer.scheduledTimer(withTimeInterval: 0.1, repeats: true) {[weak self] (timer:Timer) in
            guard let weakSelf = self else {return}
            let elapse = Int64(Date().timeIntervalSince1970 * 1000) - weakSelf.lastSendTs
            print("elapse: \(elapse)")
            // If the inter-frame interval of the video is too long, resend the previous frame.
            if(elapse > 300) {
                if let buffer = weakSelf.bufferCopy {
                    weakSelf.processSampleBuffer(buffer, with: .video)
                }
            }
        }
    }
}
// end

// listing: agora-process
// Swift
override func processSampleBuffer(_ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType) {
    DispatchQueue.main.async {[weak self] in
        switch sampleBufferType {
        case .video:
            if let weakSelf = self {
                weakSelf.bufferCopy = sampleBuffer
                weakSelf.lastSendTs = Int64(Date().timeIntervalSince1970 * 1000)
            }
            // Send video buffer
            AgoraUploader.sendVideoBuffer(sampleBuffer)
        @unknown default:
            break
        }
    }
}
// end
}
