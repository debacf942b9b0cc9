// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

// listing: azure-gray-lines
protocol FrameProducerProtocol {
    func nextFrame(for format: VideoFormat) -> CVImageBuffer
}

// Produces random gray stripes.
final class GrayLinesFrameProducer: FrameProducerProtocol {
    var buffer: CVPixelBuffer? = nil
    private var currentFormat: VideoFormat?

    func nextFrame(for format: VideoFormat) -> CVImageBuffer {
        let bandsCount = Int.random(in: 10..<25)
        let bandThickness = Int(format.height * format.width) / bandsCount

        let currentFormat = self.currentFormat ?? format
        let bufferSizeChanged = currentFormat.width != format.width ||
                             currentFormat.height != format.height ||
                             currentFormat.stride1 != format.stride1

        let newBuffer = buffer == nil || bufferSizeChanged
        if newBuffer {
            // Make ARC release previous reusable buffer
            self.buffer = nil
            let attrs = [
                kCVPixelBufferBytesPerRowAlignmentKey: Int(format.stride1)
            ] as CFDictionary
            guard CVPixelBufferCreate(kCFAllocatorDefault, Int(format.width), Int(format.height),
                                      kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, attrs, &buffer) == kCVReturnSuccess else {
                fatalError()
            }
        }

        self.currentFormat = format
        guard let frameBuffer = buffer else {
            fatalError()
        }

        CVPixelBufferLockBaseAddress(frameBuffer, .readOnly)
        defer {
            CVPixelBufferUnlockBaseAddress(frameBuffer, .readOnly)
        }

        // Fill NV12 Y plane with different luminance for each band.
        var begin = 0
        guard let yPlane = CVPixelBufferGetBaseAddressOfPlane(frameBuffer, 0) else {
            fatalError()
        }
        for _ in 0..<bandsCount {
            let luminance = Int32.random(in: 100..<255)
            memset(yPlane + begin, luminance, bandThickness)
            begin += bandThickness
        }

        if newBuffer {
            guard let uvPlane = CVPixelBufferGetBaseAddressOfPlane(frameBuffer, 1) else {
                fatalError()
            }
            memset(uvPlane, 128, Int((format.height * format.width) / 2))
        }

        return frameBuffer
    }
}
// end
