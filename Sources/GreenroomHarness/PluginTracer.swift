import Glibc
package import GreenroomABI
package import GreenroomConversion
package import GreenroomIPC
import GreenroomIsolation
import GreenroomLifecycle
package import GreenroomMedia
package import GreenroomPluginInterface
import GreenroomRunner

/// The harness's observer of an instance: traces calls and edits, watches leases, and hides an
/// extension.
package final class PluginTracer: InstanceObserver {
    /// The id of the host extension to hide; nil if none.
    private let withheldExtension: String?
    private let leases: LeaseWatch?
    private let now: @Sendable () -> Int64
    private let trace: @Sendable (TracedCall) -> Void
    private let traceEdit: @Sendable (TracedEdit) -> Void
    private let traceTake: @Sendable (TracedTake) -> Void

    /// - Parameters:
    ///   - withheldExtension: The id of the host extension to hide; nil if none.
    ///   - leases: The watch of the plugin's leases; nil if none.
    ///   - now: The session clock, in nanoseconds.
    ///   - trace: Receives each call of the plugin, on the calling thread.
    ///   - traceEdit: Receives each edited frame, on the media thread.
    ///   - traceTake: Receives each frame and block for an output, on the calling thread: before
    ///     the call, without a status, and after the call.
    package init(
        withheldExtension: String? = nil, leases: LeaseWatch? = nil,
        now: @escaping @Sendable () -> Int64,
        trace: @escaping @Sendable (TracedCall) -> Void,
        traceEdit: @escaping @Sendable (TracedEdit) -> Void,
        traceTake: @escaping @Sendable (TracedTake) -> Void
    ) {
        self.withheldExtension = withheldExtension
        self.leases = leases
        self.now = now
        self.trace = trace
        self.traceEdit = traceEdit
        self.traceTake = traceTake
    }

    package var guarding: FrameGuarding? { leases?.guarding }

    package func prepare(
        frames: SharedMemory?, call: @escaping @Sendable (RemoteCall, WireWriter) -> WireReader?
    ) {
        var message = WireWriter()
        ProbeRequest(
            withheldExtension: withheldExtension, guardsFrames: leases?.isClosed ?? false
        ).write(to: &message)
        var answer = call(.prepareProbe, message)
        leases?.begin(
            base: (try? answer?.read(UInt64.self)) ?? 0, byteCount: frames?.byteCount ?? 0)
    }

    package func serve(
        _ call: inout HostCall, on channel: Channel, frames: SharedMemory?,
        perform: (inout HostCall) -> gr_status?
    ) -> gr_status? {
        let request = TracedCall.Request(call)
        if let leases, let frames, call.function == .videoCommit || call.function == .videoAbandon {
            leases.takeBack(call.numbers.0, in: frames)
        }
        let answered = perform(&call)
        let status = answered.flatMap { request?.hasStatus == true ? Status(rawValue: $0) : nil }
        if let leases, let frames, call.function == .videoAcquire, status == .ok,
            let lease = call.value(of: gr_lease.self)
        {
            leases.lend(
                lease.pointee, channel.read(SharedPlanes.self, at: MessageLayout.leasedPlanes),
                in: frames)
        }
        if let request {
            trace(
                TracedCall(
                    thread: TracedCall.Thread(channel: channel.index), request: request,
                    status: status, refusal: status.flatMap(Self.refusal), nanoseconds: now()))
        }
        return answered
    }

    /// The text of this thread's last refusal, if the status blames the arguments.
    private static func refusal(_ status: Status) -> String? {
        guard (Status.badArgument.rawValue..<Status.queueFull.rawValue).contains(status.rawValue)
        else { return nil }
        let capacity = 1024
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let text = buffer.baseAddress else { return nil }
            _ = HostInterface.host.pointee.refusal_text(text, UInt64(capacity))
            return String(cString: text)
        }
    }

    package func didProcess(on channel: Channel, length: Int) {
        guard length >= EditStatistics.offset + MemoryLayout<EditStatistics>.size
        else { return }
        traceEdit(TracedEdit(channel.read(EditStatistics.self, at: EditStatistics.offset)))
    }

    package func take(_ call: RemoteCall, on channel: Channel, pass: () -> Status) -> Status {
        var take = TracedTake(call, channel)
        traceTake(take)
        let status = pass()
        take.status = status
        traceTake(take)
        return status
    }
}

extension LeaseWatch {
    /// Fills a frame and its surroundings before it is lent.
    fileprivate func lend(_ lease: gr_lease, _ places: SharedPlanes, in frames: SharedMemory) {
        guard let format = PixelFormat(rawValue: lease.frame.format) else { return }
        let size = FrameSize(width: Int(lease.frame.width), height: Int(lease.frame.height))
        let planes = (0..<format.planeCount).map { index in
            Plane(
                offset: Int(places[index].offset), strideBytes: Int(places[index].strideBytes),
                byteCount: Int(places[index].byteCount))
        }
        let lent = lend(
            lease.id, format, size, planes: planes,
            slot: planes[0].offset / FrameArena.slotByteCount)
        for plane in planes {
            memset(frames.base + plane.pages.lowerBound, Int32(lent.guardByte), plane.pages.count)
            memset(frames.base + plane.offset, Int32(lent.filling), plane.byteCount)
        }
    }

    /// Checks the surroundings of a returned frame.
    fileprivate func takeBack(_ id: UInt64, in frames: SharedMemory) {
        guard let lease = takeBack(id) else { return }
        for (index, plane) in lease.planes.enumerated() {
            func written(_ bytes: Range<Int>) -> Int {
                let memory = UnsafeRawBufferPointer(
                    start: frames.base + bytes.lowerBound, count: bytes.count)
                return memory.count { $0 != lease.guardByte }
            }
            let before = written(plane.pages.lowerBound..<plane.bytes.lowerBound)
            let after = written(plane.bytes.upperBound..<plane.pages.upperBound)
            guard before + after > 0 else { continue }
            note(
                Spill(
                    lease: lease, plane: index, byteCount: max(before, after),
                    isAfter: after >= before))
        }
    }
}
