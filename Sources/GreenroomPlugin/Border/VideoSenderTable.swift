internal import GreenroomABI
internal import GreenroomMedia
internal import Synchronization

/// The host's functions for video, bound to a sender.
///
/// Safe to share: but for the atomic nothing changes after `init`, and the contract lets every
/// function be called from any thread for as long as the process lives.
final class VideoSenderTable: @unchecked Sendable {
    private let functions: gr_video_functions
    private let sender: gr_sender
    let host: HostTable
    private let offered: Atomic<UInt32>
    private let followed: Atomic<UInt32>

    /// The revision of the last offer that was handed to the plugin.
    var offeredRevision: UInt32 {
        get { offered.load(ordering: .relaxed) }
        set { offered.store(newValue, ordering: .relaxed) }
    }

    /// The default revision of frames: the last offer that the plugin answered.
    var revision: UInt32 {
        get { followed.load(ordering: .relaxed) }
        set { followed.store(newValue, ordering: .relaxed) }
    }

    /// Nil unless the table has every function of major 1.
    init?(
        _ video: UnsafePointer<gr_video_functions>, sender: gr_sender, host: HostTable,
        revision: UInt32
    ) {
        guard video.pointee.struct_size >= MemoryLayout<gr_video_functions>.size else { return nil }
        functions = video.pointee
        self.sender = sender
        self.host = host
        offered = Atomic(revision)
        followed = Atomic(revision)
    }

    func acquire(
        _ format: PixelFormat, _ size: FrameSize, for owner: VideoSender
    ) throws(SendRefusal) -> VideoLease {
        // A lease is filled for the offer that applies when it is acquired.
        let revision = revision
        var lease = gr_lease()
        lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
        lease.frame.struct_size = UInt32(MemoryLayout<gr_mutable_frame>.size)
        try host.check(
            functions.acquire(
                sender, format.rawValue, UInt32(clamping: size.width),
                UInt32(clamping: size.height), &lease))
        guard let frame = MutableFrame(lease.frame), frame.format == format, frame.size == size
        else {
            _ = functions.abandon(sender, lease.id)
            throw SendRefusal(
                status: .badPlanes, text: "the host lent a frame of another format or size")
        }
        return VideoLease(sender: owner, id: lease.id, revision: revision, frame: frame)
    }

    func commit(_ lease: UInt64, _ info: FrameInfo, revision: UInt32) throws(SendRefusal) {
        let named = info.offerRevision
        var info = gr_frame_info(info, offerRevision: named == 0 ? revision : named)
        try host.check(functions.commit(sender, lease, &info))
    }

    /// Whatever the host says: the lease has ended.
    func abandon(_ lease: UInt64) { _ = functions.abandon(sender, lease) }

    func send(
        packed bytes: RawSpan, _ format: PixelFormat, _ size: FrameSize, _ info: FrameInfo
    ) throws(SendRefusal) {
        let status = bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            return send(format, size, planeCount: format.planeCount, info) { index in
                // A size that is not legal has no geometry: the host refuses it by its size.
                guard size.isLegal, !format.isCompressed else {
                    return gr_plane(rest, stride: 0)
                }
                let plane = format.plane(index, of: size)
                let part = rest.prefix(plane.rowBytes * plane.rows)
                rest = rest.dropFirst(part.count)
                return gr_plane(part, stride: plane.rowBytes)
            }
        }
        try host.check(status)
    }

    func send(
        _ planes: FramePlanes, _ format: PixelFormat, _ size: FrameSize, _ info: FrameInfo
    ) throws(SendRefusal) {
        let strides = (
            planes.first.strideBytes, planes.second.strideBytes, planes.third.strideBytes
        )
        let count = planes.count
        let status = planes.first.bytes.withUnsafeBytes { first in
            planes.second.bytes.withUnsafeBytes { second in
                planes.third.bytes.withUnsafeBytes { third in
                    send(format, size, planeCount: count, info) { index in
                        switch index {
                        case 0: gr_plane(first[...], stride: strides.0)
                        case 1: gr_plane(second[...], stride: strides.1)
                        default: gr_plane(third[...], stride: strides.2)
                        }
                    }
                }
            }
        }
        try host.check(status)
    }

    private func send(
        _ format: PixelFormat, _ size: FrameSize, planeCount: Int, _ info: FrameInfo,
        plane: (Int) -> gr_plane
    ) -> gr_status {
        var frame = gr_video_frame()
        frame.struct_size = UInt32(MemoryLayout<gr_video_frame>.size)
        frame.format = format.rawValue
        frame.width = UInt32(clamping: size.width)
        frame.height = UInt32(clamping: size.height)
        frame.plane_count = UInt32(clamping: planeCount)
        frame.planes.0 = plane(0)
        if planeCount > 1 { frame.planes.1 = plane(1) }
        if planeCount > 2 { frame.planes.2 = plane(2) }
        frame.info = gr_frame_info(info, offerRevision: revision(of: info))
        return functions.send(sender, &frame)
    }

    private func revision(of info: FrameInfo) -> UInt32 {
        info.offerRevision == 0 ? revision : info.offerRevision
    }
}
