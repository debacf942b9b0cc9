/// A block that gets captured audio, on the engine's thread.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void

/// The microphone of an engine: ALSA's device `default`.
public final class AVAudioInputNode: @unchecked Sendable {
    struct Tap {
        var frames: Int
        var format: AVAudioFormat
        var block: AVAudioNodeTapBlock
    }

    private let lock = NSLock()
    private var installed: Tap?

    var tap: Tap? { lock.withLock { installed } }

    /// The format of the microphone: 48000 Hz, mono. ALSA converts the device's.
    public func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        // swift-format-ignore: NeverForceUnwrap
        AVAudioFormat(
            commonFormat: .pcmFormatInt16, sampleRate: 48_000, channels: 1, interleaved: false)!
    }

    /// Has audio captured once the engine starts.
    ///
    /// - Parameters:
    ///   - bus: 0.
    ///   - bufferSize: Samples of each channel in a buffer; at most 100 ms.
    ///   - format: nil for the microphone's.
    ///   - tapBlock: Gets each buffer.
    public func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        let format = format ?? outputFormat(forBus: bus)
        let longest = Int(format.sampleRate) / 10
        lock.withLock {
            installed = Tap(
                frames: min(max(Int(bufferSize), 1), longest), format: format, block: tapBlock)
        }
    }

    /// Ends the capture.
    public func removeTap(onBus bus: AVAudioNodeBus) { lock.withLock { installed = nil } }
}

/// Captures the microphone on a thread of its own.
public final class AVAudioEngine: @unchecked Sendable {
    /// The microphone.
    public let inputNode = AVAudioInputNode()

    private let lock = NSLock()
    private var capture: Capture?

    /// Makes an engine that is stopped.
    public init() {}

    deinit { stop() }

    /// Whether it captures.
    public var isRunning: Bool { lock.withLock { capture != nil } }

    /// Has no effect.
    public func prepare() {}

    /// Opens the microphone and captures.
    public func start() throws {
        try lock.withLock {
            guard capture == nil, let tap = inputNode.tap else { return }
            capture = try Capture(tap)
        }
    }

    /// Ends the capture, and returns when the tap is not called any more.
    public func stop() {
        let capture = lock.withLock {
            defer { self.capture = nil }
            return self.capture
        }
        capture?.stop()
    }
}

/// A thread that reads ALSA's default device.
private final class Capture: @unchecked Sendable {
    private let lock = NSLock()
    private var isEnded = false
    private var thread: PluginThread?

    init(_ tap: AVAudioInputNode.Tap) throws {
        let device = try ALSACapture(tap.format.format)
        guard let host = VendorHost.current else { return }
        let period = Int64(Double(tap.frames) / tap.format.sampleRate * 1e9)
        thread = try PluginThread(name: "microphone") { [self] in
            var time: Int64 = 0
            var last = host.nowNanoseconds
            while !lock.withLock({ isEnded }) {
                guard
                    let buffer = AVAudioPCMBuffer(
                        pcmFormat: tap.format, frameCapacity: AVAudioFrameCount(tap.frames))
                else { return }
                do {
                    try device.read(tap.frames, into: buffer.room)
                } catch {
                    return VendorHost.log(.error, "\(error)")
                }
                // A device that is always ready, such as ALSA's null, takes the session's pace.
                if host.nowNanoseconds - last < period / 10 {
                    guard host.wait(untilNanoseconds: last + period) == .ok else { return }
                }
                last = host.nowNanoseconds
                buffer.frameLength = buffer.frameCapacity
                tap.block(buffer, AVAudioTime(sampleTime: time))
                time += Int64(tap.frames)
            }
        }
    }

    func stop() {
        lock.withLock { isEnded = true }
        thread?.join()
        thread = nil
    }
}

/// ALSA's device `default`, through the library that the machine has: a package that builds against it
/// would need its headers.
private final class ALSACapture {
    private typealias Open =
        @convention(c) (
            UnsafeMutablePointer<OpaquePointer?>, UnsafePointer<CChar>, Int32, Int32
        ) -> Int32
    private typealias SetParameters =
        @convention(c) (OpaquePointer, Int32, Int32, UInt32, UInt32, Int32, UInt32) -> Int32
    private typealias Read =
        @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UInt) -> Int
    private typealias Recover = @convention(c) (OpaquePointer, Int32, Int32) -> Int32
    private typealias Close = @convention(c) (OpaquePointer) -> Int32

    private let pcm: OpaquePointer
    private let channels: Int
    private let read: Read
    private let recover: Recover
    private let close: Close

    init(_ format: AudioFormat) throws {
        guard let library = dlopen("libasound.so.2", RTLD_NOW) else {
            throw PluginError(
                "AVAudioEngine captures from ALSA, and libasound.so.2 is missing: "
                    + "apt-get install libasound2", status: .unavailable)
        }
        func function<Function>(_ name: String, _: Function.Type) throws -> Function {
            guard let symbol = dlsym(library, name) else {
                throw PluginError("libasound.so.2 has no \(name)", status: .unavailable)
            }
            return unsafeBitCast(symbol, to: Function.self)
        }
        let open = try function("snd_pcm_open", Open.self)
        let set = try function("snd_pcm_set_params", SetParameters.self)
        read = try function("snd_pcm_readi", Read.self)
        recover = try function("snd_pcm_recover", Recover.self)
        close = try function("snd_pcm_close", Close.self)
        channels = format.channels
        var pcm: OpaquePointer?
        // SND_PCM_STREAM_CAPTURE is 1, SND_PCM_FORMAT_S16_LE 2, SND_PCM_ACCESS_RW_INTERLEAVED 3.
        guard open(&pcm, "default", 1, 0) == 0, let pcm else {
            throw PluginError(
                "ALSA's device \"default\" does not open for capture; in a sandbox grant it with "
                    + "allow: { devices: [/dev/snd] }", status: .unavailable)
        }
        self.pcm = pcm
        let rate = UInt32(format.sampleRate)
        guard set(pcm, 2, 3, UInt32(format.channels), rate, 1, 100_000) == 0 else {
            throw PluginError(
                "ALSA's device \"default\" does not capture \(rate) Hz, 16-bit",
                status: .unavailable)
        }
    }

    deinit { _ = close(pcm) }

    /// Reads samples of each channel.
    func read(_ frames: Int, into samples: UnsafeMutableBufferPointer<Int16>) throws {
        var done = 0
        while done < frames, let base = samples.baseAddress {
            let count = read(pcm, base + done * channels, UInt(frames - done))
            if count >= 0 {
                done += count
            } else if recover(pcm, Int32(clamping: count), 1) < 0 {
                throw PluginError("ALSA's device \"default\" is gone", status: .unavailable)
            }
        }
    }
}
