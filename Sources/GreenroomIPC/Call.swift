/// The calls between host and plugin process. The numbers may change with every build: the first
/// call
/// compares versions.
package struct Call: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Returns from the other side's call.
    package static let `return` = Call(rawValue: 1)

    // Host to runner, on the control channel.

    /// Agree on the version, and enter the sandbox.
    package static let confine = Call(rawValue: 10)
    /// Load a library.
    package static let load = Call(rawValue: 11)
    // The functions of the plugin.
    package static let create = Call(rawValue: 12)
    package static let initialize = Call(rawValue: 13)
    package static let propertyChange = Call(rawValue: 14)
    package static let setParameter = Call(rawValue: 15)
    package static let startSend = Call(rawValue: 16)
    package static let stopSend = Call(rawValue: 17)
    package static let uninitialize = Call(rawValue: 18)
    package static let destroy = Call(rawValue: 19)
    /// Prepare the runner's probe, if it has one; before `create`.
    package static let prepareProbe = Call(rawValue: 22)

    /// Describe a track to an output.
    package static let describeTrack = Call(rawValue: 24)

    /// Get the address of an extension of the plugin.
    package static let getExtension = Call(rawValue: 23)

    /// Notify an output that a participant's track has ended.
    package static let trackEnded = Call(rawValue: 27)
    /// Pass the demand for a participant's track to a call.
    package static let demand = Call(rawValue: 28)
    /// Pass an event of the session.
    package static let sessionEvent = Call(rawValue: 29)

    // Host to runner, on the media channel.

    package static let process = Call(rawValue: 20)
    /// Pass a frame to an output.
    package static let takeFrame = Call(rawValue: 25)
    /// Pass a block of audio to an output.
    package static let takeBlock = Call(rawValue: 26)

    /// Edit a block of audio.
    package static let editAudio = Call(rawValue: 70)

    // Host to runner, within a `videoSend`.

    /// Copy the frame's planes into a frame of the host.
    package static let copyPlanes = Call(rawValue: 21)

    // Runner to host: the functions of the interface.

    package static let log = Call(rawValue: 30)
    package static let setError = Call(rawValue: 31)
    package static let giveUp = Call(rawValue: 32)
    package static let now = Call(rawValue: 33)
    package static let waitUntil = Call(rawValue: 34)
    package static let refusalText = Call(rawValue: 35)
    package static let paused = Call(rawValue: 36)
    package static let resumed = Call(rawValue: 37)
    package static let videoSend = Call(rawValue: 40)
    package static let videoAcquire = Call(rawValue: 41)
    package static let videoCommit = Call(rawValue: 42)
    package static let videoAbandon = Call(rawValue: 43)
    package static let audioSend = Call(rawValue: 44)
    package static let audioClear = Call(rawValue: 48)
    package static let audioQueued = Call(rawValue: 49)
    package static let keepFrame = Call(rawValue: 45)
    package static let releaseFrame = Call(rawValue: 46)
    package static let reportValue = Call(rawValue: 47)
    package static let joined = Call(rawValue: 60)
    package static let left = Call(rawValue: 61)
    package static let openTrack = Call(rawValue: 62)
    package static let closeTrack = Call(rawValue: 63)
    package static let setMuted = Call(rawValue: 64)
    package static let setRecorded = Call(rawValue: 70)
    package static let command = Call(rawValue: 65)
    package static let describeSession = Call(rawValue: 66)
    package static let reportSession = Call(rawValue: 67)
    package static let openConnection = Call(rawValue: 68)
    package static let makeMemory = Call(rawValue: 69)
    package static let setCeiling = Call(rawValue: 55)
    package static let wantsChanged = Call(rawValue: 56)
    package static let outputState = Call(rawValue: 57)
    package static let fileFinished = Call(rawValue: 58)
    package static let caption = Call(rawValue: 59)
    /// The thread that used the channel has ended.
    package static let leave = Call(rawValue: 50)
}

/// The protocol between host and runner.
package enum GreenroomProtocol {
    /// The version, which must be equal on both sides.
    package static let version: UInt32 = 12
}
