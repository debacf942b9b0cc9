/// Which offers a sender's frames are made for: how soon a source follows a new one, and which
/// frames come too late for an old one.
///
/// It remembers the last eight offers, and never allocates. Times are nanoseconds on the session
/// clock.
struct RevisionLog: Sendable {
    /// How long frames of an offer are welcome once the next one was answered.
    static let graceNanoseconds: Int64 = 1_000_000_000

    private struct Entry {
        var revision: UInt32
        /// When the source agreed; nil if it has not.
        var agreed: Int64?
        /// Frames of older offers since this one was made.
        var olderFrames = 0
        var isFollowed = false
    }

    private var entries: InlineArray<8, Entry?> = InlineArray(repeating: nil)
    /// The newest offer that was made; 0 before the first.
    private(set) var newest: UInt32 = 0
    /// The newest offer that the source agreed on; 0 before the first.
    private(set) var agreed: UInt32 = 0
    /// Frames that came for an offer whose grace time was over.
    private(set) var stale = 0

    /// Takes note of an offer, before the source hears of it.
    mutating func offered(_ revision: UInt32) {
        newest = revision
        let oldest = entries.indices.min { age(of: $0) < age(of: $1) }
        if let oldest { entries[oldest] = Entry(revision: revision) }
    }

    /// Takes note that the source agreed: frames of older offers have the grace time from now.
    mutating func agreed(_ revision: UInt32, at now: Int64) {
        agreed = revision
        for index in entries.indices where entries[index]?.revision == revision {
            entries[index]?.agreed = now
        }
    }

    /// Takes note of a frame.
    ///
    /// - Parameters:
    ///   - revision: The offer that it was made for, of those that were made.
    ///   - now: When it came.
    mutating func add(frameOf revision: UInt32, at now: Int64) {
        var successor: Entry?
        for index in entries.indices {
            guard let entry = entries[index] else { continue }
            if entry.revision == revision {
                entries[index]?.isFollowed = true
            } else if entry.revision > revision {
                if !entry.isFollowed { entries[index]?.olderFrames += 1 }
                if entry.agreed != nil, entry.revision < successor?.revision ?? .max {
                    successor = entry
                }
            }
        }
        guard let agreed = successor?.agreed else { return }
        let (age, overflow) = now.subtractingReportingOverflow(agreed)
        if overflow || age > Self.graceNanoseconds { stale += 1 }
    }

    /// The offers that a frame has come for, oldest first, each with the frames of older offers
    /// that came before it.
    var followed: [(revision: UInt32, frames: Int)] {
        entries.indices.compactMap { entries[$0] }
            .filter(\.isFollowed)
            .sorted { $0.revision < $1.revision }
            .map { ($0.revision, $0.olderFrames) }
    }

    /// The revision in a slot; one that is free is older than all.
    private func age(of index: Int) -> UInt32 { entries[index]?.revision ?? 0 }
}
