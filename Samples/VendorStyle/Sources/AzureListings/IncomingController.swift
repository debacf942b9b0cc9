// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.
import AzureStyle

/// The steps of raw incoming audio.
class IncomingController: NSObject {
    var rawIncomingStream: RawIncomingAudioStream!

    private func makeStreamOptions() -> RawIncomingAudioStreamOptions {
// listing: azure-incoming-options
let options = RawIncomingAudioStreamOptions()
let properties = RawIncomingAudioStreamProperties()
properties.format = .pcm16Bit
properties.sampleRate = .hz44100
properties.channelMode = .stereo
options.properties = properties
// end
        return options
    }

    func makeStream() -> JoinCallOptions {
        let audioStreamOptions = makeStreamOptions()
// listing: azure-incoming-join
let options =  JoinCallOptions() // or StartCallOptions()
let incomingAudioOptions = IncomingAudioOptions()

self.rawIncomingStream = RawIncomingAudioStream(rawIncomingAudioStreamOptions: audioStreamOptions)
incomingAudioOptions.stream = self.rawIncomingStream
options.incomingAudioOptions = incomingAudioOptions
// end
        return options
    }

    func observe() {
// listing: azure-incoming-set-delegate
self.rawIncomingStream.delegate = RawIncomingReceiver()
// end
        let rawIncomingAudioStream: RawIncomingAudioStream = rawIncomingStream
// listing: azure-incoming-closures
rawIncomingAudioStream.events.mixedAudioBufferReceived = { args in
    // Receive raw audio buffers(AVAudioPCMBuffer) and process them using AVAudioEngine API's.
}

rawIncomingAudioStream.events.onStateChanged = { args in
    // To be notified when stream started and stopped.
    if args.streamState == .stopped { os_log("received \(received.value) samples") }  // added: what the receiver got
}
// end
    }

    func attach(to call: Call) {
// listing: azure-incoming-start
call.startAudio(stream: self.rawIncomingStream) { error in
    // Stream attached to `Call`.
}
// end
    }
}
