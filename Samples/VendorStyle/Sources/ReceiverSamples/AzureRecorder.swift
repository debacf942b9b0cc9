import AzureStyle

let azureReceived = Received()

/// Gets participants, their video and their audio.
final class CallRecorder: NSObject, CallDelegate, RemoteParticipantDelegate,
    RawIncomingVideoStreamDelegate,
    RawIncomingAudioStreamDelegate
{
    func call(_ call: Call, didChangeState args: PropertyChangedEventArgs) {
        azureReceived.tell("\(call.state)")
        if call.state == .disconnected { azureReceived.report() }
    }

    func call(_ call: Call, didUpdateRemoteParticipant args: ParticipantsUpdatedEventArgs) {
        for participant in args.addedParticipants {
            azureReceived.tell("+\(participant.displayName)")
            participant.delegate = self
        }
        for participant in args.removedParticipants {
            azureReceived.tell("-\(participant.displayName)")
            participant.delegate = nil
        }
    }

    func remoteParticipant(
        _ remoteParticipant: RemoteParticipant,
        didChangeVideoStreamState args: VideoStreamStateChangedEventArgs
    ) {
        guard let stream = args.stream as? RawIncomingVideoStream else { return }
        azureReceived.tell("\(stream.sourceType) \(stream.state)")
        guard stream.state == .available else { return }
        stream.delegate = self
        stream.start()
    }

    func rawIncomingVideoStream(
        _ rawIncomingVideoStream: RawIncomingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs
    ) { azureReceived.tell("stream \(args.stream.state)") }

    func rawIncomingVideoStream(
        _ rawIncomingVideoStream: RawIncomingVideoStream,
        didReceiveRawVideoFrame args: RawVideoFrameReceivedEventArgs
    ) {
        guard let frame = args.frame as? RawVideoFrameBuffer,
            let luma = CVPixelBufferGetBaseAddressOfPlane(frame.buffer, 0)
        else { return }
        azureReceived.add(1, to: "frames")
        azureReceived.set("width", to: Int(frame.streamFormat.width))
        azureReceived.set("luma", to: Int(luma.load(as: UInt8.self)))
    }

    func rawIncomingAudioStream(
        _ rawIncomingAudioStream: RawIncomingAudioStream,
        didChangeState args: AudioStreamStateChangedEventArgs
    ) { azureReceived.tell("audio \(args.streamState)") }

    func rawIncomingAudioStream(
        _ rawIncomingAudioStream: RawIncomingAudioStream,
        mixedAudioBufferReceived args: IncomingMixedAudioEventArgs
    ) { azureReceived.add(Int(args.audioBuffer.buffer?.frameLength ?? 0), to: "samples") }
}

/// The app of the recorder.
final class AzureRecorderApp: AzureApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-recorder", name: "AzureRecorder", version: "1.0.0",
        summary: "A recorder for Azure's raw media")

    private let recorder = CallRecorder()
    private var call: Call?

    func didConnect(to call: Call) {
        self.call = call
        call.delegate = recorder
        let options = RawIncomingAudioStreamOptions()
        options.properties.sampleRate = .hz16000
        let stream = RawIncomingAudioStream(rawIncomingAudioStreamOptions: options)
        stream.delegate = recorder
        call.startAudio(stream: stream) { _ in }
    }
}

/// Sends what the session's camera captures, as a participant's camera.
final class CameraRepeater: NSObject, AzureApp, VirtualOutgoingVideoStreamDelegate,
    AVCaptureVideoDataOutputSampleBufferDelegate, @unchecked Sendable
{
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.azure-repeater", name: "AzureRepeater", version: "1.0.0",
        summary: "A participant that sends the session's camera")

    private let session = AVCaptureSession()
    private let output = AVCaptureVideoDataOutput()
    private var stream: VirtualOutgoingVideoStream?

    override required init() {}

    func didConnect(to call: Call) throws {
        let format = VideoStreamFormat()
        format.resolution = .p360
        format.pixelFormat = .nv12
        let options = RawOutgoingVideoStreamOptions()
        options.formats = [format]
        let stream = VirtualOutgoingVideoStream(videoStreamOptions: options)
        stream.delegate = self
        self.stream = stream
        let video = OutgoingVideoOptions()
        video.streams = [stream]
        let join = JoinCallOptions()
        join.outgoingVideoOptions = video
        let agent = CallAgent()
        agent.join(
            with: TeamsMeetingLinkLocator(meetingLink: "https://example.com"), joinCallOptions: join
        ) { _, _ in }
    }

    func virtualOutgoingVideoStream(
        _ virtualOutgoingVideoStream: VirtualOutgoingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs
    ) {
        azureReceived.tell("sending \(args.stream.state)")
        args.stream.state == .started ? start() : session.stopRunning()
    }

    private func start() {
        let found = AVCaptureDevice.DiscoverySession(
            deviceTypes: [.builtInWideAngleCamera], mediaType: .video, position: .unspecified)
        guard let camera = found.devices.first,
            let input = try? AVCaptureDeviceInput(device: camera)
        else { return azureReceived.tell("no camera") }
        session.addInput(input)
        output.setSampleBufferDelegate(self, queue: DispatchQueue(label: "camera"))
        session.addOutput(output)
        camera.activeFormat = camera.formats[0]
        session.startRunning()
    }

    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer,
        from connection: AVCaptureConnection
    ) {
        guard let stream, stream.state == .started else { return }
        let frame = RawVideoFrameBuffer()
        frame.buffer = CMSampleBufferGetImageBuffer(sampleBuffer)
        frame.streamFormat = stream.format
        stream.send(frame: frame) { error in
            azureReceived.add(1, to: error == nil ? "sent" : "refused")
        }
    }
}
