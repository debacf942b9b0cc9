import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

/// A frame that the host has lent ahead, in its answer to the frame before: the plugin's next lease, or
/// the memory of its next `send`, needs no call.
///
/// Sendable because its lease is numbers alone: the host clears the addresses of the planes.
struct Grant: @unchecked Sendable {
    var lease: gr_lease
    var planes: SharedPlanes
    var sender: UInt64
    /// The sender's state at the time of the loan. After a change the host might lend another
    /// frame, or none.
    var state: SenderState
    /// How `send` fills it.
    var filling: GrantFilling

    /// Whether it is for the pixels of a frame.
    func suits(_ frame: gr_video_frame) -> Bool {
        guard frame.width == lease.frame.width, frame.height == lease.frame.height else {
            return false
        }
        guard filling.format != 0 else { return frame.format == lease.frame.format }
        return frame.format == filling.format && frame.info.rotation == filling.rotation
            && frame.info.range == filling.range && frame.info.matrix == filling.matrix
    }

    /// Whether it is a lease of a kind.
    func suits(_ format: gr_pixel_format, _ width: UInt32, _ height: UInt32) -> Bool {
        filling.format == 0 && lease.frame.format == format && lease.frame.width == width
            && lease.frame.height == height
    }
}

extension Runner {
    /// Keeps the frame that an answer lends.
    func keepGrant(in channel: Channel, after status: gr_status, sender: UInt64) {
        guard status == Status.ok.rawValue else { return }
        let message = channel.read(GrantMessage.self, at: MessageLayout.subject)
        guard message.lease.id != 0 else { return }
        let new = Grant(
            lease: message.lease, planes: message.planes, sender: sender,
            state: SenderState(rawValue: message.state), filling: message.filling)
        grant.withLock { $0 = new }
        noteUse(of: message.planes.first)
    }

    /// Takes the frame that was lent ahead, if it suits and the sender has not changed since.
    func takeGrant(sender: UInt64, if suits: (Grant) -> Bool) -> Grant? {
        let state = channels.senderState
        return grant.withLock { grant in
            guard let known = grant, known.sender == sender, known.state == state, state.sends,
                suits(known)
            else { return nil }
            return grant.take()
        }
    }

    /// The plugin's lease of this id, if it was lent ahead.
    func takeLeased(_ id: UInt64, sender: UInt64) -> Grant? {
        leased.withLock { leased in
            guard let known = leased, known.lease.id == id, known.sender == sender else {
                return nil
            }
            return leased.take()
        }
    }

    /// Passes a frame, whose message is written, in memory that was lent ahead.
    ///
    /// Without waiting for the answer, if it can only be that the host accepts it: one wake-up a frame. The
    /// thread's next call reads the answer. The host may have stopped the plugin meanwhile; then it
    /// counts the frame as refused.
    func pass(
        _ call: Call, _ info: gr_frame_info, in grant: Grant, on channel: Channel
    ) -> gr_status {
        let isSure =
            channels.senderState == grant.state && grant.state.sends
            && info.isPlain(revision: grant.lease.frame.info.offer_revision)
            && ThreadChannels.isOwn(of: self) && state.withLock { !$0.hasVirtualClock }
        guard isSure else {
            let status = channel.status(of: call, length: MessageLayout.samples)
            keepGrant(in: channel, after: status, sender: grant.sender)
            return status
        }
        channel.send(call, length: MessageLayout.samples)
        ThreadChannels.post(to: self, sender: grant.sender)
        return Status.ok.rawValue
    }

    /// Reads the answer to a frame that was passed without waiting.
    func takeAnswer(from channel: Channel, sender: UInt64) {
        guard channel.receive() != nil else { return }
        keepGrant(in: channel, after: channel.read(), sender: sender)
    }

    /// The lease of the frame that was lent ahead, which nothing uses any more; 0 for none.
    func returnedGrant(sender: UInt64) -> UInt64 {
        grant.withLock { grant in
            guard let known = grant, known.sender == sender else { return 0 }
            grant = nil
            return known.lease.id
        }
    }
}

extension gr_lease {
    /// Takes over what the host has lent, except for the struct's own size.
    mutating func take(_ lent: gr_lease, at planes: SharedPlanes, in frames: SharedMemory) {
        id = lent.id
        frame = lent.frame
        frame.place(planes, in: frames)
    }
}

extension gr_frame_info {
    /// Whether the host accepts it for a frame of this revision.
    fileprivate func isPlain(revision: UInt32) -> Bool {
        struct_size >= UInt32(MemoryLayout<gr_frame_info>.size)
            && Rotation(rawValue: rotation) != nil && ColorRange(rawValue: range) != nil
            && ColorMatrix(rawValue: matrix) != nil && offer_revision == revision
            // The lowest number is GR_PTS_UNSTAMPED.
            && (pts_ns >= 0 || pts_ns == .min)
    }
}
