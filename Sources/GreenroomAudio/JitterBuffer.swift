import GreenroomMedia

/// The audio of a source that is not played yet: up to 200 ms, with each sample at its position on
/// the session's timeline.
///
/// Positions are counted in frames of 48 kHz from the session's start.
package struct JitterBuffer: Sendable {
    /// The results of the appended frames, and of the pulled time.
    ///
    /// `appended` = `played` + `beforeStart` + `cut` + queued frames; the pulled time = `played` +
    /// `concealed` + `idle` + `muted`.
    package struct Counts: Equatable, Sendable {
        /// Frames appended.
        package var appended = 0
        /// Frames of the source that were played.
        package var played = 0
        /// Frames before the start of the session.
        package var beforeStart = 0
        /// Frames dropped because the track was muted or the buffer was full.
        package var cut = 0
        /// Frames of silence that replace missing audio of a sending source. The silence begins
        /// with a fade of the audio before it.
        package var concealed = 0
        /// Frames of silence before a source's first audio, and after its end.
        package var idle = 0
        /// Idle frames that the source owed, because it had not started or was lost.
        package var missing = 0
        /// Frames of silence while the source was stopped or paused.
        package var muted = 0
    }

    /// The queue that the plugin interface guarantees, and room for the frames that resampling adds
    /// to two blocks.
    package static let capacity =
        AudioFormat.session.sampleRate * AudioFormat.queueMilliseconds / 1000
        + 2 * Resampler.frameLimit(from: 4800, at: 48_000, to: 48_000) - 2 * 4800
    /// The length of the fade at muted or missing audio, in frames: 5 ms.
    static let fade: Int64 = 240
    /// The most frames trimmed from the beginning of audio that began too early: 100 ms. Older
    /// audio has another delay, and does not belong to the same time.
    private static let mostTrimmed: Int64 = 4800

    private var ring = SampleRing(capacity: capacity)
    /// The next position to pull.
    package private(set) var place: Int64 = 0
    /// The number of frames of silence before the first queued frame.
    private var lead: Int64 = 0
    /// Whether the leading silence is a loss, which it is not before a source's first audio.
    private var isLeadLost = false
    /// A silence within the ring: the number of the ring's frames before it, and its length.
    private var gap: (after: Int, frames: Int64, isLost: Bool)?
    /// The number of appended frames to drop, because they belong before the next position.
    private var excess: Int64 = 0
    /// The number of frames to drop after the excess, because there is more audio than time.
    package private(set) var surplus: Int64 = 0
    /// Whether the next appended audio follows the previous audio.
    package private(set) var isContinuous = false
    /// Whether the source should be sending.
    package private(set) var isSending = false
    /// Whether the source has started and not stopped. From then on, silence is a loss.
    package private(set) var hasBegun = false
    /// The muted time, which ends when the source restarts.
    private var muted: Range<Int64>?
    /// The end of the audio that ``clear()`` has silenced.
    private var silenced: Int64 = .min
    /// Whether the next audio is the first after a muted time, and the position of that audio.
    private var isResuming = false
    private var resumed: Int64?
    /// Whether the source owes audio: it has not ended normally.
    private var isDue = true
    /// The time for which a paused source owes no audio. Audio sent in that time is played.
    private var paused: Range<Int64>?
    private var concealment = Concealment()
    package private(set) var counts = Counts()

    package init() {}

    /// The number of frames waiting to be pulled.
    package var queued: Int { ring.count }

    /// The number of frames that may be appended.
    package var room: Int { ring.room }

    /// The position of the next appended frame, if it is continuous.
    package var end: Int64 { place + lead + Int64(ring.count) + (gap?.frames ?? 0) }

    /// The number of frames until the last audio has been pulled, unless it was cleared.
    package var unheard: Int64 { ring.count > 0 && end > silenced ? end - place : 0 }

    /// Silences the queued audio within 5 ms. The silence keeps its length, so that audio after it is on
    /// time.
    ///
    /// - Returns: The number of frames that were silenced.
    package mutating func clear() -> Int64 {
        let cleared = unheard
        ring.silence(fading: Int(Self.fade))
        silenced = end
        return cleared
    }

    // MARK: Lifecycle of the source

    /// Records that the source sends from a position on.
    package mutating func start(at place: Int64) {
        isSending = true
        isDue = true
        guard let muted else { return }
        cut(from: min(muted.lowerBound + Self.fade, max(place, muted.lowerBound)))
        self.muted = muted.lowerBound..<max(place, muted.lowerBound)
        isResuming = true
        resumed = nil
        hasBegun = false
        isContinuous = false
        concealment = Concealment()
    }

    /// Records that the source was stopped, and may be restarted. Audio before the position is
    /// played. Audio after it fades to silence within 5 ms.
    package mutating func stop(at place: Int64) {
        isContinuous = false
        guard isSending else { return }
        isSending = false
        muted = max(place, self.place)..<Int64.max
    }

    /// Records that the source owes no audio from a position on. Audio sent after that is still
    /// played.
    package mutating func pause(at place: Int64) {
        // If the previous pause is not over, the source owes no audio between both pauses.
        let first = paused.map { $0.upperBound > self.place ? $0.lowerBound : place } ?? place
        paused = min(first, place)..<Int64.max
    }

    /// Records that the source owes audio again from a position on.
    package mutating func resume(at place: Int64) {
        guard let paused else { return }
        self.paused = paused.lowerBound..<max(place, paused.lowerBound)
    }

    /// Records that the source has ended. All queued audio is played, and silence is not a loss.
    package mutating func finish() {
        isSending = false
        isContinuous = false
        hasBegun = false
        if let muted, muted.upperBound == .max {
            self.muted = nil
            // A command muted the source, which owes no audio until it restarts.
            isDue = false
        }
    }

    /// Records that the source has ended normally, and owes no further audio.
    package mutating func rest() { isDue = false }

    /// Moves the origin of positions when the session begins. Audio from before the start is
    /// dropped, and audio sent ahead stays. The caller must not have pulled audio yet.
    ///
    /// - Parameter frames: The number of frames to add to each position.
    package mutating func move(by frames: Int64) {
        if let paused {
            let last = paused.upperBound
            self.paused = paused.lowerBound + frames..<(last == .max ? last : last + frames)
        }
        if silenced != .min { silenced += frames }
        let first = lead + frames
        let early = Int(min(max(-first, 0), Int64(ring.count)))
        counts.beforeStart += early
        ring.removeFirst(early)
        lead = max(first, 0)
        guard first + Int64(early) < 0 else { return }
        // All audio was before the start.
        isContinuous = false
        hasBegun = false
    }

    // MARK: Input

    /// Sets the position of the next sample, if it does not follow other samples.
    ///
    /// If audio begins up to 100 ms before the session or before the end of a muted time, its early
    /// part is trimmed. Audio that arrives too late is played at the next free position.
    ///
    /// - Parameter wanted: The sample's position.
    package mutating func begin(at wanted: Int64) {
        var start = wanted
        (excess, surplus) = (0, 0)
        if isResuming {
            trim(&start, to: muted?.upperBound ?? 0)
            resumed = max(start, end)
            isResuming = false
        } else if !hasBegun {
            trim(&start, to: 0)
        }
        let silence = max(start - end, 0)
        if ring.count == 0 {
            lead += silence
            isLeadLost = hasBegun
        } else if silence > 0, gap == nil {
            // Two silences within 200 ms would become one. Users do not mute so fast.
            gap = (ring.count, silence, hasBegun)
        }
        hasBegun = true
        isContinuous = true
    }

    /// Marks the next appended audio as discontinuous.
    package mutating func breakOff() { isContinuous = false }

    /// Skips the next frames, to remove excess audio.
    package mutating func skip(_ frames: Int64) { surplus += max(frames, 0) }

    private mutating func trim(_ start: inout Int64, to first: Int64) {
        let before = first - start
        guard before > 0, before <= Self.mostTrimmed else { return }
        excess = before
        start = first
    }

    /// Appends frames. The caller must check that there is room.
    package mutating func append(_ interleaved: Span<Int16>, channels: Int) {
        let frames = interleaved.count / channels
        let early = Int(min(excess, Int64(frames)))
        excess -= Int64(early)
        let skipped = Int(min(surplus, Int64(frames - early)))
        surplus -= Int64(skipped)
        let taken = ring.append(
            interleaved.extracting(((early + skipped) * channels)...), channels: channels)
        counts.appended += frames
        if muted == nil { counts.beforeStart += early } else { counts.cut += early }
        counts.cut += frames - early - taken
    }

    /// Counts frames that no longer have a position.
    package mutating func countCut(_ frames: Int) {
        counts.appended += frames
        counts.cut += frames
    }

    // MARK: Output

    /// Pulls a stretch of time. Missing audio becomes silence.
    ///
    /// - Parameters:
    ///   - frames: The length of the stretch, in frames.
    ///   - output: Memory for at least that many stereo frames. Every frame is written.
    /// - Returns: The number of frames that the source had sent.
    @discardableResult
    package mutating func pull(_ frames: Int, into output: inout MutableSpan<Int16>) -> Int {
        let playedBefore = counts.played
        var done = 0
        while done < frames {
            if !isSending, let muted, place >= muted.lowerBound + Self.fade { cut(from: place) }
            if lead == 0, let silence = gap, silence.after == 0 {
                lead = silence.frames
                isLeadLost = silence.isLost
                gap = nil
            }
            let most = min(frames - done, untilMuted)
            let count: Int
            if lead > 0 {
                count = Int(min(lead, Int64(most)))
                lead -= Int64(count)
                silence(&output, at: done, count, isLost: isLeadLost)
            } else {
                let wanted = min(most, gap?.after ?? most)
                count = ring.take(into: &output, at: done, frames: wanted)
                guard count > 0 else { break }
                gap?.after -= count
                fade(&output, at: done, count)
                concealment.play(&output, at: done, count)
                counts.played += count
            }
            done += count
            place += Int64(count)
        }
        if done < frames {
            // The source is late, so its next audio belongs to a later time.
            isContinuous = false
            silence(&output, at: done, frames - done, isLost: isSending && hasBegun)
            place += Int64(frames - done)
        }
        if let resumed, place >= resumed + Self.fade { (muted, self.resumed) = (nil, nil) }
        return counts.played - playedBefore
    }

    /// The number of frames until the mute's fade is complete.
    private var untilMuted: Int {
        guard let muted, muted.lowerBound + Self.fade > place else { return .max }
        return Int(muted.lowerBound + Self.fade - place)
    }

    /// Removes the queued audio from a position on.
    private mutating func cut(from first: Int64) {
        var kept = max(first - place - lead, 0)
        if let gap, kept > gap.after {
            kept = Int64(gap.after) + max(kept - Int64(gap.after) - gap.frames, 0)
        }
        kept = min(kept, Int64(ring.count))
        counts.cut += ring.count - Int(kept)
        ring.truncate(to: Int(kept))
        lead = min(lead, max(first - place, 0))
        if let gap, gap.after >= kept { self.gap = nil }
    }

    private mutating func silence(
        _ output: inout MutableSpan<Int16>, at offset: Int, _ frames: Int, isLost: Bool
    ) {
        for index in (offset * 2)..<((offset + frames) * 2) { output[index] = 0 }
        let silent = place..<(place + Int64(frames))
        let muted = muted.map { $0.clamped(to: silent) } ?? silent.lowerBound..<silent.lowerBound
        var excused = muted.count
        if let paused = paused?.clamped(to: silent) {
            excused += paused.count - paused.clamped(to: muted).count
        }
        counts.muted += excused
        // Muted audio comes after all missing audio, or before it.
        if isLost, muted.isEmpty {
            concealment.conceal(&output, at: offset, frames)
        } else {
            concealment.remember(output, at: offset, frames)
        }
        if isLost {
            counts.concealed += frames - excused
        } else {
            counts.idle += frames - excused
            if isDue { counts.missing += frames - excused }
        }
    }

    /// Fades out pulled audio where it is muted, and fades in the audio after that.
    private func fade(_ output: inout MutableSpan<Int16>, at offset: Int, _ frames: Int) {
        guard let muted else { return }
        for frame in 0..<frames {
            let place = place + Int64(frame)
            var part = Self.fade
            if let resumed, place >= resumed {
                part = min(part, place - resumed)
            } else if place >= muted.lowerBound {
                part = max(muted.lowerBound + Self.fade - place, 0)
            }
            guard part < Self.fade else { continue }
            for index in ((offset + frame) * 2)...((offset + frame) * 2 + 1) {
                output[index] = Int16(Int64(output[index]) * part / Self.fade)
            }
        }
    }
}
