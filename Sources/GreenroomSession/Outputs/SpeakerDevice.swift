import Glibc
import GreenroomALSA
import GreenroomAudio
import GreenroomMedia
import GreenroomRuntime

/// An open PCM, and what brings the session's sound to its rate and channels.
struct SpeakerDevice: ~Copyable, Sendable {
    /// What the device should have to play when sound begins, in frames of 48 kHz: 80 ms.
    static let target = AudioFormat.session.sampleRate * 80 / 1000
    /// The most that is handed over at once, in frames of 48 kHz: 10 ms.
    static let longest = AudioFormat.session.sampleRate / 100
    /// How long a device may take nothing.
    private static let stallNanoseconds: Int64 = 2_000_000_000

    private var pcm: PCM
    private var resampler: Resampler
    private var resampled: [Int16]
    /// Whether the device takes sound only as fast as it is played.
    private(set) var hasClock = true

    /// Opens a device.
    init(opening device: String) throws(ALSAError) {
        let rate = AudioFormat.session.sampleRate
        let pcm = try PCM(
            opening: device, direction: .playback, format: .session, periodFrames: rate / 100,
            bufferFrames: rate / 5)
        guard let resampler = Resampler(from: .session, to: pcm.sampleRate) else {
            throw ALSAError(
                call: "speex_resampler_init", pcm: device, code: ENOMEM, message: "out of memory")
        }
        resampled = [Int16](
            repeating: 0, count: resampler.mostFrames(from: Self.longest) * 2)
        self.resampler = resampler
        self.pcm = pcm
    }

    /// The device's, in hertz.
    var sampleRate: Int { pcm.sampleRate }

    /// Begins to play: silence, so that there is time until sound has to follow.
    ///
    /// - Parameter waiting: Frames of 48 kHz that will follow at once.
    mutating func start(waiting: Int) throws(ALSAError) {
        let silence = [Int16](repeating: 0, count: Self.longest * 2)
        var left = max(Self.target - waiting, Self.longest)
        // A device whose buffer is smaller starts with that full; the ring keeps the rest.
        left = min(left * sampleRate / AudioFormat.session.sampleRate, pcm.bufferFrames)
        while left > 0 {
            let frames = min(left, Self.longest)
            let count = frames * pcm.channels
            guard try pcm.write(silence.span.extracting(..<count)) > 0 else { break }
            left -= frames
        }
        try pcm.start()
        // A buffer that plays at some speed, and is empty all the same, would have underrun.
        hasClock = try pcm.availableFrames < pcm.bufferFrames
    }

    /// Makes a device ready again that had nothing to play or slept; ``start(waiting:)`` follows.
    mutating func recover(from error: ALSAError) throws(ALSAError) {
        try pcm.recover(from: error)
    }

    /// Makes more or less sound of the same.
    mutating func stretch(ppm: Double) { _ = resampler.adjust(ppm: ppm) }

    /// What the device's buffer holds, in frames of 48 kHz.
    ///
    /// That is what stands between the sound and an underrun. The whole delay is more where
    /// sound goes on to a server or through the air, and would be no measure.
    var queued: Double {
        mutating get throws(ALSAError) {
            let queued = pcm.bufferFrames - (try pcm.availableFrames)
            return Double(queued) * Double(AudioFormat.session.sampleRate) / Double(sampleRate)
        }
    }

    /// Hands over stereo of 48 kHz; waits while the device has no room.
    ///
    /// - Parameter samples: At most ``longest`` frames.
    mutating func play(_ samples: Span<Int16>) throws(ALSAError) {
        guard hasClock || sampleRate != AudioFormat.session.sampleRate else {
            // Nothing has to be stretched.
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
        let sound = resampled
        var done = 0
        var deadline = MonotonicClock.deadline(after: Self.stallNanoseconds)
        while done < frames {
            let rest = done * pcm.channels..<frames * pcm.channels
            let written = try pcm.write(sound.span.extracting(rest))
            if written > 0 {
                done += written
                deadline = MonotonicClock.deadline(after: Self.stallNanoseconds)
                continue
            }
            guard MonotonicClock.now < deadline else {
                throw ALSAError(
                    call: "snd_pcm_writei", pcm: pcm.name, code: EIO,
                    message: "the device takes nothing any more")
            }
            // There are devices that say that they are ready, and have no room.
            if try pcm.wait(milliseconds: 100) { usleep(1_000) }
        }
    }

    /// Lets the device play what it has, for a second at most.
    mutating func drain() throws(ALSAError) { try pcm.drain(milliseconds: 1000) }
}
