import CGStreamer
import GreenroomPlugin

/// An element of a pipeline whose encoded buffers are looked at before they are passed on.
struct Encoded: Sendable {
    private let element: Element

    init(_ name: String, of pipeline: Pipeline) throws(PluginError) {
        element = try pipeline.child(name)
    }

    /// Calls back with the bytes and the timestamp of each buffer; it is passed on if the call returns true. [the
    /// pipeline's threads]
    func filter(_ passes: @escaping Filter.Passes) {
        let context = greenroom_gst_context(Filter(passes))
        greenroom_gst_filter(element.pointer, context) { value, bytes, count, pts in
            greenroom_gst_context.object(value, Filter.self)
                .passes(UnsafeBufferPointer(start: bytes, count: count), pts)
        }
    }

    final class Filter: Sendable {
        typealias Passes =
            @Sendable (_ bytes: UnsafeBufferPointer<UInt8>, _ pts: UInt64) -> Bool

        let passes: Passes

        init(_ passes: @escaping Passes) { self.passes = passes }
    }
}
