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

    /// Calls the plugin to edit a block of audio. [media]
    ///
    /// - Returns: The length of the answer in the message.
    func editAudio(_ channel: Channel) -> Int {
        guard let functions = state.withLock({ $0.functions }) else {
            return channel.answer(Status.gone)
        }
        let message = channel.read(AudioEditMessage.self, at: MessageLayout.subject)
        let count = AudioEditing.blockFrames * Int(min(max(message.channels, 1), 2))
        let sent = UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(channel.message).dropFirst(MessageLayout.samples)
                .prefix(count * 2 * MemoryLayout<Int16>.stride))
        // Copy the samples: the plugin may call the host within the callback, which overwrites the
        // message.
        return withUnsafeTemporaryAllocation(of: Int16.self, capacity: count * 2) { samples in
            guard let base = samples.baseAddress else { return channel.answer(Status.failed) }
            UnsafeMutableRawBufferPointer(samples).copyMemory(from: sent)
            var edit = gr_audio_edit(
                struct_size: UInt32(MemoryLayout<gr_audio_edit>.size),
                channels: UInt32(count / AudioEditing.blockFrames),
                frame_count: UInt32(AudioEditing.blockFrames), reserved: 0,
                pts_ns: message.ptsNanoseconds, samples: base,
                reference: message.hasReference != 0 ? UnsafePointer(base + count) : nil)
            channel.write(functions.edit(&edit).rawValue)
            return MessageLayout.samples
                + channel.write(
                    UnsafeRawBufferPointer(start: base, count: count * 2), at: MessageLayout.samples
                )
        }
    }
}

extension Channel {
    /// Writes a status as the answer.
    ///
    /// - Returns: The length of the answer.
    func answer(_ status: Status) -> Int {
        write(status.rawValue)
        return MemoryLayout<gr_status>.size
    }
}
