import GreenroomABI
import GreenroomIPC
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

extension Runner {
    /// Has a frame edited that lies in the frames' memory. [media]
    ///
    /// - Returns: How long the answer is, which is in the message.
    func edit(_ channel: Channel) -> Int {
        let (functions, isScrutinised) = state.withLock { ($0.functions, $0.isScrutinised) }
        guard let functions, let frames else { return channel.answer(Status.gone) }
        var frame = channel.read(gr_mutable_frame.self, at: MessageLayout.subject)
        let planes = channel.read(
            SharedPlanes.self,
            at: MessageLayout.subject + MemoryLayout<gr_mutable_frame>.stride)
        frame.place(planes, in: frames)
        guard isScrutinised else { return channel.answer(functions.process(&frame)) }
        open(planes)
        defer { shut(planes) }
        let given = frame
        let meter = MediaMeter.ofProcess
        var notes = ProcessStatistics(changedMembers: 0, isMetered: meter != nil)
        let status =
            meter?.count(into: &notes) { functions.process(&frame) } ?? functions.process(&frame)
        notes.changedMembers = FrameMembers(of: frame, otherThan: given).rawValue
        _ = channel.answer(status)
        channel.write(notes, at: ProcessStatistics.offset)
        return ProcessStatistics.offset + MemoryLayout<ProcessStatistics>.size
    }
}

extension Channel {
    fileprivate func answer(_ status: Status) -> Int {
        write(status.rawValue)
        return MemoryLayout<gr_status>.size
    }
}
