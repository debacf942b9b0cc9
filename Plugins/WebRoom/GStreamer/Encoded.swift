import CGStreamer
import GreenroomPlugin

/// An element of a pipeline whose encoded buffers are looked at before they are passed on.
struct Encoded: Sendable {
    private let element: Element

    init(_ name: String, of pipeline: Pipeline) throws(PluginError) {
        element = try pipeline.child(name)
    }

    /// Calls back with the bytes of each buffer, which the call may change. It returns how many of them are
    /// passed on; 0 drops the buffer. [the pipeline's threads]
    func filter(_ filter: @escaping @Sendable (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        let context = greenroom_gst_context(Filter(filter))
        greenroom_gst_filter(element.pointer, context) { value, bytes, count in
            greenroom_gst_context.object(value, Filter.self)
                .filter(UnsafeMutableBufferPointer(start: bytes, count: count))
        }
    }

    private final class Filter: Sendable {
        let filter: @Sendable (UnsafeMutableBufferPointer<UInt8>) -> Int

        init(_ filter: @escaping @Sendable (UnsafeMutableBufferPointer<UInt8>) -> Int) {
            self.filter = filter
        }
    }
}
