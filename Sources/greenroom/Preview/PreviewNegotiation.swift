import GreenroomNegotiation
import GreenroomSession

/// Tells of each offer to the plugin, once it is known what came of it.
struct PreviewNegotiation {
    /// How long a plugin has to follow before it is told that it has not, in seconds.
    private static let patience = 2.0

    private enum Told {
        /// With all that there is to tell.
        case whole
        /// That no frame has followed yet.
        case unfollowed
    }

    private var told: [UInt32: Told] = [:]

    /// What there is to tell now.
    ///
    /// - Parameters:
    ///   - seconds: The session's time.
    ///   - isOver: Whether nothing more will come.
    mutating func lines(
        of records: [NegotiationRecord], at seconds: Double, isOver: Bool = false
    ) -> [String] {
        var lines: [String] = []
        for (index, record) in records.enumerated() {
            guard told[record.revision] != .whole else { continue }
            let isLast = isOver || index < records.count - 1
            let isKnown =
                record.answer != nil
                && (!record.awaitsFrames || record.framesUntilFollowed != nil)
            if isKnown || isLast {
                lines.append(record.line)
                told[record.revision] = .whole
            } else if told[record.revision] == nil, seconds - record.seconds > Self.patience {
                lines.append(record.line)
                told[record.revision] = .unfollowed
            }
        }
        return lines
    }
}

extension NegotiationRecord {
    /// What was offered, what the plugin made of it, and how soon it followed.
    var line: String {
        let parts = ["offer \(revision) (\(reason)): \(suggested)", reaction, following]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    private var reaction: String {
        let source = source ?? "nothing"
        return switch answer {
        case nil: "no answer"
        case "accept": "accepted"
        case "counter": "countered with \(source)"
        case "fixed": "it makes exactly \(source)"
        case "ignored": "it takes no new offers"
        default: "refused; it goes on with \(source)"
        }
    }

    private var following: String? {
        guard awaitsFrames else { return nil }
        guard let frames = framesUntilFollowed else { return "no frame has followed" }
        return "followed after \(frames) frame\(frames == 1 ? "" : "s")"
    }
}
