/// The amount of real audio in a track. Each frame of 48 kHz that reached the outputs is of one
/// kind.
package struct AudioAccount: Equatable, Sendable {
    /// Frames that the source had sent, and that every filter edited.
    package var real = 0
    /// Frames that the source had sent, and that a filter did not edit.
    package var unedited = 0
    /// Frames that replace late or missing audio.
    package var concealed = 0
    /// Frames of silence while the source owed audio: before its first audio, or while it was lost.
    package var missing = 0
    /// Frames of silence while the source owed no audio: it was stopped or paused, or had ended.
    package var stopped = 0

    package init() {}

    /// - Parameters:
    ///   - counts: The frames that left the source.
    ///   - filters: The results of the track's filters; nil without filters.
    package init(_ counts: JitterBuffer.Counts, filters: AudioFilterChain.Counts?) {
        // The filters' counts are read at another time than the source's.
        unedited = min(filters?.uneditedFrames ?? 0, counts.played)
        real = counts.played - unedited
        concealed = counts.concealed
        missing = counts.missing
        stopped = counts.muted + counts.idle - counts.missing
    }

    /// The number of frames that reached the outputs.
    package var total: Int { real + unedited + concealed + missing + stopped }

    /// Frames that the source owed.
    package var due: Int { total - stopped }

    /// The part of due frames that was real; nil if no frame was due.
    package var realPart: Double? { due > 0 ? Double(real) / Double(due) : nil }

    /// Returns the difference from an earlier account of the same track.
    package func since(_ earlier: AudioAccount) -> AudioAccount {
        var change = AudioAccount()
        change.real = real - earlier.real
        change.unedited = unedited - earlier.unedited
        change.concealed = concealed - earlier.concealed
        change.missing = missing - earlier.missing
        change.stopped = stopped - earlier.stopped
        return change
    }
}
