public import GreenroomMedia
internal import GreenroomABI

// The participants of a call. Wraps `GR_EXT_CALL_HOST`.

extension PluginHost {
    /// Adds a participant of a ``Call``, between `onStart` and `onStop`. [any]
    ///
    /// - Parameter name: For people, 1 to 100 bytes.
    /// - Throws: The host's refusal: `Status.notStarted` before `onStart`, `Status.stopped` from `onStop`,
    ///   `Status.noBuffer` for more than 64 participants.
    public func join(_ name: String) throws(SendRefusal) -> CallParticipant {
        let functions = try table.callFunctions()
        var number: UInt32 = 0
        try table.check(functions.joined(table.instance, name, &number))
        return CallParticipant(number: number, name: name, table: table)
    }
}

/// A participant of a ``Call``.
///
/// Use every member from any thread. A participant has at most one open track of each kind; the host
/// closes all tracks when the participant leaves, and when the call stops.
public struct CallParticipant: Sendable {
    /// Their number, never zero.
    public let number: UInt32
    /// Their name, for people.
    public let name: String
    fileprivate let table: HostTable

    fileprivate init(number: UInt32, name: String, table: HostTable) {
        self.number = number
        self.name = name
        self.table = table
    }

    /// Opens the camera of the participant, which accepts frames at once.
    ///
    /// - Parameter capability: The largest size and rate. The host scales frames of another size.
    /// - Throws: The host's refusal.
    public func openCamera(
        upTo capability: VideoCapability
    ) throws(SendRefusal) -> CallVideoTrack { try openVideo(.camera, capability) }

    /// Opens their share; see ``openCamera(upTo:)``.
    public func openShare(
        upTo capability: VideoCapability
    ) throws(SendRefusal) -> CallVideoTrack { try openVideo(.share, capability) }

    /// Opens the microphone of the participant, which accepts audio at once.
    ///
    /// - Throws: The host's refusal.
    public func openMicrophone() throws(SendRefusal) -> CallAudioTrack {
        try openAudio(.microphone)
    }

    /// Opens the audio of their share; see ``openMicrophone()``.
    public func openShareAudio() throws(SendRefusal) -> CallAudioTrack {
        try openAudio(.shareAudio)
    }

    /// Leaves the participant out of recordings, and of the mixes and stages that recordings take, or takes
    /// that back. To record nothing of somebody, call this before you open their first track.
    ///
    /// - Throws: The host's refusal, `Status.unsupported` on a host before minor 3.
    public func setRecorded(_ isRecorded: Bool) throws(SendRefusal) {
        guard let functions = table.recording else {
            throw SendRefusal(
                status: .unsupported, text: "this host leaves nobody out of recordings")
        }
        try table.check(functions.set_recorded(table.instance, number, isRecorded ? 1 : 0))
    }

    /// The participant leaves; their tracks are closed.
    public func leave() {
        guard let functions = table.call else { return }
        _ = functions.left(table.instance, number)
    }

    private func openVideo(
        _ kind: Track.Kind, _ capability: VideoCapability
    ) throws(SendRefusal) -> CallVideoTrack {
        let opened = try open(kind, gr_capability(capability))
        guard let functions = opened.video,
            let sender = VideoSenderTable(
                functions, sender: opened.sender, host: table, revision: UInt32(GR_TRACK_REVISION))
        else { throw .badTrack }
        return CallVideoTrack(
            id: opened.sender, sender: VideoSender(table: sender),
            handle: CallTrackHandle(id: opened.sender, table: table))
    }

    private func openAudio(_ kind: Track.Kind) throws(SendRefusal) -> CallAudioTrack {
        let opened = try open(kind, gr_capability())
        guard let functions = opened.audio,
            let sender = AudioSenderTable(functions, sender: opened.sender, host: table)
        else { throw .badTrack }
        return CallAudioTrack(
            id: opened.sender, sender: AudioSender(table: sender),
            handle: CallTrackHandle(id: opened.sender, table: table))
    }

    private func open(
        _ kind: Track.Kind, _ capability: gr_capability
    ) throws(SendRefusal) -> gr_open_track {
        let functions = try table.callFunctions()
        var track = gr_open_track()
        track.struct_size = UInt32(MemoryLayout<gr_open_track>.size)
        track.participant = number
        track.kind = kind.rawValue
        track.capability = capability
        try table.check(functions.open_track(table.instance, &track))
        return track
    }
}

/// Video of a participant: a camera or a share.
public struct CallVideoTrack: Sendable {
    /// The id in ``TrackDemand/track``.
    public let id: UInt64
    /// Sends its frames.
    public let sender: VideoSender
    fileprivate let handle: CallTrackHandle

    /// Closes the track. Outputs still show frames sent before.
    public func close() { handle.close() }

    /// Mutes the track: it is black until the first frame after unmute.
    public func setMuted(_ isMuted: Bool) { handle.setMuted(isMuted) }
}

/// Audio of a participant: a microphone, or the audio of a share.
public struct CallAudioTrack: Sendable {
    /// The id in ``TrackDemand/track``.
    public let id: UInt64
    /// Sends its blocks.
    public let sender: AudioSender
    fileprivate let handle: CallTrackHandle

    /// Closes the track. Outputs still play audio sent before.
    public func close() { handle.close() }

    /// Mutes or unmutes the track. A muted track is silent and owes no audio.
    public func setMuted(_ isMuted: Bool) { handle.setMuted(isMuted) }
}

/// The host's operations on an open track.
struct CallTrackHandle: Sendable {
    let id: UInt64
    let table: HostTable

    func close() {
        guard let functions = table.call else { return }
        _ = functions.close_track(table.instance, id)
    }

    func setMuted(_ isMuted: Bool) {
        guard let functions = table.call else { return }
        _ = functions.set_muted(table.instance, id, isMuted ? 1 : 0)
    }
}

extension SendRefusal {
    fileprivate static var badTrack: SendRefusal {
        SendRefusal(status: .unsupported, text: "the host opened a track without its functions")
    }
}

extension TrackDemand {
    init(_ demand: gr_demand) {
        track = demand.sender
        isWanted = demand.is_wanted != 0
        capability = isWanted ? VideoCapability(demand.capability) : nil
    }
}
