/// Candidates that follow an offer: an `application/trickle-ice-sdpfrag` (RFC 8840); anybody can send
/// anything.
package struct CandidateFragment: Equatable {
    /// An address to be reached at.
    package struct Candidate: Equatable {
        /// The `a=mid` of its medium; nil: that of the first.
        package var medium: String?
        /// The line, from `candidate:` on.
        package var text: String
    }

    /// The name of the ICE session that it belongs to; nil if it does not say.
    package private(set) var username: String?
    package private(set) var candidates: [Candidate] = []

    package static let longest = 16_000
    /// Its type in HTTP.
    package static let type = "application/trickle-ice-sdpfrag"

    /// Reads a fragment. As in an offer, what only a name or a TCP connection leads to is left out.
    ///
    /// - Throws: What is wrong with it, for the peer's programmer.
    package init(_ text: String) throws(SignallingError) {
        guard text.utf8.count <= Self.longest else { throw .tooLarge }
        var medium: String?
        var count = 0
        for line in text.split(whereSeparator: \.isNewline).map(String.init) {
            guard !line.contains("\0"), SessionOffer.isPlain(line) else {
                throw .bad("a line is not a small letter, = and a value")
            }
            if line.hasPrefix("m=") {
                medium = nil
            } else if line.hasPrefix("a=mid:") {
                medium = String(line.dropFirst("a=mid:".count))
            } else if line.hasPrefix("a=ice-ufrag:") {
                let name = String(line.dropFirst("a=ice-ufrag:".count))
                guard username == nil || username == name else {
                    throw .bad("it has two values of a=ice-ufrag")
                }
                username = name
            } else if line.hasPrefix("a=candidate:") {
                count += 1
                guard count <= SessionOffer.mostCandidates else {
                    throw .bad("it has more than \(SessionOffer.mostCandidates) candidates")
                }
                guard SessionOffer.isAddress(candidate: line) else { continue }
                candidates.append(Candidate(medium: medium, text: String(line.dropFirst(2))))
            }
        }
        guard username != nil || count > 0 else {
            throw .bad("it has neither candidates nor a=ice-ufrag")
        }
    }
}

/// What candidates that follow an offer must fit.
package struct CandidateTarget: Sendable {
    private let username: String?
    /// Which medium of the offer a name leads to: with BUNDLE all have the transport of one.
    private let lines: [String: Int]
    private var taken = 0

    /// - Parameter offer: The far end's offer or answer.
    package init(_ offer: SessionOffer) {
        (username, lines) = (offer.username, offer.transportLines)
    }

    /// Takes a fragment.
    ///
    /// - Returns: Its candidates, each with the place of its medium.
    /// - Throws: Why it does not belong to the connection.
    package mutating func take(
        _ fragment: CandidateFragment
    ) throws(SignallingError) -> [(line: Int, text: String)] {
        if let name = fragment.username, name != username {
            throw .conflict(
                "The candidates are of another ICE session: the room can't restart ICE. Make a new "
                    + "offer.")
        }
        var found: [(line: Int, text: String)] = []
        for candidate in fragment.candidates {
            guard let line = candidate.medium.map({ lines[$0] }) ?? 0 else {
                throw .bad("no medium of the offer has the a=mid of a candidate")
            }
            found.append((line, candidate.text))
        }
        guard taken + found.count <= SessionOffer.mostCandidates else {
            throw .bad("it has more than \(SessionOffer.mostCandidates) candidates")
        }
        taken += found.count
        return found
    }
}
