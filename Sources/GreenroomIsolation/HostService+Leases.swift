import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomSession
import GreenroomMedia

extension HostService {
    /// Fills a frame that is about to be lent, and what is around it, if leases are watched.
    func watch(_ lease: gr_lease, _ places: SharedPlanes, in frames: SharedMemory) {
        guard let watch = connection.context.instrumentation?.leases,
            let format = PixelFormat(rawValue: lease.frame.format)
        else { return }
        let size = FrameSize(width: Int(lease.frame.width), height: Int(lease.frame.height))
        let planes = (0..<format.planeCount).map { index in
            LeaseWatch.Plane(
                offset: Int(places[index].offset), strideBytes: Int(places[index].strideBytes),
                byteCount: Int(places[index].byteCount))
        }
        let lent = watch.lend(
            lease.id, format, size, planes: planes,
            slot: planes[0].offset / FrameArena.slotByteCount)
        for plane in planes {
            memset(frames.base + plane.pages.lowerBound, Int32(lent.edging), plane.pages.count)
            memset(frames.base + plane.offset, Int32(lent.filling), plane.byteCount)
        }
    }

    /// Looks at what is around a frame that comes back, if leases are watched.
    func lookAround(_ id: UInt64) {
        guard let watch = connection.context.instrumentation?.leases, let frames = connection.frames,
            let lease = watch.takeBack(id)
        else { return }
        for (index, plane) in lease.planes.enumerated() {
            func written(_ bytes: Range<Int>) -> Int {
                let memory = UnsafeRawBufferPointer(
                    start: frames.base + bytes.lowerBound, count: bytes.count)
                return memory.count { $0 != lease.edging }
            }
            let before = written(plane.pages.lowerBound..<plane.bytes.lowerBound)
            let after = written(plane.bytes.upperBound..<plane.pages.upperBound)
            guard before + after > 0 else { continue }
            watch.note(
                LeaseWatch.Spill(
                    lease: lease, plane: index, byteCount: max(before, after),
                    isAfter: after >= before))
        }
    }
}
