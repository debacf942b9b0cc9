/// A microphone with every callback in the author's hands.
///
/// Start and stop follow unmute and mute. Callbacks come one at a time on the instance's
/// control thread and must return within the deadline (2 s), so sound is sent from another
/// thread: an ``AudioPump``, or one of your own that has ended or gone idle when
/// `onMicStopSend` returns.
///
/// If all you want is to make samples, ``Microphone`` is shorter.
public protocol VirtualAudioMic: Plugin {
    /// Here is your sender; send nothing yet.
    mutating func onMicInitialize(_ sender: AudioSender) throws

    /// Go: sound is accepted from inside this call on. Don't wait in here.
    mutating func onMicStartSend() throws

    /// Stop. Return when no thread of yours sends any more.
    mutating func onMicStopSend()

    /// The sender is gone. The default does nothing.
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
