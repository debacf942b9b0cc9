import AzureStyle

/// The format of the stream that is made next; a constant of the guide's first step.
nonisolated(unsafe) var videoFormat = makeVideoFormat()

/// The listings of the camera.
final class StripesApp: CallController, AzureApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-camera", name: "AzureCamera", version: "1.0.0",
        summary: "Grey stripes from Azure's guide")

    override required init() {}

    func didConnect(to call: Call) {
        videoFormat = makeVideoFormat()
        self.call = call
        toggleSendingRawOutgoingVideo()
    }
}

/// The listings of the screen share.
final class ScreenApp: ScreenController, AzureApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-screen", name: "AzureScreen", version: "1.0.0",
        summary: "A screen share from Azure's guide")

    override required init() {}

    func didConnect(to call: Call) {
        videoFormat = makeScreenFormat()
        self.call = call
        toggleSendingScreenShareOutgoingVideo()
    }
}

/// The listings of a tone.
final class ToneApp: AzureApp, RawOutgoingAudioStreamDelegate, SamplesProducer {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-tone", name: "AzureTone", version: "1.0.0",
        summary: "A tone from Azure's guide")

    private let stream: RawOutgoingAudioStream
    private var sender: RawOutgoingAudioSender?

    init() {
        let options = RawOutgoingAudioStreamOptions()
        options.properties.sampleRate = .hz44100
        stream = RawOutgoingAudioStream(rawOutgoingAudioStreamOptions: options)
        stream.delegate = self
        sender = RawOutgoingAudioSender(stream: stream, options: options, producer: self)
    }

    func didConnect(to call: Call) { call.startAudio(stream: stream) { _ in } }

    func rawOutgoingAudioStream(
        _ rawOutgoingAudioStream: RawOutgoingAudioStream,
        didChangeState args: AudioStreamStateChangedEventArgs
    ) {
        if args.streamState == .started { sender?.start() } else { sender?.stop() }
    }

    func produceSamples(
        _ currentSample: Int, options: RawOutgoingAudioStreamOptions
    ) -> AVAudioPCMBuffer {
        AzureListings.produceSamples(currentSample, stream: stream, options: options)
    }
}

/// The listing of a microphone.
final class MicrophoneApp: AzureApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-microphone", name: "AzureMicrophone", version: "1.0.0",
        summary: "A captured microphone from Azure's guide")

    private var sender: MicrophoneDataSender?

    func didConnect(to call: Call) throws {
        let sender = try MicrophoneDataSender(properties: RawOutgoingAudioStreamProperties())
        self.sender = sender
        sender.stream.events.onStateChanged = { args in
            guard args.streamState == .started else { return sender.stop() }
            do {
                try sender.start()
            } catch {
                os_log("\(error)", type: .error)
            }
        }
        let options = JoinCallOptions()
        options.outgoingAudioOptions = OutgoingAudioOptions()
        options.outgoingAudioOptions?.stream = sender.stream
        let credential = try CommunicationTokenCredential(token: "no token is needed")
        CallClient().createCallAgent(userCredential: credential) { agent, _ in
            agent?.join(with: GroupCallLocator(groupId: UUID()), joinCallOptions: options) { _, _ in
            }
        }
    }
}

/// The listing of a receiver.
final class ReceiverApp: AzureApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-speaker", name: "AzureSpeaker", version: "1.0.0",
        summary: "A receiver of audio from Azure's guide")

    private let stream: RawIncomingAudioStream

    init() {
        let options = RawIncomingAudioStreamOptions()
        options.properties.sampleRate = .hz44100
        options.properties.channelMode = .stereo
        stream = RawIncomingAudioStream(rawIncomingAudioStreamOptions: options)
        stream.delegate = RawIncomingReceiver()
        stream.events.onStateChanged = { args in
            if args.streamState == .stopped { os_log("received \(received.value) samples") }
        }
    }

    func didConnect(to call: Call) { call.startAudio(stream: stream) { _ in } }
}

/// The samples of each channel that a receiver got.
final class Received: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }

    func add(_ samples: Int) { lock.withLock { count += samples } }
}

private let received = Received()

func count(_ buffer: AVAudioPCMBuffer?) { received.add(Int(buffer?.frameLength ?? 0)) }

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(
        AzureCamera<StripesApp>.self, AzureScreenShare<ScreenApp>.self,
        AzureMicrophone<ToneApp>.self, AzureMicrophone<MicrophoneApp>.self,
        AzureSpeaker<ReceiverApp>.self)
}
