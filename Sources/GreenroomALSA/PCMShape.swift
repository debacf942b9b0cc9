import CALSA
import Glibc
import GreenroomMedia
import SystemPackage

/// The format that a device accepted.
struct PCMShape {
    var sampleRate: Int
    var channels: Int
    var periodFrames: Int
    var bufferFrames: Int

    /// Requests 16-bit interleaved audio, and the nearest values for the rest.
    init(
        asking handle: OpaquePointer, name: String, format: AudioFormat, periodFrames: Int,
        bufferFrames: Int
    ) throws(ALSAError) {
        var parameters: OpaquePointer?
        try attempt("snd_pcm_hw_params_malloc", on: name) {
            Int(snd_pcm_hw_params_malloc(&parameters))
        }
        defer { snd_pcm_hw_params_free(parameters) }
        try attempt("snd_pcm_hw_params_any", on: name) {
            Int(snd_pcm_hw_params_any(handle, parameters))
        }
        try attempt("snd_pcm_hw_params_set_access", on: name) {
            Int(snd_pcm_hw_params_set_access(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
        }
        do throws(ALSAError) {
            try attempt("snd_pcm_hw_params_set_format", on: name) {
                Int(snd_pcm_hw_params_set_format(handle, parameters, SND_PCM_FORMAT_S16_LE))
            }
        } catch {
            throw ALSAError(
                call: error.call, pcm: name, underlyingError: error.underlyingError,
                message: "the device has no 16-bit audio; a name that begins with plughw: "
                    + "instead of hw: converts")
        }
        var channels = UInt32(clamping: format.channels)
        try attempt("snd_pcm_hw_params_set_channels_near", on: name) {
            Int(snd_pcm_hw_params_set_channels_near(handle, parameters, &channels))
        }
        guard (1...2).contains(channels) else {
            throw ALSAError(
                call: "snd_pcm_hw_params_set_channels_near", pcm: name,
                underlyingError: .invalidArgument,
                message: "the device has \(channels) channels at least; a name that begins "
                    + "with plughw: instead of hw: converts")
        }
        var rate = UInt32(clamping: format.sampleRate)
        try attempt("snd_pcm_hw_params_set_rate_near", on: name) {
            Int(snd_pcm_hw_params_set_rate_near(handle, parameters, &rate, nil))
        }
        var period = snd_pcm_uframes_t(clamping: periodFrames)
        try attempt("snd_pcm_hw_params_set_period_size_near", on: name) {
            Int(snd_pcm_hw_params_set_period_size_near(handle, parameters, &period, nil))
        }
        var buffer = snd_pcm_uframes_t(clamping: bufferFrames)
        try attempt("snd_pcm_hw_params_set_buffer_size_near", on: name) {
            Int(snd_pcm_hw_params_set_buffer_size_near(handle, parameters, &buffer))
        }
        try attempt("snd_pcm_hw_params", on: name) { Int(snd_pcm_hw_params(handle, parameters)) }
        guard rate > 0, buffer > 0 else {
            throw ALSAError(
                call: "snd_pcm_hw_params", pcm: name, underlyingError: .invalidArgument,
                message: "the device has a rate of \(rate) Hz and a buffer of \(buffer) frames")
        }
        sampleRate = Int(rate)
        self.channels = Int(channels)
        self.periodFrames = Int(clamping: period)
        self.bufferFrames = Int(clamping: buffer)
    }
}
