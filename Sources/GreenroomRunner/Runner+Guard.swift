import GreenroomIPC
import Synchronization

// A plugin whose memory is watched finds the pages closed that are not of a frame which it has: who
// touches them is killed, and the host knows where that was.

extension Runner {
    /// Closes the frames' memory.
    ///
    /// - Returns: Where it begins in this process; 0 if there is none.
    func guardFrames() -> UInt64 {
        guard let frames else { return 0 }
        frames.forbid(0..<frames.byteCount)
        state.withLock { $0.guarded = [:] }
        return UInt64(UInt(bitPattern: frames.base))
    }

    private var isGuarding: Bool { state.withLock { $0.guarded != nil } }

    /// Opens a frame, if the frames are guarded.
    func open(_ planes: SharedPlanes) {
        guard let frames, isGuarding else { return }
        for index in 0..<3 where planes[index].byteCount > 0 { frames.allow(planes[index].bytes) }
    }

    /// Closes a frame, if the frames are guarded.
    func shut(_ planes: SharedPlanes) {
        guard let frames, isGuarding else { return }
        for index in 0..<3 where planes[index].byteCount > 0 { frames.forbid(planes[index].bytes) }
    }

    /// Opens a frame that is lent, if the frames are guarded.
    func open(_ planes: SharedPlanes, lease: UInt64) {
        state.withLock { $0.guarded?[lease] = planes }
        open(planes)
    }

    /// Closes a frame that is given back, if the frames are guarded.
    func shut(lease: UInt64) {
        guard let planes = state.withLock({ $0.guarded?.removeValue(forKey: lease) }) else {
            return
        }
        shut(planes)
    }
}

extension SharedPlane {
    /// Its bytes, in the frames' memory.
    fileprivate var bytes: Range<Int> { Int(offset)..<Int(offset) + Int(byteCount) }
}
