/// The amount of real audio in a track. Each frame of 48 kHz that reached the outputs is of one
/// kind.
package struct AudioAccount: Equatable, Sendable {
    /// Frames that the source had sent.
    package var real = 0
    /// Frames that replace late or missing audio.
    package var concealed = 0
    /// Frames of silence while the source owed audio: before its first audio, or while it was lost.
    package var missing = 0
    /// Frames of silence while the source owed no audio: it was stopped or paused, or had ended.
    package var stopped = 0

    package init() {}

    init(_ counts: JitterBuffer.Counts) {
        real = counts.played
        concealed = counts.concealed
        missing = counts.missing
        stopped = counts.muted + counts.idle - counts.missing
    }

    /// The number of frames that reached the outputs.
    package var total: Int { real + concealed + missing + stopped }

    /// Frames that the source owed.
    package var due: Int { total - stopped }

    /// The part of due frames that was real; nil if no frame was due.
    package var realPart: Double? { due > 0 ? Double(real) / Double(due) : nil }

    /// Returns the difference from an earlier account of the same track.
    package func since(_ earlier: AudioAccount) -> AudioAccount {
        var change = AudioAccount()
        change.real = real - earlier.real
        change.concealed = concealed - earlier.concealed
        change.missing = missing - earlier.missing
        change.stopped = stopped - earlier.stopped
        return change
    }
}

extension JitterBuffer.Counts {
    /// The amount of real audio in the pulled frames.
    package var account: AudioAccount { AudioAccount(self) }
}
