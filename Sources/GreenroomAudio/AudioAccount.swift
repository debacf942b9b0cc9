/// How much of a track's audio was real: each frame of 48 kHz that went to the outputs is of one
/// kind.
package struct AudioAccount: Equatable, Sendable {
    /// Frames that the source had sent.
    package var real = 0
    /// Frames that stand for audio that was late or missing.
    package var concealed = 0
    /// Frames of silence while the source owed audio and had sent none yet, or was lost.
    package var missing = 0
    /// Frames of silence that was not owed: the source was stopped or paused, or had come to its
    /// end.
    package var stopped = 0

    package init() {}

    init(_ counts: JitterBuffer.Counts) {
        real = counts.played
        concealed = counts.concealed
        missing = counts.missing
        stopped = counts.muted + counts.idle - counts.missing
    }

    /// All together: what went to the outputs.
    package var total: Int { real + concealed + missing + stopped }

    /// Frames that the source owed.
    package var due: Int { total - stopped }

    /// The part of what was due that was real; nil if nothing was due.
    package var realPart: Double? { due > 0 ? Double(real) / Double(due) : nil }

    /// What has happened since an earlier moment of the same track.
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
    /// How much of what was pulled was real.
    package var account: AudioAccount { AudioAccount(self) }
}
