import GreenroomNegotiation

/// Reports each offer to the plugin with its result.
struct PreviewNegotiation {
    /// The time to wait for a plugin to follow an offer, in seconds. Afterwards the preview reports
    /// that it has not.
    private static let timeout = 2.0

    private enum Told {
        /// The preview has reported the complete result.
        case whole
        /// The preview has reported that no frame has followed so far.
        case unfollowed
    }

    private var told: [UInt32: Told] = [:]

    /// The lines to report now.
    ///
    /// - Parameters:
    ///   - seconds: The session time, in seconds.
    ///   - isOver: Whether the session is over.
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
            } else if told[record.revision] == nil, seconds - record.seconds > Self.timeout {
                lines.append(record.line)
                told[record.revision] = .unfollowed
            }
        }
        return lines
    }
}

extension NegotiationRecord {
    /// The offer, the plugin's answer, and the delay until the plugin followed.
    var line: String {
        let parts = ["offer \(revision) (\(reason)): \(suggested)", reaction, following]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    private var reaction: String {
        let source = source ?? "nothing"
        return switch answer {
        case nil: "no answer"
        case .accept: "accepted"
        case .counter: "countered with \(source)"
        case .fixed: "fixed at \(source)"
        case .ignored: "accepts no new offers"
        case .demanded: "demanded"
        case .refused: "refused; it continues with \(source)"
        }
    }

    private var following: String? {
        guard awaitsFrames else { return nil }
        guard let frames = framesUntilFollowed else { return "no frame has followed" }
        return "followed after \(frames) frame\(frames == 1 ? "" : "s")"
    }
}
