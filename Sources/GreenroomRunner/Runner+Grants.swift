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
    /// The description of the frame that the host accepted when it lent this one.
    var accepted: AcceptedFrame

    /// Whether the lent frame has the format and size of an `acquire`.
    func lends(to call: HostCall) -> Bool {
        filling.format == 0
            && call.numbers == (
                UInt64(lease.frame.format), UInt64(lease.frame.width), UInt64(lease.frame.height)
            )
    }
}

extension Runner {
    /// Stores the frame that an answer lends.
    ///
    /// - Parameter accepted: The frame that the answer is about.
    func keepGrant(
        in channel: Channel, after status: gr_status, _ accepted: AcceptedFrame, sender: UInt64
    ) {
        guard status == Status.ok.rawValue else { return }
        let message = channel.read(GrantMessage.self, at: MessageLayout.value)
        guard message.lease.id != 0 else { return }
        let new = Grant(
            lease: message.lease, planes: message.planes, sender: sender,
            state: SenderState(rawValue: message.state), filling: message.filling,
            accepted: accepted)
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

    /// Passes a frame in memory that was lent in advance.
    ///
    /// Does not wait for the answer if the frame continues the last accepted one, so that a frame costs
    /// one wake-up. The thread's next call reads the answer. If the host has stopped the plugin
    /// meanwhile, it counts the frame as refused.
    func pass(
        _ call: HostCall, _ frame: AcceptedFrame, in grant: Grant, on channel: Channel
    ) -> gr_status {
        let isSure =
            frame.info.continues(grant.accepted.info)
            && channels.senderState == grant.state && grant.state.sends
            && ThreadChannels.isOwn(of: self) && state.withLock { !$0.hasVirtualClock }
        guard isSure else {
            let status = channel.pass(call)
            keepGrant(in: channel, after: status, frame, sender: grant.sender)
            return status
        }
        channel.send(RemoteCall(call.function), length: channel.write(call))
        ThreadChannels.post(to: self, PostedFrame(sender: grant.sender, frame: frame))
        return Status.ok.rawValue
    }

    /// Reads the answer to a frame that was passed without waiting.
    func takeAnswer(from channel: Channel, to posted: PostedFrame) {
        guard channel.receive() != nil else { return }
        keepGrant(in: channel, after: channel.read(), posted.frame, sender: posted.sender)
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

/// A frame that was passed without waiting for the answer.
struct PostedFrame {
    var sender: UInt64
    var frame: AcceptedFrame
}

/// The description of a frame that the host has accepted. The host is sure to accept a frame that
/// differs only in its pixels and in a later time.
///
/// Sendable because no code follows the addresses of the planes.
struct AcceptedFrame: @unchecked Sendable {
    /// The frame; nil if its pixels were in a lease.
    var frame: gr_video_frame?
    var info: gr_frame_info
}

extension gr_video_frame {
    /// Whether the frame differs from another only in its pixels, and in its info.
    func hasForm(of other: gr_video_frame) -> Bool {
        struct_size == other.struct_size && format == other.format && width == other.width
            && height == other.height && plane_count == other.plane_count
            && planes.0.hasForm(of: other.planes.0)
            && (plane_count < 2 || planes.1.hasForm(of: other.planes.1))
            && (plane_count < 3 || planes.2.hasForm(of: other.planes.2))
            && info.hasForm(of: other.info)
    }
}

extension gr_plane {
    fileprivate func hasForm(of other: gr_plane) -> Bool {
        (data == nil) == (other.data == nil) && size_bytes == other.size_bytes
            && stride_bytes == other.stride_bytes
    }
}

extension gr_frame_info {
    fileprivate func hasForm(of other: gr_frame_info) -> Bool {
        struct_size == other.struct_size && rotation == other.rotation && range == other.range
            && matrix == other.matrix && offer_revision == other.offer_revision
    }

    /// Whether the info differs from another only in a later time.
    fileprivate func continues(_ other: gr_frame_info) -> Bool {
        hasForm(of: other)
            && (pts_ns == other.pts_ns || (other.pts_ns >= 0 && pts_ns > other.pts_ns))
    }
}
