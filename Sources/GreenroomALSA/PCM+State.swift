import CALSA
import Glibc

extension PCM {
    /// How long a device may take to come back from a suspend, in milliseconds.
    private static let resumeMilliseconds = 1000

    /// Makes the device ready to start, with an empty buffer.
    public mutating func prepare() throws(ALSAError) {
        let handle = handle
        try attempt("snd_pcm_prepare", on: name) { Int(snd_pcm_prepare(handle)) }
    }

    /// Starts to play what was written, or to capture.
    public mutating func start() throws(ALSAError) {
        let handle = handle
        try attempt("snd_pcm_start", on: name) { Int(snd_pcm_start(handle)) }
    }

    /// Stops at once; what has not been played is lost.
    public mutating func drop() throws(ALSAError) {
        let handle = handle
        try attempt("snd_pcm_drop", on: name) { Int(snd_pcm_drop(handle)) }
    }

    /// Lets a device play what it has, then stops it.
    ///
    /// - Parameter milliseconds: How long that may take; then it is stopped.
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
                guard error.code == EAGAIN else { throw error }
            }
            // A device that does not block has begun to drain, and has no call that waits.
            guard snd_pcm_state(handle) == SND_PCM_STATE_DRAINING else { return true }
            guard waited < milliseconds else {
                try drop()
                return false
            }
            usleep(5_000)
            waited += 5
        }
    }

    /// Makes a device ready again after an error that is no more than an accident: the buffer
    /// ran empty or over, or the machine was suspended. Sound begins again with ``start()``.
    ///
    /// - Throws: The error itself if it is of another kind, or why the device can't go on.
    public mutating func recover(from error: ALSAError) throws(ALSAError) {
        switch error.code {
        case EPIPE: try prepare()
        case ESTRPIPE:
            let handle = handle
            var waited = 0
            while snd_pcm_resume(handle) == -EAGAIN, waited < Self.resumeMilliseconds {
                usleep(10_000)
                waited += 10
            }
            // What was in the buffer belongs to the time before the suspend.
            if snd_pcm_state(handle) != SND_PCM_STATE_SUSPENDED { try drop() }
            try prepare()
        default: throw error
        }
    }
}
