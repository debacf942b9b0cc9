import GreenroomMedia

/// The audio of a source that is not played yet: up to 200 ms, each sample at its position on the
/// session's timeline.
///
/// Positions are counted in frames of 48 kHz from the session's start.
package struct JitterBuffer: Sendable {
    /// What became of the frames that were appended, and of the time that was pulled.
    ///
    /// `appended` = `played` + `early` + `cut` + what is queued; the time that was pulled =
    /// `played` + `concealed` + `idle` + `muted`.
    package struct Counts: Equatable, Sendable {
        /// Frames appended.
        package var appended = 0
        /// Frames of the source that were played.
        package var played = 0
        /// Frames before the start of the session.
        package var beforeStart = 0
        /// Frames that were not played: they belong to a time that was muted, or there was no
        /// room.
        package var cut = 0
        /// Frames that stand for audio of a source that was sending and had nothing there: silence,
        /// which begins with a fade of the audio before it.
        package var concealed = 0
        /// Frames of silence before a source's first audio, and after its end.
        package var idle = 0
        /// Of the idle frames, those that the source owed: it had not begun, or was lost.
        package var missing = 0
        /// Frames of silence while the source was stopped or paused.
        package var muted = 0
    }

    /// What the interface promises, and room for what resampling adds to two blocks.
    package static let capacity =
        AudioFormat.session.sampleRate * AudioFormat.queueMilliseconds / 1000
        + 2 * Resampler.frameLimit(from: 4800, at: 48_000, to: 48_000) - 2 * 4800
    /// How long audio fades where it is muted or missing, in frames: 5 ms.
    static let fade: Int64 = 240
    /// The most that is taken off the beginning of audio that began too early, in frames:
    /// 100 ms. What is older has another delay, and is not about the same time.
    private static let mostTrimmed: Int64 = 4800

    private var ring = SampleRing(capacity: capacity)
    /// The place that is pulled next.
    package private(set) var place: Int64 = 0
    /// Frames of silence before the first that is queued.
    private var lead: Int64 = 0
    /// Whether the silence that leads is a loss: it is not before a source's first audio.
    private var isLeadLost = false
    /// A silence within the ring: behind so many of its frames there are so many of silence.
    private var gap: (after: Int, frames: Int64, isLost: Bool)?
    /// Frames to leave out of what is appended next, because they belong before it.
    private var excess: Int64 = 0
    /// Frames to leave out after these, because there is more audio than time.
    package private(set) var surplus: Int64 = 0
    /// Whether what is appended next follows what was appended before.
    package private(set) var isContinuous = false
    /// Whether the source should be sending.
    package private(set) var isSending = false
    /// Whether the source has begun and not stopped: silence is a loss from there on.
    package private(set) var hasBegun = false
    /// The time that is muted; it ends when the source is started again.
    private var muted: Range<Int64>?
    /// Whether the next audio is the first after it was muted, and where that began.
    private var isResuming = false
    private var resumed: Int64?
    /// Whether the source owes audio: it has not ended in order.
    private var isDue = true
    /// The time for which the source owes no audio because it is paused. What it sends is played.
    private var paused: Range<Int64>?
    private var concealment = Concealment()
    package private(set) var counts = Counts()

    package init() {}

    /// Frames that wait to be pulled.
    package var queued: Int { ring.count }

    /// Frames that may be appended.
    package var room: Int { ring.room }

    /// The position of the next appended frame, if it is continuous.
    package var end: Int64 { place + lead + Int64(ring.count) + (gap?.frames ?? 0) }

    // MARK: Lifecycle of the source

    /// The source sends from a position on.
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

    /// The source was stopped, and may be started again. Audio before the position is played; audio
    /// after it fades to silence within 5 ms.
    package mutating func stop(at place: Int64) {
        isContinuous = false
        guard isSending else { return }
        isSending = false
        muted = max(place, self.place)..<Int64.max
    }

    /// The source owes no audio from a position on; what it sends all the same is played.
    package mutating func pause(at place: Int64) {
        // Of two pauses so close that the first is not over yet, nothing between them is owed.
        let first = paused.map { $0.upperBound > self.place ? $0.lowerBound : place } ?? place
        paused = min(first, place)..<Int64.max
    }

    /// The source owes audio again from a position on.
    package mutating func resume(at place: Int64) {
        guard let paused else { return }
        self.paused = paused.lowerBound..<max(place, paused.lowerBound)
    }

    /// The source has ended: everything queued is played, and silence is no loss.
    package mutating func finish() {
        isSending = false
        isContinuous = false
        hasBegun = false
        if let muted, muted.upperBound == .max {
            self.muted = nil
            // It was muted by command, and owes nothing until it is started again.
            isDue = false
        }
    }

    /// The source has come to its end in order: it owes no more audio.
    package mutating func rest() { isDue = false }

    /// Counts places from another one from now on, since the session has begun: what belongs
    /// before it goes, and what was sent ahead stays. Nothing has been pulled yet.
    ///
    /// - Parameter frames: What a place is more than before.
    package mutating func move(by frames: Int64) {
        if let paused {
            let last = paused.upperBound
            self.paused = paused.lowerBound + frames..<(last == .max ? last : last + frames)
        }
        let first = lead + frames
        let early = Int(min(max(-first, 0), Int64(ring.count)))
        counts.beforeStart += early
        ring.removeFirst(early)
        lead = max(first, 0)
        guard first + Int64(early) < 0 else { return }
        // All of it was before the start.
        isContinuous = false
        hasBegun = false
    }

    // MARK: Input

    /// Says where the next sample belongs, when it follows no other.
    ///
    /// Audio that begins up to 100 ms before the session or before it was unmuted loses that
    /// much; what comes later than it belongs is played at the next place that is left.
    ///
    /// - Parameter wanted: Its place.
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
            // Two of them within 200 ms would be one; users do not mute so fast.
            gap = (ring.count, silence, hasBegun)
        }
        hasBegun = true
        isContinuous = true
    }

    /// Marks the next appended audio as discontinuous.
    package mutating func breakOff() { isContinuous = false }

    /// Leaves out the next frames: there is so much more audio than time.
    package mutating func skip(_ frames: Int64) { surplus += max(frames, 0) }

    private mutating func trim(_ start: inout Int64, to first: Int64) {
        let before = first - start
        guard before > 0, before <= Self.mostTrimmed else { return }
        excess = before
        start = first
    }

    /// Appends frames; the caller has made sure that there is room.
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

    /// Counts frames that have no place any more.
    package mutating func countCut(_ frames: Int) {
        counts.appended += frames
        counts.cut += frames
    }

    // MARK: Output

    /// Takes a stretch of time off the front; what is not there is silence.
    ///
    /// - Parameters:
    ///   - frames: How much.
    ///   - output: Room for that many stereo frames or more; they are all written.
    package mutating func pull(_ frames: Int, into output: inout MutableSpan<Int16>) {
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
            // A source that is late: what it sends next belongs to a later moment.
            isContinuous = false
            silence(&output, at: done, frames - done, isLost: isSending && hasBegun)
            place += Int64(frames - done)
        }
        if let resumed, place >= resumed + Self.fade { (muted, self.resumed) = (nil, nil) }
    }

    /// Frames up to the place where it has fallen silent.
    private var untilMuted: Int {
        guard let muted, muted.lowerBound + Self.fade > place else { return .max }
        return Int(muted.lowerBound + Self.fade - place)
    }

    /// Takes out what is queued for a place and after it.
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
        // What is muted comes after what is missing, or before it all.
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

    /// Lets audio that was taken out fall where it is muted, and rise after that.
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
