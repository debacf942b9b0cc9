/// The restrictions of a Landlock version other than files.
package struct LandlockScopes: Equatable, Sendable {
    /// Binding and connecting TCP sockets, since version 4.
    package var ports: UInt64
    /// Signals to other processes, and connections to their abstract sockets, since version 6.
    package var scopes: UInt64

    package init(version: Int, allowsNetwork: Bool) {
        let bindAndConnect: UInt64 = 0b11
        let abstractSocket: UInt64 = 0b01
        let signal: UInt64 = 0b10
        ports = version >= 4 && !allowsNetwork ? bindAndConnect : 0
        scopes = version >= 6 ? signal | abstractSocket : 0
    }
}
