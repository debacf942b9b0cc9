/// The sound of a share, with every callback in the author's hands.
///
/// Threads and order are those of ``VirtualAudioMic``. If all you want is to make samples,
/// ``ScreenAudio`` is shorter.
public protocol ShareAudioSource: Plugin {
    /// The share has sound from now on: it is accepted from inside this call on. Don't wait in
    /// here.
    mutating func onStartSendAudio(_ sender: AudioSender) throws

    /// Stop. Return when no thread of yours sends any more.
    mutating func onStopSendAudio()

    /// The session takes the share's sound. The default does nothing.
    mutating func onShareAudioInitialize() throws

    /// The sender is gone. The default does nothing.
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
