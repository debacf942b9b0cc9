package import GreenroomABI
package import GreenroomIPC
package import GreenroomMedia
import Glibc
import Synchronization

/// The validator's addition to a runner: it hides an extension, makes frames inaccessible outside
/// their lease, and reports side effects of a pre-processor.
package final class PluginProbe: RunnerProbe {
    private struct State {
        var withheldExtension: String?
        var guarding: FrameGuard?
    }

    private let state = Mutex(State())

    package init() {}

    package func prepare(_ request: WireReader, frames: SharedMemory?) -> WireWriter {
        var request = request
        var answer = WireWriter()
        guard let request = try? ProbeRequest(from: &request) else { return answer }
        let guarding = request.guardsFrames ? frames.map { FrameGuard($0) } : nil
        state.withLock {
            $0.withheldExtension = request.withheldExtension
            $0.guarding = guarding
        }
        if request.guardsFrames { answer.write(guarding?.address ?? 0) }
        return answer
    }

    private var guarding: FrameGuard? { state.withLock { $0.guarding } }

    package func withholds(_ id: UnsafePointer<CChar>) -> Bool {
        state.withLock { state in state.withheldExtension.map { strcmp($0, id) == 0 } ?? false }
    }

    // MARK: Frames

    package func didLend(_ planes: SharedPlanes, lease: UInt64) {
        guarding?.open(planes, lease: lease)
    }

    package func willReturn(lease: UInt64) { guarding?.close(lease: lease) }

    package func willCopy(to planes: SharedPlanes) { guarding?.open(planes) }
    package func didCopy(to planes: SharedPlanes) { guarding?.close(planes) }

    package func edit(
        _ frame: inout gr_mutable_frame, in planes: SharedPlanes, answer channel: Channel,
        _ process: (inout gr_mutable_frame) -> Status
    ) -> Int {
        let guarding = guarding
        guarding?.open(planes)
        defer { guarding?.close(planes) }
        let given = frame
        let meter = AllocationMeter.ofProcess
        var statistics = EditStatistics(isMetered: meter != nil)
        let status = meter?.count(in: &statistics) { process(&frame) } ?? process(&frame)
        statistics.changedMembers = FrameMembers(of: frame, otherThan: given).rawValue
        channel.write(status.rawValue)
        channel.write(statistics, at: EditStatistics.offset)
        return EditStatistics.offset + MemoryLayout<EditStatistics>.size
    }
}
