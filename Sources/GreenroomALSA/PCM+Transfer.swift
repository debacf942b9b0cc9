import CALSA
import Glibc
import SystemPackage

extension PCM {
    /// Writes samples to play; never waits.
    ///
    /// - Parameter samples: Interleaved, of ``channels``.
    /// - Returns: Number of frames written; 0 if the buffer is full.
    /// - Throws: `EPIPE` after an underrun, `ESTRPIPE` when the machine was suspended: see
    ///   ``recover(from:)``. `ENODEV` when the card is gone.
    public mutating func write(_ samples: Span<Int16>) throws(ALSAError) -> Int {
        let frames = samples.count / channels
        guard frames > 0 else { return 0 }
        let (handle, name) = (handle, name)
        return try samples.withUnsafeBufferPointer { buffer throws(ALSAError) in
            try transfer("snd_pcm_writei", on: name) {
                snd_pcm_writei(handle, buffer.baseAddress, snd_pcm_uframes_t(frames))
            }
        }
    }

    /// Reads captured samples; never waits.
    ///
    /// - Parameter samples: Receives interleaved samples of ``channels``.
    /// - Returns: Number of frames read; 0 if none are available.
    /// - Throws: `EPIPE` after an overrun, `ESTRPIPE` when the machine was suspended: see
    ///   ``recover(from:)``. `ENODEV` when the card is gone.
    public mutating func read(into samples: inout MutableSpan<Int16>) throws(ALSAError) -> Int {
        let frames = samples.count / channels
        guard frames > 0 else { return 0 }
        let (handle, name) = (handle, name)
        return try samples.withUnsafeMutableBufferPointer { buffer throws(ALSAError) in
            try transfer("snd_pcm_readi", on: name) {
                snd_pcm_readi(handle, buffer.baseAddress, snd_pcm_uframes_t(frames))
            }
        }
    }

    /// Waits until the device can transfer a period, up to a time limit.
    ///
    /// - Returns: Whether it can.
    public mutating func wait(milliseconds: Int) throws(ALSAError) -> Bool {
        let handle = handle
        return try attempt("snd_pcm_wait", on: name) {
            Int(snd_pcm_wait(handle, Int32(clamping: max(milliseconds, 0))))
        } > 0
    }

    /// The delay in frames between the next written frame and the speaker, or between the
    /// microphone and the next read frame.
    public var delayFrames: Int {
        mutating get throws(ALSAError) {
            let handle = handle
            var delay: snd_pcm_sframes_t = 0
            try attempt("snd_pcm_delay", on: name) { Int(snd_pcm_delay(handle, &delay)) }
            return delay
        }
    }

    /// Frames that can be written or read now.
    public var availableFrames: Int {
        mutating get throws(ALSAError) {
            let handle = handle
            return try attempt("snd_pcm_avail", on: name) { snd_pcm_avail(handle) }
        }
    }
}

/// A transfer without room or data moves 0 frames.
private func transfer(
    _ call: StaticString, on pcm: String, _ body: () -> Int
) throws(ALSAError) -> Int {
    do throws(ALSAError) {
        return try attempt(call, on: pcm, body)
    } catch {
        guard error.underlyingError == .resourceTemporarilyUnavailable else { throw error }
        return 0
    }
}
