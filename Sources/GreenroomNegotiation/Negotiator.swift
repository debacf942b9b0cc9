package import GreenroomMedia

/// The negotiation with one source of pictures: what applies to it, what it was offered, what
/// came of it, and when the next offer is due.
///
/// Down fast: an offer of less is due at once, and the track falls with the ceiling, before the
/// source follows. Up slowly: an offer of more is due when the ceilings have allowed it for
/// ``riseNanoseconds`` without a change. One step in flight: nothing is due until the last offer
/// was answered. Last wins: what changed meanwhile makes one offer, or none if it ends where it
/// was.
///
/// It has no clock: times are passed in, in nanoseconds of the session, and never go backward.
package struct Negotiator: Sendable {
    /// How long the ceilings must have allowed more before more is offered.
    static let riseNanoseconds: Int64 = 3_000_000_000
    /// How many records are kept: the first one, and the last ones.
    static let mostRecords = 100

    /// What applies now; see ``held`` for what applies still.
    private var inputs: NegotiationInputs
    /// Ceilings that were lifted or raised, and hold until the others have been calm; one of a
    /// kind at most.
    private var held: [Ceiling] = []
    /// The offers until now, oldest first; see ``recordsLeftOut``.
    package private(set) var records: [NegotiationRecord] = []
    /// Records that were dropped to bound memory; they stood after the first one.
    package private(set) var recordsLeftOut = 0
    /// The last offer that was made.
    package private(set) var offer: Offer?
    /// What the source sends, and how it came to that; nil before the first answer.
    package private(set) var agreement: Agreement?

    /// Whether the last offer waits for its answer.
    private var isInFlight = false
    /// When the ceilings changed last.
    private var changed: Int64 = 0

    /// Begins a negotiation; the first offer is due at once.
    ///
    /// - Parameters:
    ///   - rule: How the source reads offers.
    ///   - table: The sizes that cameras are offered.
    ///   - maximum: The session's.
    ///   - capabilities: What the source says that it can make; empty if it says nothing.
    package init(
        rule: OfferRule, table: CapabilityTable, maximum: VideoCapability,
        capabilities: [VideoCapability] = []
    ) {
        inputs = NegotiationInputs(
            rule: rule, table: table, capabilities: capabilities,
            ceilings: [.sessionMaximum(maximum)])
    }

    /// What the source sends; nil before the first answer.
    package var source: VideoCapability? { agreement?.source }

    /// What the track carries now; nil before the first answer.
    ///
    /// It is never above any ceiling: where the source is, the host adapts.
    package var track: VideoCapability? {
        agreement.map { $0.source.reduced(toFit: ceilings.lowest) }
    }

    /// The ceilings that apply, those that hold until a rise among them.
    package var ceilings: [Ceiling] { inputs.ceilings + held }

    // MARK: What applies

    /// Sets the ceiling of a kind, instead of the one that there was; one that says the same stays
    /// as it is.
    ///
    /// - Parameters:
    ///   - limit: A legal capability; nil lifts the ceiling.
    ///   - kind: There is one ceiling of each kind. The session's maximum stays.
    ///   - origin: Whose it is, in a few words.
    ///   - now: Nanoseconds of the session.
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
        // Before the first offer there is nothing to rise from, and of two changes at one time only
        // the last one counts.
        if let old, offer != nil, old.since < now { hold(old) }
        held.removeAll { held in
            limit.map { $0.fits(under: held.limit) } ?? false && held.kind == kind
        }
    }

    /// Lets a ceiling hold that was replaced, together with what holds of its kind already.
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

    /// Sets what the outputs want, as the ceiling of their kind: the largest want is served.
    package mutating func set(wants: [VideoSinkWant], at now: Int64) {
        let maximum = inputs.ceilings.first { $0.kind == .sessionMaximum }?.limit ?? .greatest
        let limit = inputs.limit(serving: wants)?.lowered(to: maximum)
        set(limit == maximum ? nil : limit, kind: .wants, origin: "outputs' wants", at: now)
    }

    // MARK: Offers

    /// The offer to make now; it is in flight from then on, until ``answered(_:)``.
    ///
    /// - Returns: Nil if none is due.
    package mutating func next(at now: Int64) -> Offer? {
        guard !isInFlight else { return nil }
        if let rise, now >= rise { held = [] }
        guard let due = dueOffer else { return nil }
        offer = due
        isInFlight = true
        record(due, at: now)
        return due
    }

    /// The offer to a source that begins anew: what applies now, whatever it was told before. It is
    /// in flight from then on.
    package mutating func renew(at now: Int64) -> Offer {
        let renewed = effectiveInputs.offer(revision: (offer?.revision ?? 0) + 1, after: nil)
        offer = renewed
        isInFlight = true
        record(renewed, at: now)
        return renewed
    }

    /// When ``next(at:)`` may have an offer: a time that has passed if one is due, nil if only a
    /// change of ceilings or an answer can bring one.
    package var wake: Int64? {
        guard !isInFlight else { return nil }
        return dueOffer == nil ? rise : changed
    }

    /// Takes what became of the offer that is in flight.
    ///
    /// - Parameter reply: An answer outside the offer counts as refused.
    /// - Returns: The reply as it counts.
    @discardableResult
    package mutating func answered(_ reply: Reply) -> Reply {
        guard isInFlight, let offer else { return reply }
        isInFlight = false
        var reply = reply
        if case .answered(let answer) = reply {
            do throws(AnswerProblem) {
                agreement = try offer.settle(answer)
            } catch {
                reply = .refused(.badAnswer, error.explanation)
            }
        }
        let last = records.count - 1
        records[last].answer = reply.name
        records[last].source = source?.description
        records[last].track = track?.description
        return reply
    }

    /// Takes note of the first frame that was made for an offer.
    ///
    /// - Parameters:
    ///   - revision: The offer's.
    ///   - frames: The frames that came between the offer and that frame.
    package mutating func followed(revision: UInt32, frames: Int) {
        guard let index = records.lastIndex(where: { $0.revision == revision }) else { return }
        // One that makes what it makes follows nothing.
        guard records[index].answer != "fixed" else { return }
        records[index].framesUntilFollowed = frames
    }

    /// When the ceilings will have been calm for long enough; nil if none is held.
    private var rise: Int64? {
        guard !held.isEmpty else { return nil }
        let (moment, overflow) = changed.addingReportingOverflow(Self.riseNanoseconds)
        return overflow ? .max : moment
    }

    /// The offer that the ceilings make; nil if it says nothing new.
    private var dueOffer: Offer? {
        let due = effectiveInputs.offer(revision: (offer?.revision ?? 0) + 1, after: offer)
        guard let offer else { return due }
        if due.suggested != offer.suggested { return due }
        // A row that the source chose from this offer may be there no more.
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

    /// The last record with what applies at this moment, which may have no offer of its own: a
    /// fixed source has nothing to choose, and a ceiling that was lifted is held for a while.
    package var current: NegotiationRecord? {
        guard var record = records.last, let offer else { return nil }
        record.track = track?.description ?? record.track
        record.ceilings = ceilingsInWords(of: offer)
        return record
    }

    /// Every ceiling, those that bind first, the table's own row among them.
    private func ceilingsInWords(of offer: Offer) -> [NegotiationRecord.Ceiling] {
        let (binding, others) = effectiveInputs.bindingCeilings()
        func told(_ ceiling: Ceiling, _ binds: Bool) -> NegotiationRecord.Ceiling {
            var told = NegotiationRecord.Ceiling(ceiling, binds: binds)
            let seconds = Self.riseNanoseconds / 1_000_000_000
            if held.contains(ceiling) {
                told.origin += ", over, and held until there is calm for \(seconds) s,"
            }
            return told
        }
        var all = binding.map { told($0, true) } + others.map { told($0, false) }
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
                revision: offer.revision, seconds: Double(now) / 1e9, reason: offer.reason.name,
                suggested: offer.suggested.description, ceilings: ceilingsInWords(of: offer)))
        if records.count > Self.mostRecords {
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
