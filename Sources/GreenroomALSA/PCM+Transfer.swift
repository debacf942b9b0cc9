import CALSA
import Glibc

extension PCM {
    /// Hands over samples to be played; never waits.
    ///
    /// - Parameter samples: Interleaved, of ``channels``.
    /// - Returns: How many frames the device had room for; 0 if it had none.
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

    /// Takes what was captured; never waits.
    ///
    /// - Parameter samples: Gets interleaved samples of ``channels``, from its beginning on.
    /// - Returns: How many frames there were; 0 if there were none.
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

    /// Waits until the device can take or give a period, and not longer than a time.
    ///
    /// - Returns: Whether it can.
    public mutating func wait(milliseconds: Int) throws(ALSAError) -> Bool {
        let handle = handle
        return try attempt("snd_pcm_wait", on: name) {
            Int(snd_pcm_wait(handle, Int32(clamping: max(milliseconds, 0))))
        } > 0
    }

    /// Frames between what is written next and the loudspeaker, or between the microphone and
    /// what is read next.
    public var delayFrames: Int {
        mutating get throws(ALSAError) {
            let handle = handle
            var delay: snd_pcm_sframes_t = 0
            try attempt("snd_pcm_delay", on: name) { Int(snd_pcm_delay(handle, &delay)) }
            return delay
        }
    }

    /// Frames that can be written, or read, at once.
    public var availableFrames: Int {
        mutating get throws(ALSAError) {
            let handle = handle
            return try attempt("snd_pcm_avail", on: name) { snd_pcm_avail(handle) }
        }
    }
}

/// A transfer that finds no room, or nothing, has moved 0 frames.
private func transfer(
    _ call: StaticString, on pcm: String, _ body: () -> Int
) throws(ALSAError) -> Int {
    do throws(ALSAError) {
        return try attempt(call, on: pcm, body)
    } catch {
        guard error.code == EAGAIN else { throw error }
        return 0
    }
}
