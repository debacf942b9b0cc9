import GreenroomABI
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface

@testable import GreenroomLifecycle

/// What a ``FakeOutput`` that is a call does on its thread: participants, and what they send.
struct FarEnd {
    private let call: FakeOutput
    private let start: Int64
    private let functions = HostInterface.call.pointee
    private let host = HostInterface.host.pointee

    init(_ call: FakeOutput) {
        self.call = call
        start = host.now_ns(call.handle)
    }

    /// Waits until a time since the start.
    @discardableResult
    func wait(milliseconds: Int64) -> Status { wait(nanoseconds: milliseconds * 1_000_000) }

    @discardableResult
    func wait(nanoseconds: Int64) -> Status {
        Status(rawValue: host.wait_until_ns(call.handle, start + nanoseconds))
    }

    /// Waits until the call is stopped.
    func waitForEnd() { _ = host.wait_until_ns(call.handle, .max) }

    func join(_ name: String) -> (status: Status, number: UInt32) {
        var number: UInt32 = 0
        let status = functions.joined(call.handle, name, &number)
        return (Status(rawValue: status), number)
    }

    @discardableResult
    func leave(_ participant: UInt32) -> Status {
        Status(rawValue: functions.left(call.handle, participant))
    }

    func open(
        _ kind: Int, of participant: UInt32, _ capability: VideoCapability? = nil
    ) -> (status: Status, track: gr_open_track) {
        var track = gr_open_track()
        track.struct_size = UInt32(MemoryLayout<gr_open_track>.size)
        track.kind = UInt32(kind)
        track.participant = participant
        if let capability { track.capability = gr_capability(capability) }
        let status = functions.open_track(call.handle, &track)
        return (Status(rawValue: status), track)
    }

    @discardableResult
    func close(_ sender: UInt64) -> Status {
        Status(rawValue: functions.close_track(call.handle, sender))
    }

    @discardableResult
    func mute(_ isMuted: Bool, _ sender: UInt64) -> Status {
        Status(rawValue: functions.set_muted(call.handle, sender, isMuted ? 1 : 0))
    }

    /// Sends 10 ms of one level, for a time since the start.
    @discardableResult
    func send(_ level: Int16, to sender: UInt64, milliseconds: Int64) -> Status {
        send(level, to: sender, nanoseconds: milliseconds * 1_000_000)
    }

    @discardableResult
    func send(_ level: Int16, to sender: UInt64, nanoseconds: Int64) -> Status {
        let samples = [Int16](repeating: level, count: 480)
        return samples.withUnsafeBufferPointer { samples in
            var block = gr_audio_block()
            block.struct_size = UInt32(MemoryLayout<gr_audio_block>.size)
            block.sample_rate_hz = 48_000
            block.channels = 1
            block.frame_count = 480
            block.samples = samples.baseAddress
            block.size_bytes = 960
            block.pts_ns = start + nanoseconds
            return Status(rawValue: HostInterface.audio.pointee.send(sender, &block, 0))
        }
    }

    /// Sends a grey frame, for a time since the start.
    @discardableResult
    func sendFrame(
        _ size: FrameSize, grey: UInt8, to sender: UInt64, milliseconds: Int64
    ) -> Status {
        let video = HostInterface.video.pointee
        var lease = gr_lease()
        lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
        let status = video.acquire(
            sender, UInt32(GR_FORMAT_I420), UInt32(size.width), UInt32(size.height), &lease)
        guard status == 0 else { return Status(rawValue: status) }
        for (plane, value) in [
            (lease.frame.planes.0, grey), (lease.frame.planes.1, 128), (lease.frame.planes.2, 128),
        ] {
            plane.data?.update(repeating: value, count: Int(plane.size_bytes))
        }
        var info = lease.frame.info
        info.pts_ns = start + milliseconds * 1_000_000
        return Status(rawValue: video.commit(sender, lease.id, &info))
    }
}
