// swift-format-ignore-file
// An excerpt of the project's seed document "Add raw media access to your app",
// for compatibility testing.

// listing: azure-microphone
import AzureStyle  // changed: the layer
// changed: one import is enough

enum MicrophoneSenderError: Error {
    case notMatchingFormat
}

final class MicrophoneDataSender {
    let stream: RawOutgoingAudioStream  // changed: the app attaches the stream
    private let properties: RawOutgoingAudioStreamProperties
    private let format: AVAudioFormat
    private let audioEngine: AVAudioEngine = AVAudioEngine()

    init(properties: RawOutgoingAudioStreamProperties) throws {
        // This can be different depending on which device we are running or value set for
        // `try AVAudioSession.sharedInstance().setPreferredSampleRate(...)`.
        let nodeFormat = self.audioEngine.inputNode.outputFormat(forBus: 0)
        let matchingSampleRate = AudioSampleRate.allCases.first(where: { $0.valueInHz == nodeFormat.sampleRate })
        guard let inputNodeSampleRate = matchingSampleRate else {
            throw MicrophoneSenderError.notMatchingFormat
        }

        // Override the sample rate to one that matches audio session (Audio engine input node frequency).
        properties.sampleRate = inputNodeSampleRate

        let options = RawOutgoingAudioStreamOptions()
        options.properties = properties

        self.stream = RawOutgoingAudioStream(rawOutgoingAudioStreamOptions: options)
        let channelCount = AVAudioChannelCount(properties.channelMode.channelCount)
        self.format = AVAudioFormat(commonFormat: .pcmFormatInt16,
                                    sampleRate: properties.sampleRate.valueInHz,
                                    channels: channelCount,
                                    interleaved: channelCount > 1)!
        self.properties = properties
    }

    func start() throws {
        guard !self.audioEngine.isRunning else {
            return
        }

        // Install tap documentations states that we can get between 100 and 400 ms of data.
        let framesFor100ms = AVAudioFrameCount(self.format.sampleRate * 0.1)

        // Note that some formats may not be allowed by `installTap`, so we have to specify the
        // correct properties.
        self.audioEngine.inputNode.installTap(onBus: 0, bufferSize: framesFor100ms,
                                              format: self.format) { [weak self] buffer, _ in
            guard let self = self else { return }

            let rawBuffer = RawAudioBuffer()
            rawBuffer.buffer = buffer
            // Although we specified either 10ms or 20ms, we allow sending up to 100ms of data
            // as long as it can be evenly divided by the specified size.
            self.stream.send(buffer: rawBuffer) { error in
                if let error = error {
                    // Handle error
                }
            }
        }

        try audioEngine.start()
    }

    func stop() {
        audioEngine.stop()
    }
}
// end
