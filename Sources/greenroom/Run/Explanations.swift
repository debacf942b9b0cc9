import GreenroomHost
import Synchronization

/// Keeps what was agreed on for each picture, and tells why.
final class Explanations: Sendable {
    private struct Picture {
        var role: String
        var records: [NegotiationRecord]
    }

    /// As many records as are kept of a picture: the first one, and the last ones.
    private static let mostRecords = 100

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
                if pictures[index].records.count > Self.mostRecords {
                    pictures[index].records.remove(at: 1)
                }
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

    /// All that held from the start to the end, picture by picture.
    var all: [(role: String, record: NegotiationRecord)] {
        pictures.withLock { $0 }.flatMap { picture in
            picture.records.map { (picture.role, $0) }
        }
    }
}

extension EventPrinter {
    /// Shows why pictures are what they are.
    func explain(_ records: [(role: String, record: NegotiationRecord)]) {
        if records.isEmpty {
            var record = EventRecord(event: "explanation")
            record.text = "there is no picture that anything was agreed on for"
            show(record, line: record.text)
        }
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
