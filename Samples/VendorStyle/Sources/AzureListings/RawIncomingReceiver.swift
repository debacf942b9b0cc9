// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

// listing: azure-incoming-audio
class RawIncomingReceiver: NSObject, RawIncomingAudioStreamDelegate {
    func rawIncomingAudioStream(_ rawIncomingAudioStream: RawIncomingAudioStream,
                                didChangeState args: AudioStreamStateChangedEventArgs) {
        // To be notified when stream started and stopped.
    }

    func rawIncomingAudioStream(_ rawIncomingAudioStream: RawIncomingAudioStream,
                                mixedAudioBufferReceived args: IncomingMixedAudioEventArgs) {
        // Receive raw audio buffers(AVAudioPCMBuffer) and process using AVAudioEngine API's.
        count(args.audioBuffer.buffer)  // added: an example of a receiver
    }
}
// end
