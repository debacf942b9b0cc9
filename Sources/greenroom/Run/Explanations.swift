import GreenroomHost
import Synchronization

/// Keeps what was agreed on for each picture, and tells why.
final class Explanations: Sendable {
    private struct Picture {
        var role: String
        var records: [NegotiationRecord]
    }

    private let pictures = Mutex<[Picture]>([])
    private let maximum: String

    /// - Parameter plan: What limits the first offers.
    init(plan: SessionPlan) {
        maximum = "\(plan.maximum)"
    }

    /// Takes note of an event.
    func note(_ event: SessionEvent) {
        switch event {
        case .agreed(let role, let agreement): add(initial(agreement), role)
        case .renegotiated(let role, let record): add(record, role)
        default: break
        }
    }

    private func add(_ record: NegotiationRecord, _ role: String) {
        pictures.withLock { pictures in
            if let index = pictures.firstIndex(where: { $0.role == role }) {
                pictures[index].records.append(record)
            } else {
                pictures.append(Picture(role: role, records: [record]))
            }
        }
    }

    /// The first offer as a record; no ceiling but the session's maximum was there yet.
    private func initial(_ agreement: Agreement) -> NegotiationRecord {
        NegotiationRecord(
            revision: 1, seconds: 0, reason: "initial", suggested: "\(agreement.track)",
            answer: agreement.answer.name, source: "\(agreement.source)",
            track: "\(agreement.track)",
            ceilings: [
                NegotiationRecord.Ceiling(
                    origin: "session.maximum", limit: maximum, since: 0, binds: true)
            ])
    }

    /// What holds for each picture now.
    var current: [(role: String, record: NegotiationRecord)] {
        pictures.withLock { $0 }.compactMap { picture in
            picture.records.last.map { (picture.role, $0) }
        }
    }

    /// All that ever held, picture by picture.
    var all: [(role: String, record: NegotiationRecord)] {
        pictures.withLock { $0 }.flatMap { picture in
            picture.records.map { (picture.role, $0) }
        }
    }
}

extension NegotiationRecord {
    /// Why a picture is what it is since then, a line for each link of the chain.
    func chain(role: String) -> [String] {
        var first = "\(role): \(track ?? suggested) since \(seconds.asSeconds), \(reason)"
        switch answer {
        case "accept": first += ": the source took the suggestion"
        case "counter": first += ": \(suggested) was suggested, the source countered"
        case "fixed": first += ": the source makes \(source ?? "one size") and nothing else"
        case "ignored": first += ": the source takes no new offers, the host adapts"
        case "refused": first += ": the source refused \(suggested), the host adapts"
        default: break
        }
        if let framesUntilFollowed {
            first += "; it followed after \(framesUntilFollowed) frames"
        }
        return [first]
            + ceilings.map { ceiling in
                "  \(ceiling.binds ? "held down by" : "not held down by") \(ceiling.origin), "
                    + "\(ceiling.limit) since \(ceiling.since.asSeconds)"
            }
    }
}

extension Double {
    /// `3 s`, `0.25 s`: to the millisecond.
    fileprivate var asSeconds: String {
        let rounded = (self * 1000).rounded() / 1000
        return Int64(exactly: rounded).map { "\($0) s" } ?? "\(rounded) s"
    }
}

extension EventPrinter {
    /// Shows why pictures are what they are.
    func explain(_ records: [(role: String, record: NegotiationRecord)]) {
        for (role, negotiation) in records {
            var record = EventRecord(event: "explanation")
            record.role = role
            record.capability = negotiation.track
            record.negotiation = negotiation
            let chain = negotiation.chain(role: role)
            record.text = chain.joined(separator: "\n")
            show(record, line: record.text)
        }
    }
}
