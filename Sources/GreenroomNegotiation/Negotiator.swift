package import GreenroomMedia

/// The negotiation with one video source: its ceilings, offers and answers, and the time of the
/// next offer.
///
/// Down fast: a lower offer is due at once, and the track is reduced before the source follows. Up
/// slowly: a higher offer is due after the ceilings have allowed it for ``riseNanoseconds`` without
/// a change. One step in flight: no offer is due until the last one is answered. Last wins: all
/// changes meanwhile make one offer, or none if they cancel out.
///
/// A negotiator has no clock: times are arguments, in nanoseconds of session time, and never
/// decrease.
package struct Negotiator: Sendable {
    /// The time for which the ceilings must allow more before a higher offer, in nanoseconds.
    static let riseNanoseconds = Limits.riseDelayNanoseconds
    /// The most stored records: the first record and the latest ones.
    static let recordLimit = 100

    /// The current inputs; see ``held`` for ceilings that still apply.
    private var inputs: NegotiationInputs { didSet { isSettled = false } }
    /// Ceilings that were removed or raised, and still apply until the other ceilings stop
    /// changing. At most one of each kind.
    private var held: [Ceiling] = [] { didSet { isSettled = false } }
    /// The offers so far, oldest first; see ``recordsLeftOut``.
    package private(set) var records: [NegotiationRecord] = []
    /// Number of dropped records, after the first one, to limit memory.
    package private(set) var recordsLeftOut = 0
    /// The last offer.
    package private(set) var offer: Offer? { didSet { isSettled = false } }
    /// The current agreement; nil before the first answer.
    package private(set) var agreement: Agreement? { didSet { isSettled = false } }

    /// Whether no offer was due and the inputs of the decision are unchanged. Sessions ask several times per
    /// second.
    private var isSettled = false
    /// The outputs' wants behind the two current ceilings; nil at first.
    var demands: [OutputDemand]?
    /// Whether the last offer is unanswered.
    private var isInFlight = false
    /// The time of the last change of the ceilings.
    private var changed: Int64 = 0

    /// Starts a negotiation; the first offer is due at once.
    ///
    /// - Parameters:
    /// - rule: The source's rule for reading offers.
    ///   - table: The sizes for cameras.
    ///   - maximum: The session's maximum.
    /// - capabilities: The source's declared capabilities; empty if none are declared.
    package init(
        rule: OfferRule, table: CapabilityTable, maximum: VideoCapability,
        capabilities: [VideoCapability] = []
    ) {
        inputs = NegotiationInputs(
            rule: rule, table: table, capabilities: capabilities,
            ceilings: [.sessionMaximum(maximum)])
    }

    /// Starts a negotiation about a participant's track with the call.
    ///
    /// - Parameters:
    /// - opened: The capability with which the track was opened.
    /// - origin: The opener of the track, as text.
    ///   - now: Nanoseconds of session time.
    package init(upTo opened: VideoCapability, by origin: String, at now: Int64) {
        inputs = NegotiationInputs(
            rule: .upTo, table: CapabilityTable([]), capabilities: [opened],
            ceilings: [Ceiling(kind: .sessionMaximum, origin: origin, limit: opened, since: now)])
    }

    /// The agreed format; nil before the first answer.
    package var source: VideoCapability? { agreement?.source }

    /// The track's current capability; nil before the first answer.
    ///
    /// The track never exceeds a ceiling. If the source does, the host adapts.
    package var track: VideoCapability? {
        agreement.map { $0.source.reduced(toFit: ceilings.lowest) }
    }

    /// The track's capability while outputs want all of it; nil before the first answer.
    ///
    /// If outputs want more later, the source receives a higher offer.
    package var whole: VideoCapability? {
        guard let agreement, let offer else { return nil }
        var inputs = effectiveInputs
        inputs.ceilings.removeAll { $0.kind == .wants || $0.kind == .outputs }
        // Without these ceilings, the source would receive a higher offer.
        let more = inputs.offer(revision: 1, after: nil).suggested
        var whole = agreement.source
        switch agreement.answer {
        case .accept:
            whole = more
        case .counter(let row):
            let isSuggested = row.size == offer.suggested.size
            if isSuggested {
                whole.size = more.size
            } else if offer.rule == .upTo, row.size.isAsWideOrHigh(as: offer.suggested.size) {
                whole.size = row.size.enlarged(toFill: more.size)
            }
            // Other rows keep their own rate.
            if isSuggested || offer.rule == .upTo, row.rate == offer.suggested.rate {
                whole.rate = more.rate
            }
        case .fixed:
            break
        }
        return whole.reduced(toFit: inputs.ceilings.lowest)
    }

    /// All ceilings, including those held until a rise.
    package var ceilings: [Ceiling] { inputs.ceilings + held }

    // MARK: Ceilings

    /// Replaces the ceiling of a kind. An equal ceiling changes nothing.
    ///
    /// - Parameters:
    /// - limit: A legal capability; nil removes the ceiling.
    /// - kind: The ceiling's kind. Each kind has one ceiling. The session's maximum cannot be
    ///   changed.
    ///   - origin: The origin as text.
    ///   - now: Nanoseconds of session time.
    package mutating func set(
        _ limit: VideoCapability?, kind: Ceiling.Kind, origin: String, at now: Int64
    ) {
        guard kind != .sessionMaximum else { return }
        let index = inputs.ceilings.firstIndex { $0.kind == kind }
        let old = index.map { inputs.ceilings[$0] }
        guard old?.limit != limit else { return }
        if let index { inputs.ceilings.remove(at: index) }
        if let limit {
            inputs.ceilings.append(Ceiling(kind: kind, origin: origin, limit: limit, since: now))
        }
        changed = now
        // Before the first offer nothing can rise, and of two changes at one time only the last
        // counts.
        if let old, offer != nil, old.since < now { hold(old) }
        held.removeAll { held in
            limit.map { $0.fits(under: held.limit) } ?? false && held.kind == kind
        }
    }

    /// Holds a replaced ceiling, combined with the held one of its kind.
    private mutating func hold(_ old: Ceiling) {
        guard let index = held.firstIndex(where: { $0.kind == old.kind }) else {
            held.append(old)
            return
        }
        let both = held[index].limit.lowered(to: old.limit)
        guard both != held[index].limit else { return }
        held[index] = old
        held[index].limit = both
    }

    /// Sets the outputs' largest want as a ceiling.
    package mutating func set(wants: [VideoSinkWant], at now: Int64) {
        let maximum = inputs.ceilings.first { $0.kind == .sessionMaximum }?.limit ?? .greatest
        let limit = inputs.limit(serving: wants)?.lowered(to: maximum)
        set(
            limit == maximum ? nil : limit, kind: .wants, origin: "outputs' requested formats",
            at: now)
    }

    /// Sets the outputs' largest ceiling as a ceiling.
    mutating func set(outputs demands: [OutputDemand], at now: Int64) {
        let ceiling = inputs.ceiling(of: demands)
        set(ceiling?.limit, kind: .outputs, origin: ceiling?.origin ?? "", at: now)
        // Another output, or another reason, may have the same limit.
        guard let ceiling, let index = inputs.ceilings.firstIndex(where: { $0.kind == .outputs })
        else { return }
        inputs.ceilings[index].origin = ceiling.origin
    }

    // MARK: Offers

    /// Returns the offer to make now. The offer is in flight until ``answered(_:)``.
    ///
    /// - Returns: The offer; nil if none is due.
    package mutating func next(at now: Int64) -> Offer? {
        guard !isInFlight else { return nil }
        if let rise, now >= rise { held = [] }
        guard let due = dueOffer else {
            isSettled = true
            return nil
        }
        offer = due
        isInFlight = true
        record(due, at: now)
        return due
    }

    /// Returns the offer to a restarted source, from all current inputs and regardless of earlier
    /// offers. The offer is then in flight.
    package mutating func renew(at now: Int64) -> Offer {
        let renewed = effectiveInputs.offer(revision: (offer?.revision ?? 0) + 1, after: nil)
        offer = renewed
        isInFlight = true
        record(renewed, at: now)
        return renewed
    }

    /// The earliest time at which ``next(at:)`` may return an offer: a past time if one is due; nil
    /// if only a change of ceilings or an answer can cause one.
    package var wake: Int64? {
        guard !isInFlight else { return nil }
        return dueOffer == nil ? rise : changed
    }

    /// Records the reply to the offer in flight.
    ///
    /// - Parameter reply: An answer outside the offer counts as refused.
    /// - Returns: The reply as recorded.
    @discardableResult
    package mutating func answered(_ reply: Reply) -> Reply {
        guard isInFlight, let offer else { return reply }
        isInFlight = false
        var reply = reply
        if case .answered(let answer) = reply {
            do throws(InvalidValueError) {
                agreement = try offer.settle(answer)
            } catch {
                reply = .refused(.badAnswer, error.description)
            }
        }
        let last = records.count - 1
        records[last].answer = reply.recorded
        records[last].source = source?.description
        records[last].track = track?.description
        return reply
    }

    /// Records that the offer in flight was passed to the call.
    package mutating func demanded() {
        guard isInFlight else { return }
        answered(.answered(.accept))
        records[records.count - 1].answer = .demanded
    }

    /// Records the first frame made for an offer.
    ///
    /// - Parameters:
    ///   - revision: The offer's revision.
    ///   - frames: Frames between the offer and that frame.
    package mutating func followed(revision: UInt32, frames: Int) {
        guard let index = records.lastIndex(where: { $0.revision == revision }) else { return }
        // A fixed source does not follow offers.
        guard records[index].answer != .fixed else { return }
        records[index].framesUntilFollowed = frames
    }

    /// The time at which held ceilings expire; nil if none is held.
    private var rise: Int64? {
        guard !held.isEmpty else { return nil }
        let (moment, overflow) = changed.addingReportingOverflow(Self.riseNanoseconds)
        return overflow ? .max : moment
    }

    /// The offer for the current ceilings; nil if it equals the last one.
    private var dueOffer: Offer? {
        guard !isSettled else { return nil }
        let due = effectiveInputs.offer(revision: (offer?.revision ?? 0) + 1, after: offer)
        guard let offer else { return due }
        if due.suggested != offer.suggested { return due }
        // The new offer may lack the row that the source chose.
        switch agreement?.answer {
        case .counter(let row) where offer.contains(row) && !due.contains(row): return due
        default: return nil
        }
    }

    private var effectiveInputs: NegotiationInputs {
        var effective = inputs
        effective.ceilings = ceilings
        return effective
    }

    /// The last record with the current ceilings. These ceilings need not have an offer: a fixed
    /// source has no choice, and removed ceilings are held for a while.
    package var current: NegotiationRecord? {
        guard var record = records.last, let offer else { return nil }
        record.track = track?.description ?? record.track
        record.ceilings = ceilingsInWords(of: offer)
        return record
    }

    /// All ceilings, binding ones first, including the table's row.
    private func ceilingsInWords(of offer: Offer) -> [NegotiationRecord.Ceiling] {
        let (binding, others) = effectiveInputs.bindingCeilings()
        func described(_ ceiling: Ceiling, _ binds: Bool) -> NegotiationRecord.Ceiling {
            var described = NegotiationRecord.Ceiling(ceiling, binds: binds)
            let seconds = Self.riseNanoseconds / 1_000_000_000
            if held.contains(ceiling) {
                described.origin += ", lifted, but applied for \(seconds) s more,"
            }
            return described
        }
        var all = binding.map { described($0, true) } + others.map { described($0, false) }
        if offer.rule == .rows, offer.suggested.rate < ceilings.lowest.rate {
            all.insert(
                NegotiationRecord.Ceiling(
                    origin: "the row of its size", limit: offer.suggested.description, since: 0,
                    binds: true),
                at: 0)
        }
        return all
    }

    private mutating func record(_ offer: Offer, at now: Int64) {
        records.append(
            NegotiationRecord(
                revision: offer.revision, seconds: Double(now) / 1e9, reason: offer.reason.recorded,
                suggested: offer.suggested.description, ceilings: ceilingsInWords(of: offer)))
        if records.count > Self.recordLimit {
            records.remove(at: 1)
            recordsLeftOut += 1
        }
    }
}

extension NegotiationRecord.Ceiling {
    package init(_ ceiling: Ceiling, binds: Bool) {
        self.init(
            origin: ceiling.origin, limit: ceiling.limit.description,
            since: Double(ceiling.since) / 1e9, binds: binds)
    }
}

extension FrameSize {
    fileprivate func isAsWideOrHigh(as limit: FrameSize) -> Bool {
        fits(in: limit) && (width == limit.width || height == limit.height)
    }

    /// Returns the largest even size with the same aspect ratio within a limit that is at least as
    /// large.
    fileprivate func enlarged(toFill limit: FrameSize) -> FrameSize {
        FrameSize(width: width * limit.width, height: height * limit.width).reduced(toFit: limit)
    }
}
