import Glibc

/// The last refusal of the calling thread, for `refusal_text`.
enum LastRefusal {
    private final class Box {
        var refusal: Refusal
        init(_ refusal: Refusal) { self.refusal = refusal }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { box in
            if let box { Unmanaged<Box>.fromOpaque(box).release() }
        }
        return key
    }()

    /// Stores a refusal. Allocates only for a thread's first refusal.
    static func set(_ refusal: Refusal) {
        if let box = pthread_getspecific(key) {
            Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().refusal = refusal
        } else {
            pthread_setspecific(key, Unmanaged.passRetained(Box(refusal)).toOpaque())
        }
    }

    /// The text of the last refusal; empty if there was none.
    static var text: String {
        guard let box = pthread_getspecific(key) else { return "" }
        return Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().refusal.text
    }
}
