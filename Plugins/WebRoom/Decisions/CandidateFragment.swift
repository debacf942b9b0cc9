/// Candidates that arrive after an offer: an `application/trickle-ice-sdpfrag` (RFC 8840). The text
/// is untrusted.
package struct CandidateFragment: Equatable {
    /// An address at which a medium can be reached.
    package struct Candidate: Equatable {
        /// The medium's `a=mid`; nil if the first medium.
        package var medium: String?
        package var address: SDPDescription.Candidate
    }

    /// The name of the fragment's ICE session; nil if absent.
    package private(set) var username: String?
    package private(set) var candidates: [Candidate] = []

    package static let longest = 16_000
    /// The media type of a fragment.
    package static let type = "application/trickle-ice-sdpfrag"

    /// Reads a fragment. As in an offer, skips candidates with host names or TCP.
    ///
    /// - Throws: `RequestError` with the fault, for the peer's programmer.
    package init(_ text: String) throws(RequestError) {
        guard text.utf8.count <= Self.longest else { throw .tooLarge }
        var medium: String?
        var count = 0
        for bytes in Array(text.utf8).split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            guard bytes.count > 2, bytes.allSatisfy({ (32...126).contains($0) }),
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[bytes.startIndex]),
                bytes[bytes.startIndex + 1] == UInt8(ascii: "=")
            else { throw .bad("a line is not a small letter, = and a value") }
            let line = String(decoding: bytes, as: UTF8.self)
            if line.hasPrefix("m=") {
                medium = nil
            } else if line.hasPrefix("a=mid:") {
                medium = String(line.dropFirst("a=mid:".count))
            } else if line.hasPrefix("a=ice-ufrag:") {
                let name = String(line.dropFirst("a=ice-ufrag:".count))
                guard username == nil || username == name else {
                    throw .bad("two values of a=ice-ufrag")
                }
                username = name
            } else if line.hasPrefix("a=candidate:") {
                count += 1
                guard count <= SDPDescription.mostCandidates else {
                    throw .bad("more than \(SDPDescription.mostCandidates) candidates")
                }
                let value = String(line.dropFirst("a=candidate:".count))
                guard let address = SDPDescription.Candidate(value) else { continue }
                candidates.append(Candidate(medium: medium, address: address))
            }
        }
        guard username != nil || count > 0 else {
            throw .bad("neither candidates nor a=ice-ufrag")
        }
    }
}

/// The session that candidates after an offer must match.
package struct CandidateTarget: Sendable {
    private let usernames: Set<String>
    /// The index of the answered medium by name. With BUNDLE all media share one transport.
    private let lines: [String: Int]
    private let rejected: Set<String>
    private var taken = 0

    /// - Parameters:
    ///   - usernames: The names of the offer's ICE sessions.
    ///   - lines: The index of each medium, by name.
    ///   - rejected: The names of rejected media.
    init(usernames: Set<String>, lines: [String: Int], rejected: Set<String>) {
        (self.usernames, self.lines, self.rejected) = (usernames, lines, rejected)
    }

    /// Checks and accepts a fragment.
    ///
    /// - Returns: The fragment's candidates, each with the index of its medium.
    /// - Throws: ``RequestError`` if the fragment does not belong to the connection.
    package mutating func take(
        _ fragment: CandidateFragment
    ) throws(RequestError) -> [(line: Int, address: SDPDescription.Candidate)] {
        if let name = fragment.username, !usernames.contains(name) {
            throw RequestError(
                .conflict,
                "The candidates are of another ICE session: the room can't restart ICE. Make a new "
                    + "offer.")
        }
        var found: [(line: Int, address: SDPDescription.Candidate)] = []
        for candidate in fragment.candidates {
            let name = candidate.medium
            guard let line = name.map({ lines[$0] }) ?? 0 else {
                guard let name, rejected.contains(name) else {
                    throw .bad("no medium of the offer has the a=mid of a candidate")
                }
                continue
            }
            found.append((line, candidate.address))
        }
        guard taken + found.count <= SDPDescription.mostCandidates else {
            throw .bad("more than \(SDPDescription.mostCandidates) candidates")
        }
        taken += found.count
        return found
    }
}
