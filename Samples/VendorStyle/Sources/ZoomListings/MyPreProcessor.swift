// swift-format-ignore-file
// An excerpt of the project's seed document "Send raw data", for compatibility testing.
import ZoomStyle

// listing: zoom-pre-processor
class MyPreProcessor: NSObject, ZoomVideoSDKVideoSourcePreProcessor {
    func onPreProcessRawData(_ rawData: ZoomVideoSDKPreProcessRawData) {
        // Modify rawData here before the frame is sent.
        invert(rawData)  // added: an example of a filter
    }
}
// end
