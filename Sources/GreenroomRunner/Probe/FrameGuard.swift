import Glibc
import GreenroomIPC
import Synchronization

/// Makes the frames' memory inaccessible except for the plugin's leases. Any other access kills the
/// process, and the crash report has the address.
final class FrameGuard: Sendable {
    private let frames: SharedMemory
    /// The planes that the plugin has, by lease.
    private let leases = Mutex<[UInt64: SharedPlanes]>([:])

    init(_ frames: SharedMemory) {
        self.frames = frames
        protect(0..<frames.byteCount, PROT_NONE)
    }

    /// The start of the memory in this process.
    var address: UInt64 { UInt64(UInt(bitPattern: frames.base)) }

    func open(_ planes: SharedPlanes) { protect(planes, PROT_READ | PROT_WRITE) }
    func close(_ planes: SharedPlanes) { protect(planes, PROT_NONE) }

    func open(_ planes: SharedPlanes, lease: UInt64) {
        leases.withLock { $0[lease] = planes }
        open(planes)
    }

    /// Ignores a lease that the plugin does not have.
    func close(lease: UInt64) {
        if let planes = leases.withLock({ $0.removeValue(forKey: lease) }) { close(planes) }
    }

    private func protect(_ planes: SharedPlanes, _ access: Int32) {
        for index in 0..<3 where planes[index].byteCount > 0 {
            let start = Int(planes[index].offset)
            protect(start..<start + Int(planes[index].byteCount), access)
        }
    }

    /// Sets the access to the pages of a range.
    private func protect(_ bytes: Range<Int>, _ access: Int32) {
        let page = 4096
        let bytes = bytes.clamped(to: 0..<frames.byteCount)
        let start = bytes.lowerBound / page * page
        let end = (bytes.upperBound + page - 1) / page * page
        mprotect(frames.base + start, end - start, access)
    }
}
