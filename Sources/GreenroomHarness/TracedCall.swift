package import GreenroomMedia

/// A plugin's call of the host.
package struct TracedCall: Equatable, Sendable {
    /// The calling thread.
    package enum Thread: Hashable, Sendable {
        /// The thread on which the host calls the plugin.
        case control
        /// The thread that edits frames.
        case media
        /// A thread of the plugin, by channel number.
        case own(Int)
    }

    /// The request.
    package enum Request: Equatable, Sendable {
        case log
        case setError
        case giveUp
        case now
        case waitUntil(nanoseconds: Int64)
        case refusalText
        case paused
        case resumed
        case sendFrame(TracedFrame)
        case acquire(format: UInt32, width: UInt32, height: UInt32)
        case commit(lease: UInt64, TracedInfo)
        case abandon(lease: UInt64)
        case sendAudio(TracedBlock)
        case keepFrame
        case releaseFrame
        case joined
        case left
        case openTrack
        case closeTrack
        case setMuted
        case setRecorded
        case report
        case setCeiling
        case outputState
    }

    package var thread: Thread
    package var request: Request
    /// The returned status; nil if the call returns none.
    package var status: Status?
    /// The host's text if the arguments are wrong: the call, the rule and the fix.
    package var refusal: String?
    /// The time at which the call returned, in nanoseconds on the session clock.
    package var nanoseconds: Int64
}

/// The description of a sent frame, accepted or not.
package struct TracedFrame: Equatable, Sendable {
    package var format: UInt32
    package var width: UInt32
    package var height: UInt32
    package var info: TracedInfo
}

/// The description of a frame, without format, size and planes.
package struct TracedInfo: Equatable, Sendable {
    package var rotation: UInt32
    package var range: UInt32
    package var matrix: UInt32
    package var revision: UInt32
    /// The timestamp as passed, including `GR_PTS_UNSTAMPED`.
    package var ptsNanoseconds: Int64
}

/// The description of a sent audio block, accepted or not.
package struct TracedBlock: Equatable, Sendable {
    package var sampleRate: UInt32
    package var channels: UInt32
    package var frames: UInt32
    package var ptsNanoseconds: Int64
    package var timeoutNanoseconds: Int64
    /// The digest of the samples. Different digests mean different blocks.
    package var digest: UInt64
}
