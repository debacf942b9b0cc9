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

/// The listings of the camera's steps.
final class StepsApp: VideoSteps, AzureApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-steps", name: "AzureSteps", version: "1.0.0",
        summary: "Grey stripes by the steps of Azure's guide")

    override required init() {}

    func didConnect(to call: Call) { call.startVideo(stream: makeStream()) { _ in } }
}

/// Joins the call with options, as an app does that has a token.
private func join(with options: JoinCallOptions) throws {
    let credential = try CommunicationTokenCredential(token: "no token is needed")
    CallClient().createCallAgent(userCredential: credential) { agent, _ in
        agent?.join(with: GroupCallLocator(groupId: UUID()), joinCallOptions: options) { _, _ in }
    }
}

/// The listings of a tone, which is attached by options, detached, and attached to the call.
final class ToneApp: AudioController, AzureApp, SamplesProducer {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-tone", name: "AzureTone", version: "1.0.0",
        summary: "A tone from Azure's guide")

    override required init() {}

    func didConnect(to call: Call) throws {
        try join(with: makeStream(producer: self))
        observe()
        detach(from: call)
        attach(to: call)
    }

    func produceSamples(
        _ currentSample: Int, options: RawOutgoingAudioStreamOptions
    ) -> AVAudioPCMBuffer {
        AzureListings.produceSamples(
            currentSample, stream: rawOutgoingAudioStream, options: options)
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
        try join(with: options)
    }
}

/// The listings of a receiver.
final class ReceiverApp: IncomingController, AzureApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-speaker", name: "AzureSpeaker", version: "1.0.0",
        summary: "A receiver of audio from Azure's guide")

    override required init() {}

    func didConnect(to call: Call) throws {
        try join(with: makeStream())
        observe()
        attach(to: call)
    }
}

/// The samples of each channel that a receiver got.
final class Received: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }

    func add(_ samples: Int) { lock.withLock { count += samples } }
}

let received = Received()

func count(_ buffer: AVAudioPCMBuffer?) { received.add(Int(buffer?.frameLength ?? 0)) }

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(
        AzureCamera<StripesApp>.self, AzureCamera<StepsApp>.self,
        AzureCall<ScreenApp>.self, AzureMicrophone<ToneApp>.self,
        AzureMicrophone<MicrophoneApp>.self, AzureReceiver<ReceiverApp>.self)
}
