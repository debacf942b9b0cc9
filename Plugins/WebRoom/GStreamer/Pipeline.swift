import CGStreamer
import Glibc
import GreenroomPlugin

/// A pipeline of GStreamer's, which plays from ``play(from:)`` to ``stop()``.
final class Pipeline: Sendable {
    let element: Element

    /// - Parameters:
    ///   - description: In the language of `gst-launch-1.0`.
    ///   - onWarning: Called with each warning, on the pipeline's threads.
    ///   - onError: Called with each error, on the pipeline's threads.
    init(
        _ description: String, onWarning: @escaping @Sendable (String) -> Void = { _ in },
        onError: @escaping @Sendable (String) -> Void
    ) throws(PluginError) {
        var why: UnsafeMutablePointer<CChar>?
        guard let made = greenroom_gst_pipeline(description, &why) else {
            defer { free(why) }
            throw PluginError(
                "GStreamer: \(why.map { String(cString: $0) } ?? "no pipeline")",
                status: .unavailable)
        }
        element = Element(borrowed: made)
        let handler = Handler<(text: String, isError: Bool)> {
            $0.isError ? onError($0.text) : onWarning($0.text)
        }
        greenroom_gst_on_report(made, greenroom_gst_context(handler)) { value, text, isError in
            greenroom_gst_context.object(value, Handler<(text: String, isError: Bool)>.self)
                .call((String(cString: text), isError))
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

    /// Stops and frees the pipeline, once. Waits for the pipeline's threads, so never call it on one of them.
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
