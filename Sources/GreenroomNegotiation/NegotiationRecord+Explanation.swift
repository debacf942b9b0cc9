extension NegotiationRecord {
    /// Returns the reasons for the track's size and rate: the agreement, the source's answer, and
    /// each ceiling with its origin. Each element is one line.
    ///
    /// - Parameter role: The source's role, e.g. `camera`.
    public func explanation(role: String) -> [String] {
        let since = "since \(Self.seconds(seconds)) s (revision \(revision), \(reason))"
        var lines = ["\(role): \(track ?? suggested) \(since)"]
        lines.append("  suggested was \(suggested); \(reaction)")
        for ceiling in ceilings {
            let what =
                "\(ceiling.limit) by \(ceiling.origin) since \(Self.seconds(ceiling.since)) s"
            lines.append(ceiling.binds ? "  ceiling \(what)" : "  \(what) does not bind")
        }
        if !ceilings.contains(where: \.binds) {
            lines.append("  the best row: no ceiling binds")
        }
        return lines
    }

    /// Whether the first frame of the offer is worth reporting.
    package var awaitsFrames: Bool {
        // A source's first frame can't be late for its first offer, and a fixed source does not
        // follow offers.
        (answer == .accept || answer == .counter) && reason != .initial
    }

    private var reaction: String {
        let source = source ?? "nothing yet"
        let what =
            switch answer {
            case nil: "the source has not answered yet"
            case .accept: "the source accepted"
            case .counter: "the source countered with \(source)"
            case .fixed: "the source makes exactly \(source), and the host adapts"
            case .ignored:
                "the source accepts no new offers and continues with \(source), which the host adapts"
            case .demanded: "outputs want no more from the call"
            case .refused: "the source refused and continues with \(source), which the host adapts"
            }
        guard awaitsFrames else { return what }
        guard let frames = framesUntilFollowed else { return what + "; no frame has followed yet" }
        return what + "; it followed after \(frames) frame\(frames == 1 ? "" : "s")"
    }

    /// Returns seconds as text with three decimals.
    private static func seconds(_ seconds: Double) -> String {
        let milliseconds = Int64(exactly: (seconds * 1000).rounded()) ?? 0
        let fraction = "\(1000 + abs(milliseconds % 1000))".dropFirst()
        return "\(milliseconds < 0 ? "-" : "")\(abs(milliseconds / 1000)).\(fraction)"
    }
}
