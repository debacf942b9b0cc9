import Glibc
import GreenroomALSA
import GreenroomAudio
import GreenroomMedia
import GreenroomRuntime
import SystemPackage

/// An open PCM, with the conversion of the session's audio to its rate and channels.
struct SpeakerDevice: ~Copyable, Sendable {
    /// The buffered audio at the start, in frames of 48 kHz: 80 ms.
    static let target = AudioFormat.session.sampleRate * 80 / 1000
    /// The longest transfer, in frames of 48 kHz: 10 ms.
    static let longest = AudioFormat.session.sampleRate / 100
    /// Limit of the time in which a device accepts nothing, in nanoseconds.
    private static let stallNanoseconds: Int64 = 2_000_000_000

    private let clock: HostClock
    private var pcm: PCM
    private var resampler: Resampler
    private var resampled: [Int16]
    /// Whether the device accepts audio only at the speed of playing it.
    private(set) var hasClock = true

    /// Opens a device.
    ///
    /// - Parameter clock: The clock for the time limit of a device that accepts nothing.
    init(opening device: String, clock: HostClock) throws(ALSAError) {
        let rate = AudioFormat.session.sampleRate
        let pcm = try PCM(
            opening: device, direction: .playback, format: .session, periodFrames: rate / 100,
            bufferFrames: rate / 5)
        guard let resampler = Resampler(from: .session, to: pcm.sampleRate) else {
            throw ALSAError(
                call: "speex_resampler_init", pcm: device, underlyingError: .noMemory,
                message: "out of memory")
        }
        resampled = [Int16](
            repeating: 0, count: resampler.frameLimit(from: Self.longest) * 2)
        self.resampler = resampler
        self.clock = clock
        self.pcm = pcm
    }

    /// The device's sample rate, in hertz.
    var sampleRate: Int { pcm.sampleRate }

    /// Starts playback with silence, which leaves time for the first audio.
    ///
    /// - Parameter waiting: The frames of 48 kHz that follow immediately.
    mutating func start(waiting: Int) throws(ALSAError) {
        let silence = [Int16](repeating: 0, count: Self.longest * 2)
        var left = max(Self.target - waiting, Self.longest)
        // A device with a smaller buffer starts with a full buffer. The ring keeps the remaining
        // audio.
        left = min(left * sampleRate / AudioFormat.session.sampleRate, pcm.bufferFrames)
        while left > 0 {
            let frames = min(left, Self.longest)
            let count = frames * pcm.channels
            guard try pcm.write(silence.span.extracting(..<count)) > 0 else { break }
            left -= frames
        }
        try pcm.start()
        // A device whose buffer is empty without an underrun has no clock.
        hasClock = try pcm.availableFrames < pcm.bufferFrames
    }

    /// Prepares a device after an underrun or a suspend. Call ``start(waiting:)`` next.
    mutating func recover(from error: ALSAError) throws(ALSAError) {
        try pcm.recover(from: error)
    }

    /// Stretches the audio by a rate in ppm.
    mutating func stretch(ppm: Double) { _ = resampler.adjust(ppm: ppm) }

    /// The content of the device's buffer, in frames of 48 kHz.
    ///
    /// The content is the margin before an underrun. The device's total delay can be longer, for
    /// example over a network, and does not show this margin.
    var queued: Double {
        mutating get throws(ALSAError) {
            let queued = pcm.bufferFrames - (try pcm.availableFrames)
            return Double(queued) * Double(AudioFormat.session.sampleRate) / Double(sampleRate)
        }
    }

    /// Plays stereo audio of 48 kHz. Waits while the device has no room.
    ///
    /// - Parameter samples: At most ``longest`` frames.
    mutating func play(_ samples: Span<Int16>) throws(ALSAError) {
        guard hasClock || sampleRate != AudioFormat.session.sampleRate else {
            // The audio needs no stretching.
            for index in samples.indices { resampled[index] = samples[index] }
            try write(frames: samples.count / 2)
            return
        }
        let (_, produced) = resampler.process(samples, into: &resampled)
        try write(frames: produced)
    }

    private mutating func write(frames: Int) throws(ALSAError) {
        if pcm.channels == 1 {
            for frame in 0..<frames {
                let sum = Int32(resampled[frame * 2]) + Int32(resampled[frame * 2 + 1])
                resampled[frame] = Int16(clamping: sum / 2)
            }
        }
        let audio = resampled
        var done = 0
        var deadline = clock.deadline(after: Self.stallNanoseconds)
        while done < frames {
            let rest = done * pcm.channels..<frames * pcm.channels
            let written = try pcm.write(audio.span.extracting(rest))
            if written > 0 {
                done += written
                deadline = clock.deadline(after: Self.stallNanoseconds)
                continue
            }
            guard clock.now < deadline else {
                throw ALSAError(
                    call: "snd_pcm_writei", pcm: pcm.name, underlyingError: .ioError,
                    message: "device stopped accepting audio")
            }
            // Some devices report that they are ready but have no room.
            if try pcm.wait(milliseconds: 100) { usleep(1_000) }
        }
    }

    /// Plays the buffered audio, for at most a second.
    mutating func drain() throws(ALSAError) { try pcm.drain(milliseconds: 1000) }
}
