import CALSA
import Glibc
import SystemPackage

extension PCM {
    /// Time limit for a device to resume after a suspend, in milliseconds.
    private static let resumeMilliseconds = 1000

    /// Makes the device ready to start, with an empty buffer.
    public mutating func prepare() throws(ALSAError) {
        let handle = handle
        try attempt("snd_pcm_prepare", on: name) { Int(snd_pcm_prepare(handle)) }
    }

    /// Starts playback of written samples, or capture.
    public mutating func start() throws(ALSAError) {
        let handle = handle
        try attempt("snd_pcm_start", on: name) { Int(snd_pcm_start(handle)) }
    }

    /// Stops at once; discards samples not played yet.
    public mutating func drop() throws(ALSAError) {
        let handle = handle
        try attempt("snd_pcm_drop", on: name) { Int(snd_pcm_drop(handle)) }
    }

    /// Plays buffered samples, then stops.
    ///
    /// - Parameter milliseconds: The time limit; then playback stops.
    /// - Returns: Whether everything was played.
    @discardableResult
    public mutating func drain(milliseconds: Int) throws(ALSAError) -> Bool {
        let handle = handle
        var waited = 0
        while true {
            do throws(ALSAError) {
                try attempt("snd_pcm_drain", on: name) { Int(snd_pcm_drain(handle)) }
                return true
            } catch {
                guard error.underlyingError == .resourceTemporarilyUnavailable else { throw error }
            }
            // A non-blocking device drains without a call that waits.
            guard snd_pcm_state(handle) == SND_PCM_STATE_DRAINING else { return true }
            guard waited < milliseconds else {
                try drop()
                return false
            }
            usleep(5_000)
            waited += 5
        }
    }

    /// Makes a device ready again after an underrun, an overrun or a suspend. Restart it with
    /// ``start()``.
    ///
    /// - Throws: The error itself if it is of another kind, or why the device can't recover.
    public mutating func recover(from error: ALSAError) throws(ALSAError) {
        switch error.underlyingError.rawValue {
        case EPIPE: try prepare()
        case ESTRPIPE:
            let handle = handle
            var waited = 0
            while snd_pcm_resume(handle) == -EAGAIN, waited < Self.resumeMilliseconds {
                usleep(10_000)
                waited += 10
            }
            // The buffered samples are from before the suspend.
            if snd_pcm_state(handle) != SND_PCM_STATE_SUSPENDED { try drop() }
            try prepare()
        default: throw error
        }
    }
}
