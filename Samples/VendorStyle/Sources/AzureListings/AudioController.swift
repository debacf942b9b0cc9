// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

class DelegateImplementer: NSObject, RawOutgoingAudioStreamDelegate {
// listing: azure-audio-delegate
func rawOutgoingAudioStream(_ rawOutgoingAudioStream: RawOutgoingAudioStream,
                            didChangeState args: AudioStreamStateChangedEventArgs) {
    // When value is `AudioStreamState.started` we will be able to send audio samples.
}
// end
}

/// The steps of raw outgoing audio.
class AudioController: NSObject {
    var rawOutgoingAudioStream: RawOutgoingAudioStream!
    var sender: RawOutgoingAudioSender?

    func makeStream(producer: SamplesProducer) -> JoinCallOptions {
// listing: azure-audio-options
let outgoingAudioStreamOptions = RawOutgoingAudioStreamOptions()
let properties = RawOutgoingAudioStreamProperties()
properties.sampleRate = .hz44100
properties.bufferDuration = .inMs20
properties.channelMode = .mono
properties.format = .pcm16Bit
outgoingAudioStreamOptions.properties = properties
// end

// listing: azure-audio-join
let options = JoinCallOptions() // or StartCallOptions()

let outgoingAudioOptions = OutgoingAudioOptions()
self.rawOutgoingAudioStream = RawOutgoingAudioStream(rawOutgoingAudioStreamOptions: outgoingAudioStreamOptions)
outgoingAudioOptions.stream = self.rawOutgoingAudioStream
options.outgoingAudioOptions = outgoingAudioOptions

// Start or Join call passing the options instance.
// end

        sender = RawOutgoingAudioSender(
            stream: rawOutgoingAudioStream, options: outgoingAudioStreamOptions, producer: producer)
        return options
    }

    func observe() {
// listing: azure-audio-set-delegate
self.rawOutgoingAudioStream.delegate = DelegateImplementer()
// end

// listing: azure-audio-closure
self.rawOutgoingAudioStream.events.onStateChanged = { args in
    // When value is `AudioStreamState.started` we will be able to send audio samples.
    if args.streamState == .started { self.sender?.start() } else { self.sender?.stop() }  // added: the sender of the guide
}
// end
    }

    func attach(to call: Call) {
// listing: azure-audio-start
call.startAudio(stream: self.rawOutgoingAudioStream) { error in
    // Stream attached to `Call`.
}
// end
    }

    func detach(from call: Call) {
// listing: azure-audio-stop
call.stopAudio(stream: self.rawOutgoingAudioStream) { error in
    // Stream detached from `Call` and stopped.
}
// end
    }
}
