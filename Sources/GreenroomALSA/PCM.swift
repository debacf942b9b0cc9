import CALSA
import Glibc
public import GreenroomMedia

/// An open ALSA device that plays or captures interleaved 16-bit sound.
///
/// It never blocks, save in ``wait(milliseconds:)``, ``recover(from:)`` and
/// ``drain(milliseconds:)``, each for a bounded time. It is closed when its owner lets it go.
///
/// Threads: one at a time, any.
///
/// Sendable without the compiler's proof: nobody else has the handle, it can't be copied, and
/// every call on it is `mutating`, so that it has exclusive access; ALSA ties no PCM to a thread.
public struct PCM: ~Copyable, @unchecked Sendable {
    /// Which way sound goes.
    public enum Direction: String, CaseIterable, Sendable {
        /// To a loudspeaker.
        case playback
        /// From a microphone.
        case capture

        var stream: snd_pcm_stream_t {
            self == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
        }
    }

    /// The name that it was opened by.
    public let name: String
    /// Which way sound goes.
    public let direction: Direction
    /// The rate that the device runs at, in hertz; the one nearest to what was asked for.
    public let sampleRate: Int
    /// 1 or 2, the nearest to what was asked for.
    public let channels: Int
    /// Frames from one moment at which the device can take or give more to the next.
    public let periodFrames: Int
    /// Frames that the device's buffer holds.
    public let bufferFrames: Int

    let handle: OpaquePointer

    /// Opens a device and makes it ready: sound begins with ``start()``.
    ///
    /// - Parameters:
    ///   - name: As ALSA knows it, e.g. `default`, `hw:0,0` or `null`.
    ///   - format: What to ask for. The device may have another rate or other channels.
    ///   - periodFrames: What to ask for.
    ///   - bufferFrames: What to ask for.
    /// - Throws: What ALSA says, and what to do. A device that another program has is refused
    ///   at once.
    public init(
        opening name: String, direction: Direction, format: AudioFormat, periodFrames: Int,
        bufferFrames: Int
    ) throws(ALSAError) {
        var opened: OpaquePointer?
        do throws(ALSAError) {
            try attempt("snd_pcm_open", on: name) {
                Int(snd_pcm_open(&opened, name, direction.stream, SND_PCM_NONBLOCK))
            }
        } catch {
            // Its configuration may have been read in part, for want of descriptors: anew next time.
            snd_config_update_free_global()
            throw error
        }
        guard let opened else {
            throw ALSAError(
                call: "snd_pcm_open", pcm: name, code: ENODEV, message: "no handle came back")
        }
        do throws(ALSAError) {
            let shape = try PCMShape(
                asking: opened, name: name, format: format, periodFrames: periodFrames,
                bufferFrames: bufferFrames)
            try startOnDemand(opened, name: name)
            sampleRate = shape.sampleRate
            channels = shape.channels
            self.periodFrames = shape.periodFrames
            self.bufferFrames = shape.bufferFrames
        } catch {
            snd_pcm_close(opened)
            throw error
        }
        self.name = name
        self.direction = direction
        handle = opened
    }

    deinit { snd_pcm_close(handle) }
}

/// Makes a PCM begin with `snd_pcm_start` alone, and not when there is something in its buffer.
private func startOnDemand(_ handle: OpaquePointer, name: String) throws(ALSAError) {
    var parameters: OpaquePointer?
    try attempt("snd_pcm_sw_params_malloc", on: name) {
        Int(snd_pcm_sw_params_malloc(&parameters))
    }
    defer { snd_pcm_sw_params_free(parameters) }
    try attempt("snd_pcm_sw_params_current", on: name) {
        Int(snd_pcm_sw_params_current(handle, parameters))
    }
    var boundary: snd_pcm_uframes_t = 0
    try attempt("snd_pcm_sw_params_get_boundary", on: name) {
        Int(snd_pcm_sw_params_get_boundary(parameters, &boundary))
    }
    try attempt("snd_pcm_sw_params_set_start_threshold", on: name) {
        Int(snd_pcm_sw_params_set_start_threshold(handle, parameters, boundary))
    }
    try attempt("snd_pcm_sw_params", on: name) { Int(snd_pcm_sw_params(handle, parameters)) }
}
