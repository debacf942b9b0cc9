import GreenroomHost

extension NegotiationRecord {
    /// Why a picture is what it is since then, a line for each link of the chain.
    func chain(role: String) -> [String] {
        var first = "\(role): \(track ?? suggested) since \(seconds.asSeconds), \(reason)"
        switch answer {
        case "accept": first += ": the source took the suggestion"
        case "counter": first += ": the source countered"
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
