import CALSA
import Glibc
public import GreenroomMedia
import SystemPackage

/// An open ALSA device that plays or captures interleaved 16-bit audio.
///
/// It never blocks, except in ``wait(milliseconds:)``, ``recover(from:)`` and
/// ``drain(milliseconds:)``, each with a time limit. Deinit closes it.
///
/// Threads: one at a time, any.
///
/// Sendable without the compiler's proof: this value alone has the handle, it can't be copied, and
/// every call on it is `mutating` and so has exclusive access. ALSA binds no PCM to a thread.
public struct PCM: ~Copyable, @unchecked Sendable {
    /// The direction of audio.
    public enum Direction: String, CaseIterable, Sendable {
        /// To a loudspeaker.
        case playback
        /// From a microphone.
        case capture

        var stream: snd_pcm_stream_t {
            self == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
        }
    }

    /// The opened name.
    public let name: String
    /// The direction of audio.
    public let direction: Direction
    /// The device's sample rate in hertz, the nearest to the requested one.
    public let sampleRate: Int
    /// 1 or 2, the nearest to the requested number.
    public let channels: Int
    /// Frames between two times at which the device can transfer.
    public let periodFrames: Int
    /// Size of the device's buffer in frames.
    public let bufferFrames: Int

    let handle: OpaquePointer

    /// Opens and prepares a device: audio starts with ``start()``.
    ///
    /// - Parameters:
    ///   - name: ALSA's name, e.g. `default`, `hw:0,0` or `null`.
    ///   - format: The requested format. The device may have another rate or number of channels.
    ///   - periodFrames: The requested period.
    ///   - bufferFrames: The requested buffer.
    /// - Throws: ALSA's error and the fix. Fails at once for a device in use by another program.
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
            // ALSA may have read its configuration partly, for lack of descriptors: read it again
            // next time.
            snd_config_update_free_global()
            throw error
        }
        guard let opened else {
            throw ALSAError(
                call: "snd_pcm_open", pcm: name, underlyingError: Errno(rawValue: ENODEV),
                message: "no handle returned")
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

    /// The reason why ALSA's configuration has no PCM of a name; nil if it has one. Opens no device.
    public static func problem(ofName name: String) -> ALSAError? {
        do throws(ALSAError) {
            var root: OpaquePointer?
            try attempt("snd_config_update_ref", on: name) { Int(snd_config_update_ref(&root)) }
            defer { snd_config_unref(root) }
            var found: OpaquePointer?
            do throws(ALSAError) {
                try attempt("snd_config_search_definition", on: name) {
                    Int(snd_config_search_definition(root, "pcm", name, &found))
                }
            } catch {
                // As snd_pcm_open says it.
                throw error.underlyingError == .noSuchFileOrDirectory
                    ? ALSAError(
                        call: error.call, pcm: name, underlyingError: .noSuchFileOrDirectory,
                        message: "Unknown PCM \(name)")
                    : error
            }
            snd_config_delete(found)
            return nil
        } catch {
            return error
        }
    }
}

/// Makes a PCM start only with `snd_pcm_start`, not when its buffer has samples.
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
