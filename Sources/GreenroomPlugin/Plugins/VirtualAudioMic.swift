/// A microphone, with every callback.
///
/// Start and stop follow unmute and mute. Callbacks run one at a time on the instance's control
/// thread and must return within the deadline (2 s). So send audio from another thread: an
/// ``AudioPump``, or your own thread that has ended or is idle when `onMicStopSend` returns.
///
/// To make only samples, use ``Microphone``.
public protocol VirtualAudioMic: Plugin {
    /// Receives the sender. Send nothing yet.
    mutating func onMicInitialize(_ sender: AudioSender) throws

    /// Start sending. The host accepts audio as soon as it makes this call. Don't wait in here.
    mutating func onMicStartSend() throws

    /// Stop sending. Return when all your threads have stopped sending.
    mutating func onMicStopSend()

    /// The sender has ended. The default does nothing.
    mutating func onMicUninitialized()
}

extension VirtualAudioMic {
    /// Does nothing.
    public func onMicUninitialized() {}

    /// Exports the type as a virtual mic.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .virtualMic) { VirtualAudioMicInstance($0) }
    }
}
