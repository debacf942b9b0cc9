import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

extension Runner {
    /// Calls the plugin to edit a frame in the frames' memory. [media]
    ///
    /// - Returns: The length of the answer in the message.
    func edit(_ channel: Channel) -> Int {
        guard let functions = state.withLock({ $0.functions }), let frames else {
            return channel.answer(Status.gone)
        }
        var frame = channel.read(gr_mutable_frame.self, at: MessageLayout.subject)
        let planes = channel.read(
            SharedPlanes.self,
            at: MessageLayout.subject + MemoryLayout<gr_mutable_frame>.stride)
        frame.place(planes, in: frames)
        guard let probe else { return channel.answer(functions.process(&frame)) }
        return probe.edit(&frame, in: planes, answer: channel) { functions.process(&$0) }
    }
}

extension Channel {
    /// Writes a status as the answer.
    ///
    /// - Returns: Its length.
    func answer(_ status: Status) -> Int {
        write(status.rawValue)
        return MemoryLayout<gr_status>.size
    }
}
