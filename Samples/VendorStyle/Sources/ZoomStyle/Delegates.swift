import AppleMediaStyle

/// A source of a camera's frames. Its functions run on the main queue.
public protocol ZoomVideoSDKVideoSource: AnyObject {
    /// Here is the sender; send nothing yet.
    func onInitialize(
        _ rawDataSender: ZoomVideoSDKVideoSender, supportCapabilityArray: [Any],
        suggestCapability: ZoomVideoSDKVideoCapability)
    /// The session renegotiated.
    func onPropertyChange(
        _ supportCapabilityArray: [Any], suggestCapability: ZoomVideoSDKVideoCapability)
    /// Start sending.
    func onStartSend()
    /// Stop sending.
    func onStopSend()
    /// The sender has ended.
    func onUninitialized()
}

/// A source of a microphone's audio. Its functions run on the main queue.
public protocol ZoomVideoSDKVirtualAudioMic: AnyObject {
    /// Here is the sender; send nothing yet.
    func onMicInitialize(_ rawDataSender: ZoomVideoSDKAudioSender)
    /// Start sending.
    func onMicStartSend()
    /// Stop sending.
    func onMicStopSend()
    /// The sender has ended.
    func onMicUninitialized()
}

/// A source of a share's frames. Its functions run on the main queue.
public protocol ZoomVideoSDKShareSource: AnyObject {
    /// Start sending.
    func onShareSendStarted(_ rawDataSender: ZoomVideoSDKShareSender?)
    /// Stop sending.
    func onShareSendStopped()
}

/// A filter of a camera's frames. Its function runs on the host's media thread.
public protocol ZoomVideoSDKVideoSourcePreProcessor: AnyObject {
    /// Edits a frame in place. Keep no pointer of it.
    func onPreProcessRawData(_ rawData: ZoomVideoSDKPreProcessRawData)
}

/// A frame to edit in place: I420, upright. Its memory is valid until the callback returns.
public final class ZoomVideoSDKPreProcessRawData: NSObject {
    /// In pixels.
    public let size: CGSize
    /// Bytes from a row of Y to the next.
    public let yStride: Int32
    /// Bytes from a row of U to the next.
    public let uStride: Int32
    /// Bytes from a row of V to the next.
    public let vStride: Int32
    /// The range of values.
    public let format: ZoomVideoSDKFrameDataFormat
    /// Always upright.
    public let rotation = ZoomVideoSDKVideoRawDataRotation.none

    private let planes: [(base: UnsafeMutablePointer<CChar>, stride: Int, rows: Int)]

    init?(_ frame: inout MutableFrame) {
        var planes: [(base: UnsafeMutablePointer<CChar>, stride: Int, rows: Int)] = []
        for index in 0..<3 {
            let stride = frame.strideBytes(ofPlane: index)
            let rows = frame.geometry(ofPlane: index).rows
            var plane = frame.plane(index)
            plane.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                planes.append((base.assumingMemoryBound(to: CChar.self), stride, rows))
            }
        }
        guard planes.count == 3 else { return nil }
        self.planes = planes
        size = CGSize(width: frame.width, height: frame.height)
        yStride = Int32(clamping: planes[0].stride)
        uStride = Int32(clamping: planes[1].stride)
        vStride = Int32(clamping: planes[2].stride)
        format = frame.info.color.range == .full ? .I420 : .I420_Limit
    }

    /// A row of Y; nil for a row that the frame does not have.
    public func getYBuffer(_ lineNum: Int32) -> UnsafeMutablePointer<CChar>! { row(lineNum, of: 0) }
    /// A row of U; it has half as many as Y.
    public func getUBuffer(_ lineNum: Int32) -> UnsafeMutablePointer<CChar>! { row(lineNum, of: 1) }
    /// A row of V; it has half as many as Y.
    public func getVBuffer(_ lineNum: Int32) -> UnsafeMutablePointer<CChar>! { row(lineNum, of: 2) }

    private func row(_ line: Int32, of plane: Int) -> UnsafeMutablePointer<CChar>? {
        guard (0..<planes[plane].rows).contains(Int(line)) else { return nil }
        return planes[plane].base + Int(line) * planes[plane].stride
    }
}
