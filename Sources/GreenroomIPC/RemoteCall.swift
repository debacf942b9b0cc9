/// The calls between host and plugin process. The numbers may change with every build: the first
/// call
/// compares versions.
package struct RemoteCall: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Returns from the other side's call.
    package static let `return` = RemoteCall(rawValue: 1)

    // Host to runner, on the control channel.

    /// Agree on the version, and enter the sandbox.
    package static let confine = RemoteCall(rawValue: 10)
    /// Load a library.
    package static let load = RemoteCall(rawValue: 11)
    // The functions of the plugin.
    package static let create = RemoteCall(rawValue: 12)
    package static let initialize = RemoteCall(rawValue: 13)
    package static let propertyChange = RemoteCall(rawValue: 14)
    package static let setParameter = RemoteCall(rawValue: 15)
    package static let startSend = RemoteCall(rawValue: 16)
    package static let stopSend = RemoteCall(rawValue: 17)
    package static let uninitialize = RemoteCall(rawValue: 18)
    package static let destroy = RemoteCall(rawValue: 19)
    /// Prepare the runner's probe, if it has one; before `create`.
    package static let prepareProbe = RemoteCall(rawValue: 22)

    /// Describe a track to an output.
    package static let describeTrack = RemoteCall(rawValue: 24)

    /// Get the address of an extension of the plugin.
    package static let getExtension = RemoteCall(rawValue: 23)

    /// Notify an output that a participant's track has ended.
    package static let trackEnded = RemoteCall(rawValue: 27)
    /// Pass the demand for a participant's track to a call.
    package static let demand = RemoteCall(rawValue: 28)
    /// Pass an event of the session.
    package static let sessionEvent = RemoteCall(rawValue: 29)

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

    // Runner to host: the functions of the interface.

    package static let log = RemoteCall(rawValue: 30)
    package static let setError = RemoteCall(rawValue: 31)
    package static let giveUp = RemoteCall(rawValue: 32)
    package static let now = RemoteCall(rawValue: 33)
    package static let waitUntil = RemoteCall(rawValue: 34)
    package static let refusalText = RemoteCall(rawValue: 35)
    package static let paused = RemoteCall(rawValue: 36)
    package static let resumed = RemoteCall(rawValue: 37)
    package static let videoSend = RemoteCall(rawValue: 40)
    package static let videoAcquire = RemoteCall(rawValue: 41)
    package static let videoCommit = RemoteCall(rawValue: 42)
    package static let videoAbandon = RemoteCall(rawValue: 43)
    package static let audioSend = RemoteCall(rawValue: 44)
    package static let audioClear = RemoteCall(rawValue: 48)
    package static let audioQueued = RemoteCall(rawValue: 49)
    package static let keepFrame = RemoteCall(rawValue: 45)
    package static let releaseFrame = RemoteCall(rawValue: 46)
    package static let reportValue = RemoteCall(rawValue: 47)
    package static let joined = RemoteCall(rawValue: 60)
    package static let left = RemoteCall(rawValue: 61)
    package static let openTrack = RemoteCall(rawValue: 62)
    package static let closeTrack = RemoteCall(rawValue: 63)
    package static let setMuted = RemoteCall(rawValue: 64)
    package static let setRecorded = RemoteCall(rawValue: 71)
    package static let command = RemoteCall(rawValue: 65)
    package static let describeSession = RemoteCall(rawValue: 66)
    package static let reportSession = RemoteCall(rawValue: 67)
    package static let openConnection = RemoteCall(rawValue: 68)
    package static let makeMemory = RemoteCall(rawValue: 69)
    package static let setCeiling = RemoteCall(rawValue: 55)
    package static let wantsChanged = RemoteCall(rawValue: 56)
    package static let outputState = RemoteCall(rawValue: 57)
    package static let fileFinished = RemoteCall(rawValue: 58)
    package static let caption = RemoteCall(rawValue: 59)
    /// The thread that used the channel has ended.
    package static let leave = RemoteCall(rawValue: 50)
}

/// The protocol between host and runner.
package enum GreenroomProtocol {
    /// The version, which must be equal on both sides.
    package static let version: UInt32 = 12
}
