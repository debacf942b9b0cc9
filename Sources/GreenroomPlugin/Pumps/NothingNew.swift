/// Thrown by the function that fills a pump's frame or block: the source has nothing new to send, because its media has
/// ended, is damaged or lost. The host repeats the last frame or plays silence, and counts neither as real.
package struct NothingNew: Error {
    package init() {}
}

/// Reports each change between new media and nothing new to the host.
struct Hold {
    private let host: PluginHost
    private var isHeld = false

    init(_ host: PluginHost) { self.host = host }

    mutating func set(_ isHeld: Bool) {
        guard isHeld != self.isHeld else { return }
        self.isHeld = isHeld
        host.setHeld(isHeld)
    }
}
