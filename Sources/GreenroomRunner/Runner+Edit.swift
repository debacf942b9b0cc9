import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

extension Runner {
    /// Calls the plugin to edit a frame, in the frames' memory or in that of another plugin. [media]
    ///
    /// - Returns: The length of the answer in the message; 0 if the memory can't be mapped.
    func edit(_ channel: Channel) -> Int {
        guard let functions = state.withLock({ $0.functions }) else {
            return channel.answer(Status.gone)
        }
        let number = channel.read(UInt32.self, at: MessageLayout.memory)
        guard let place = number == 0 ? frames : memory(number) else { return 0 }
        var frame = channel.read(gr_mutable_frame.self, at: MessageLayout.subject)
        let planes = channel.read(
            SharedPlanes.self,
            at: MessageLayout.subject + MemoryLayout<gr_mutable_frame>.stride)
        frame.place(planes, in: place)
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
