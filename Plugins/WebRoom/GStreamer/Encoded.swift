import CGStreamer
import GreenroomPlugin

/// An element of a pipeline whose encoded buffers are looked at before they are passed on.
struct Encoded: Sendable {
    private let element: Element

    init(_ name: String, of pipeline: Pipeline) throws(PluginError) {
        element = try pipeline.child(name)
    }

    /// Calls back with the bytes of each buffer; it is passed on if the call returns true. [the
    /// pipeline's threads]
    func filter(_ passes: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool) {
        let context = greenroom_gst_context(Filter(passes))
        greenroom_gst_filter(element.pointer, context) { value, bytes, count in
            greenroom_gst_context.object(value, Filter.self)
                .passes(UnsafeBufferPointer(start: bytes, count: count))
        }
    }

    private final class Filter: Sendable {
        let passes: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool

        init(_ passes: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool) {
            self.passes = passes
        }
    }
}
