import CGStreamer

/// A closure that GStreamer calls back.
final class Handler<Value>: Sendable {
    let call: @Sendable (Value) -> Void

    init(_ call: @escaping @Sendable (Value) -> Void) { self.call = call }
}

extension greenroom_gst_context {
    /// Passes an object, which lives until the last callback has returned.
    init(_ object: some AnyObject & Sendable) {
        self.init(
            value: Unmanaged.passRetained(object).toOpaque(),
            release: { Unmanaged<AnyObject>.fromOpaque($0).release() })
    }

    /// The object that was handed over. [GStreamer's threads]
    static func object<Object: AnyObject>(
        _ value: UnsafeMutableRawPointer, _ type: Object.Type = Object.self
    ) -> Object { Unmanaged<Object>.fromOpaque(value).takeUnretainedValue() }
}
