internal import GreenroomABI
internal import GreenroomMedia

/// The host's function for audio, bound to a sender.
///
/// Safe to share: nothing changes after `init`, and the contract lets the function be called
/// from any thread for as long as the process lives.
final class AudioSenderTable: @unchecked Sendable {
    private let functions: gr_audio_functions
    private let sender: gr_sender
    let host: HostTable

    /// Nil unless the table has the function of major 1.
    init?(_ audio: UnsafePointer<gr_audio_functions>, sender: gr_sender, host: HostTable) {
        guard audio.pointee.struct_size >= MemoryLayout<gr_audio_functions>.size else { return nil }
        functions = audio.pointee
        self.sender = sender
        self.host = host
    }

    func send(
        _ samples: Span<Int16>, _ format: AudioFormat, _ pts: Int64?,
        _ timeout: AudioSender.Timeout
    ) throws(SendRefusal) {
        let wait: Int64 =
            switch timeout {
            case .none: 0
            case .nanoseconds(let nanoseconds): max(nanoseconds, 0)
            case .untilThereIsRoom: -1
            }
        let status = samples.withUnsafeBufferPointer { samples in
            var block = gr_audio_block(
                struct_size: UInt32(MemoryLayout<gr_audio_block>.size),
                sample_rate_hz: UInt32(clamping: format.sampleRate),
                channels: UInt32(clamping: format.channels),
                frame_count: UInt32(clamping: samples.count / max(format.channels, 1)),
                samples: samples.baseAddress,
                size_bytes: UInt64(samples.count * MemoryLayout<Int16>.size),
                pts_ns: pts ?? .min)
            return functions.send(sender, &block, wait)
        }
        try host.check(status)
    }

    func clear() throws(SendRefusal) -> Int64 {
        var nanoseconds: Int64 = 0
        try host.check(try queue().clear(sender, &nanoseconds))
        return nanoseconds
    }

    func queued() throws(SendRefusal) -> Int64 {
        var nanoseconds: Int64 = 0
        try host.check(try queue().queued(sender, &nanoseconds))
        return nanoseconds
    }

    private func queue() throws(SendRefusal) -> gr_audio_queue {
        guard let queue = host.audioQueue else {
            throw SendRefusal(
                status: .unsupported, text: "the host is older than minor 3 of the interface")
        }
        return queue
    }
}
