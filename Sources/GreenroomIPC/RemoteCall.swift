package import GreenroomPluginInterface

/// The calls between host and plugin process. The numbers may change with every build: the first
/// call compares versions.
package struct RemoteCall: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A call of a function of the host.
    package init(_ function: HostFunction) { rawValue = function.rawValue }

    /// Returns from the other side's call.
    package static let `return` = RemoteCall(rawValue: 1)

    // Host to runner, on the control channel.

    /// Agree on the version, and enter the sandbox.
    package static let confine = RemoteCall(rawValue: 10)
    /// Load a library.
    package static let load = RemoteCall(rawValue: 11)
    package static let create = RemoteCall(rawValue: 12)
    /// Make a ``PluginCall``.
    package static let plugin = RemoteCall(rawValue: 13)
    /// Prepare the runner's probe, if it has one; before `create`.
    package static let prepareProbe = RemoteCall(rawValue: 22)

    // Host to runner, on the media channel.

    package static let process = RemoteCall(rawValue: 20)
    /// Pass a frame to an output.
    package static let takeFrame = RemoteCall(rawValue: 25)
    /// Pass a block of audio to an output.
    package static let takeBlock = RemoteCall(rawValue: 26)

    /// Edit a block of audio.
    package static let editAudio = RemoteCall(rawValue: 70)

    // Host to runner, within a `videoSend`.

    /// Copy the frame's planes into a frame of the host.
    package static let copyPlanes = RemoteCall(rawValue: 21)

    // Runner to host, besides the functions of ``HostFunction``.

    /// The thread that used the channel has ended.
    package static let leave = RemoteCall(rawValue: 50)
}

/// The protocol between host and runner.
package enum GreenroomProtocol {
    /// The version, which must be equal on both sides.
    package static let version: UInt32 = 16
}
