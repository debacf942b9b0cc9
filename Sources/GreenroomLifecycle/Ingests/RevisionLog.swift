/// The offers of a sender's frames. Measures the time until a source follows a new offer, and
/// detects late frames of old offers.
///
/// The log stores the last eight offers and never allocates. Times are nanoseconds on the session
/// clock.
struct RevisionLog: Sendable {
    /// The grace time for frames of an old offer after the next offer's answer, in nanoseconds.
    static let graceNanoseconds: Int64 = 1_000_000_000

    private struct Entry {
        var revision: UInt32
        /// The time at which the source agreed; nil if it did not.
        var agreed: Int64?
        /// The number of older offers' frames since this offer was made.
        var olderFrames = 0
        var isFollowed = false
    }

    private var entries: InlineArray<8, Entry?> = InlineArray(repeating: nil)
    /// The newest offer; 0 before the first.
    private(set) var newest: UInt32 = 0
    /// The newest agreed offer; 0 before the first.
    private(set) var agreed: UInt32 = 0
    /// Number of frames after their offer's grace time.
    private(set) var stale = 0

    /// Records an offer before the plugin receives it.
    mutating func offered(_ revision: UInt32) {
        newest = revision
        let oldest = entries.indices.min { age(of: $0) < age(of: $1) }
        if let oldest { entries[oldest] = Entry(revision: revision) }
    }

    /// Records an agreement, which starts the grace time of older offers.
    mutating func agreed(_ revision: UInt32, at now: Int64) {
        agreed = revision
        for index in entries.indices where entries[index]?.revision == revision {
            entries[index]?.agreed = now
        }
    }

    /// Records a frame.
    ///
    /// - Parameters:
    /// - revision: The frame's offer, one of those made.
    /// - now: The frame's arrival.
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

    /// The offers with frames, oldest first, each with the number of older frames before the
    /// offer's first frame.
    var followed: [(revision: UInt32, frames: Int)] {
        entries.indices.compactMap { entries[$0] }
            .filter(\.isFollowed)
            .sorted { $0.revision < $1.revision }
            .map { ($0.revision, $0.olderFrames) }
    }

    /// The revision in a slot; a free slot is the oldest.
    private func age(of index: Int) -> UInt32 { entries[index]?.revision ?? 0 }
}
