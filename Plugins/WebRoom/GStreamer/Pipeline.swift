import CGStreamer
import Glibc
import GreenroomPlugin

/// A pipeline of GStreamer's, which plays from ``play(from:)`` to ``stop()``.
final class Pipeline: Sendable {
    let element: Element

    /// - Parameters:
    ///   - description: In the language of `gst-launch-1.0`.
    ///   - onError: Called with each error, on the pipeline's threads.
    init(
        _ description: String, onError: @escaping @Sendable (String) -> Void
    ) throws(PluginError) {
        var why: UnsafeMutablePointer<CChar>?
        guard let made = greenroom_gst_pipeline(description, &why) else {
            defer { free(why) }
            throw PluginError(
                "GStreamer: \(why.map { String(cString: $0) } ?? "no pipeline")",
                status: .unavailable)
        }
        element = Element(borrowed: made)
        greenroom_gst_on_error(made, greenroom_gst_context(Handler(onError))) { value, text in
            greenroom_gst_context.object(value, Handler<String>.self).call(String(cString: text))
        }
    }

    /// Plays.
    ///
    /// - Parameter base: The time on GStreamer's clock from which timestamps count.
    func play(from base: UInt64) throws(PluginError) {
        guard greenroom_gst_play(element.pointer, base) else {
            throw PluginError("GStreamer: the pipeline does not play", status: .unavailable)
        }
    }

    /// An element by its name.
    func child(_ name: String) throws(PluginError) -> Element {
        guard let child = greenroom_gst_child(element.pointer, name) else {
            throw PluginError("GStreamer: the pipeline has no \(name)")
        }
        return Element(owned: child)
    }

    /// Stops and frees it, once; waits for its threads, so not on one of them.
    func stop() { greenroom_gst_stop(element.pointer) }
}

/// An element of a pipeline.
///
/// Safe to share: GStreamer's objects are counted, and their functions take locks.
final class Element: @unchecked Sendable {
    let pointer: OpaquePointer
    private let isOwned: Bool

    init(owned pointer: OpaquePointer) {
        self.pointer = pointer
        isOwned = true
    }

    init(borrowed pointer: OpaquePointer) {
        self.pointer = pointer
        isOwned = false
    }

    deinit {
        if isOwned { greenroom_gst_unref(pointer) }
    }
}
