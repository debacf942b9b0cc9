import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

/// A frame that the host has lent in advance, in its answer to the previous frame. The plugin's
/// next lease, or the memory of its next `send`, needs no call.
///
/// Sendable because the lease contains only numbers: the host clears the addresses of the planes.
struct Grant: @unchecked Sendable {
    var lease: gr_lease
    var planes: SharedPlanes
    var sender: UInt64
    /// The sender's state at the time of the loan. After a change the host might lend another frame
    /// or none.
    var state: SenderState
    /// The way in which `send` fills the frame.
    var filling: GrantFilling

    /// Whether `send` can write a frame's pixels to the lent frame.
    func suits(_ frame: gr_video_frame) -> Bool {
        guard frame.width == lease.frame.width, frame.height == lease.frame.height else {
            return false
        }
        guard filling.format != 0 else { return frame.format == lease.frame.format }
        return frame.format == filling.format && frame.info.rotation == filling.rotation
            && frame.info.range == filling.range && frame.info.matrix == filling.matrix
    }

    /// Whether the lent frame can be a lease with this format and size.
    func suits(_ format: gr_pixel_format, _ width: UInt32, _ height: UInt32) -> Bool {
        filling.format == 0 && lease.frame.format == format && lease.frame.width == width
            && lease.frame.height == height
    }
}

extension Runner {
    /// Stores the frame that an answer lends.
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

    /// Takes the frame that was lent in advance, if `suits` accepts it and the sender's state has
    /// not changed.
    func takeGrant(sender: UInt64, if suits: (Grant) -> Bool) -> Grant? {
        let state = channels.senderState
        return grant.withLock { grant in
            guard let known = grant, known.sender == sender, known.state == state, state.sends,
                suits(known)
            else { return nil }
            return grant.take()
        }
    }

    /// Takes the plugin's lease with this id, if it was lent in advance.
    func takeLeased(_ id: UInt64, sender: UInt64) -> Grant? {
        leased.withLock { leased in
            guard let known = leased, known.lease.id == id, known.sender == sender else {
                return nil
            }
            return leased.take()
        }
    }

    /// Passes a frame in memory that was lent in advance. The caller has written the message.
    ///
    /// Does not wait for the answer if the host is sure to accept the frame, so that a frame costs
    /// one wake-up. The thread's next call reads the answer. If the host has stopped the plugin
    /// meanwhile, it counts the frame as refused.
    func pass(
        _ call: RemoteCall, _ info: gr_frame_info, in grant: Grant, on channel: Channel
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

    /// The lease of the unused frame that was lent in advance; 0 if none.
    func returnedGrant(sender: UInt64) -> UInt64 {
        grant.withLock { grant in
            guard let known = grant, known.sender == sender else { return 0 }
            grant = nil
            return known.lease.id
        }
    }
}

extension gr_lease {
    /// Copies the lent lease except the struct's own size.
    mutating func take(_ lent: gr_lease, at planes: SharedPlanes, in frames: SharedMemory) {
        id = lent.id
        frame = lent.frame
        frame.place(planes, in: frames)
    }
}

extension gr_frame_info {
    /// Whether the host is sure to accept the description for a frame of this revision.
    fileprivate func isPlain(revision: UInt32) -> Bool {
        struct_size >= UInt32(MemoryLayout<gr_frame_info>.size)
            && Rotation(rawValue: rotation) != nil && ColorRange(rawValue: range) != nil
            && ColorMatrix(rawValue: matrix) != nil && offer_revision == revision
            // The lowest number is GR_PTS_UNSTAMPED.
            && (pts_ns >= 0 || pts_ns == .min)
    }
}
