import GreenroomDecisions
import GreenroomAudio
import GreenroomLifecycle

extension SessionReport {
    /// Blocks of 10 ms that passed through audio filters.
    public struct AudioFilters: Codable, Sendable {
        /// Blocks that every filter edited.
        public var edited: Int
        /// Edits that a filter refused. The block continued unedited, or silent.
        public var refused: Int
        /// Edits that missed the deadline.
        public var overdue: Int
        /// Edits by filters that were not running.
        public var lost: Int
        /// Silent blocks, which a required filter did not edit.
        public var silenced: Int
    }

    /// The audio of a source.
    public struct Audio: Codable, Sendable {
        /// The source's role, or the name of a participant's track.
        public var role: String
        /// The amount of real audio, in frames of 48 kHz.
        public var account: RealAccount
        /// Blocks sent.
        public var sent: Int
        /// Blocks queued.
        public var accepted: Int
        /// Blocks refused, by status.
        public var refused: Refusals
        /// Blocks that were resampled.
        public var resampled: Int
        /// Bytes copied from the plugin's memory.
        public var bytesCopied: Int
        /// The results of the audio filters; absent without filters.
        public var filters: AudioFilters?
        /// Frames of 48 kHz in the queued blocks.
        public var frames: Int
        /// Frames of 48 kHz that were played.
        public var played: Int
        /// Frames of 48 kHz before the start of the recording.
        public var beforeStart: Int
        /// Frames of 48 kHz dropped because the track was muted or the buffer was full.
        public var cut: Int
        /// Frames of 48 kHz that are not played yet; at the end, frames that were never played.
        public var queued: Int
        /// Frames of silence for audio that was late or missing, with a fade at its beginning.
        public var concealed: Int
        /// Frames of silence while no audio was expected.
        public var idle: Int
        /// Frames of silence while the source was stopped: muted, or paused.
        public var muted: Int
        /// The excess of audio over time in the worst two seconds with refused blocks, in per cent.
        public var overfedPercent: Double?
        /// The shortage of audio in the worst two seconds, in per cent.
        public var underfedPercent: Double?
        /// The excess speed of the samples' clock over the session's clock, in ppm; absent without
        /// drift.
        public var driftPPM: Double?
        /// Anomalies of the blocks' timestamps.
        public var stamps: Stamps
        /// The loudest sample, in decibels of full scale; absent for silence.
        public var peakDBFS: Double?
        /// Samples at full scale, in runs of at least three.
        public var clippedSamples: Int
        /// The mean of all samples, as a fraction of full scale.
        public var dcOffset: Double
    }
}

extension SessionReport.Audio {
    init(role: String, ingest: AudioIngest, filters counts: AudioFilterChain.Counts?) {
        let filterCounts = counts
        filters = counts.map { SessionReport.AudioFilters($0) }
        let statistics = ingest.statistics
        let (counts, queue) = (statistics.counts, statistics.queue)
        self.role = role
        account = SessionReport.RealAccount(AudioAccount(queue, filters: filterCounts))
        sent = counts.sent
        accepted = counts.accepted
        refused = SessionReport.Refusals(counts.refused.refusals)
        resampled = counts.resampled
        bytesCopied = counts.bytesCopied
        frames = queue.appended
        played = queue.played
        beforeStart = queue.beforeStart
        cut = queue.cut
        queued = statistics.queued
        concealed = queue.concealed
        idle = queue.idle
        muted = queue.muted
        let (excess, shortage) = (statistics.pacing.excess, statistics.pacing.shortage)
        overfedPercent = excess > 0 ? roundedToTenth(excess * 100) : nil
        underfedPercent = shortage > 0 ? roundedToTenth(shortage * 100) : nil
        driftPPM = statistics.driftPPM.map(roundedToTenth)
        stamps = SessionReport.Stamps(statistics.stamps)
        peakDBFS = statistics.level.peakDBFS.map(roundedToTenth)
        clippedSamples = statistics.level.clipped
        dcOffset = (statistics.level.dcOffset * 1e6).rounded() / 1e6
    }
}

extension SessionReport.AudioFilters {
    fileprivate init(_ counts: AudioFilterChain.Counts) {
        (edited, refused, overdue) = (counts.edited, counts.refused, counts.overdue)
        (lost, silenced) = (counts.lost, counts.silenced)
    }

    /// Edits that failed.
    var unedited: Int { refused + overdue + lost }
}
