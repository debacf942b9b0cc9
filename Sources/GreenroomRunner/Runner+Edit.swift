import CLinux
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

extension Runner {
    /// Calls the plugin to edit a frame in the frames' memory, and answers the host. [media]
    func edit(_ channel: Channel) {
        guard let functions = state.withLock({ $0.functions }), let frames else {
            return channel.send(.return, length: channel.answer(Status.gone))
        }
        var frame = channel.read(gr_mutable_frame.self, at: MessageLayout.subject)
        let planes = channel.read(SharedPlanes.self, at: MessageLayout.editedPlanes)
        frame.place(planes, in: frames)
        let length =
            if let probe {
                probe.edit(&frame, in: planes, answer: channel, functions.process)
            } else {
                channel.answer(functions.process(&frame))
            }
        channel.send(.return, length: length)
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
