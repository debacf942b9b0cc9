/// The audio of a share, with every callback.
///
/// Threads and order are as in ``VirtualAudioMic``. To make only samples, use ``ScreenAudio``.
public protocol ShareAudioSource: Plugin {
    /// Start sending. The host accepts audio as soon as it makes this call. Don't wait in here.
    mutating func onStartSendAudio(_ sender: AudioSender) throws

    /// Stop sending. Return when all your threads have stopped sending.
    mutating func onStopSendAudio()

    /// The session takes the share's audio. The default does nothing.
    mutating func onShareAudioInitialize() throws

    /// The sender has ended. The default does nothing.
    mutating func onShareAudioUninitialized()
}

extension ShareAudioSource {
    /// Does nothing.
    public func onShareAudioInitialize() throws {}

    /// Does nothing.
    public func onShareAudioUninitialized() {}

    /// Exports the type as a share audio source.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .shareAudioSource) {
            ShareAudioSourceInstance($0)
        }
    }
}
