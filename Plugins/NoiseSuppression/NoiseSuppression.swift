import CWebRTCAudio
import GreenroomPlugin

/// Removes noise, rumble and echo from a voice, and keeps its level even, with WebRTC's audio processing.
final class NoiseSuppression: AudioPreProcessor {
    static let plugin = PluginDescription(
        id: "org.greenroom.noise-suppression", name: "NoiseSuppression", version: "1.0.0",
        summary: "Removes noise, rumble and echo from a voice, and keeps its level even",
        vendor: "Greenroom")

    /// The strength of the suppression, in the library's order.
    enum Suppression: String, CaseIterable, Sendable {
        case off, low, moderate, high
        case veryHigh = "very-high"

        var level: Int32 { Int32(Self.allCases.firstIndex(of: self) ?? 0) - 1 }
    }

    struct Settings: PluginSettings {
        var suppression = Suppression.high
        var highPass = true
        var gainControl = false
        var echoCancellation = false

        static let table: [Setting<Self>] = [
            .choice(
                "suppression", \.suppression, title: "Strength of the suppression", live: true),
            .boolean("high-pass", \.highPass, title: "Remove rumble", live: true),
            .boolean("gain-control", \.gainControl, title: "Keep the level even", live: true),
            .boolean(
                "echo-cancellation", \.echoCancellation,
                title: "Remove the echo of the session's incoming audio"),
        ]

        var options: greenroom_audio_options {
            greenroom_audio_options(
                noise: suppression.level, gain: gainControl, high_pass: highPass,
                echo: echoCancellation)
        }
    }

    /// The delay of the library's noise suppression, in samples.
    private static let delayFrames = 336
    /// The delay of the microphone behind the reference, in blocks. The library cancels only an echo
    /// that follows the reference by more than its buffers.
    private static let leadBlocks = 2

    private var settings: Settings
    private var processor: Processor?
    private var reference = AlignedReference()
    private var microphone = DelayedBlocks(count: leadBlocks)

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    /// A voice is one channel.
    var editing: AudioEditing {
        AudioEditing(
            channels: 1,
            delayFrames: (settings.suppression == .off ? 0 : Self.delayFrames)
                + (settings.echoCancellation ? Self.leadBlocks * AudioEditing.blockFrames : 0),
            takesReference: settings.echoCancellation)
    }

    func onSettingsChange(_ settings: Settings) {
        self.settings = settings
        processor?.set(settings.options)
    }

    func onPreProcessStart() throws {
        processor = try Processor(settings.options)
        reference = AlignedReference()
        microphone = DelayedBlocks(count: Self.leadBlocks)
    }

    func onPreProcessRawData(_ block: inout MutableAudioBlock) throws {
        guard let processor else { return }
        guard settings.echoCancellation else { return try processor.process(&block) }
        let heard = delayed(&block)
        guard block.hasReference else { return try processor.process(&block) }
        reference.append(block.reference, heard: heard)
        try processor.process(&block, reference: reference.samples)
    }

    /// Delays the microphone.
    ///
    /// - Returns: Its loudness.
    private func delayed(_ block: inout MutableAudioBlock) -> Double {
        var samples = block.samples
        microphone.delay(&samples)
        return EchoDelay.loudness(samples.span)
    }

    func onPreProcessStop() { processor = nil }
}

/// Returns blocks a fixed number of blocks later.
private struct DelayedBlocks {
    private var ring: [Int16]
    private var next = 0

    init(count: Int) { ring = [Int16](repeating: 0, count: count * AudioEditing.blockFrames) }

    mutating func delay(_ samples: inout MutableSpan<Int16>) {
        for index in samples.indices {
            (ring[next], samples[index]) = (samples[index], ring[next])
            next = (next + 1) % ring.count
        }
    }
}

/// The library's processor.
private final class Processor {
    private let audio: OpaquePointer

    init(_ options: greenroom_audio_options) throws(PluginError) {
        guard let audio = greenroom_audio_make(options, 1) else {
            throw PluginError("WebRTC's audio processing can't start", status: .unavailable)
        }
        self.audio = audio
    }

    deinit { greenroom_audio_free(audio) }

    func set(_ options: greenroom_audio_options) { _ = greenroom_audio_set(audio, options) }

    /// - Parameter reference: As many samples as the block has; nil if none.
    func process(
        _ block: inout MutableAudioBlock, reference: [Int16]? = nil
    ) throws(PluginError) {
        var samples = block.samples
        let result = samples.withUnsafeMutableBufferPointer { samples -> Int32 in
            guard let base = samples.baseAddress, samples.count == AudioEditing.blockFrames else {
                return -1
            }
            guard let reference else { return greenroom_audio_process(audio, base, nil) }
            return reference.withUnsafeBufferPointer {
                greenroom_audio_process(audio, base, $0.baseAddress)
            }
        }
        guard result == 0 else {
            throw PluginError("WebRTC's audio processing failed (error \(result))")
        }
    }
}
