/// Snapshots of a process after each of several equal rounds.
struct LeakDetector {
    /// A resource that grows with every round.
    enum Finding: Equatable {
        /// The number of threads since the start.
        case threads(Int)
        /// The number of descriptors since the start, and their targets.
        case descriptors(Int, [String])
        /// The growth in bytes, in the round with the smallest growth.
        case memory(Int)
    }

    /// The number of last rounds that count. The first rounds fill caches.
    private static let last = 5
    /// Minimum growth in each round, in bytes: less is an allocator's noise.
    private static let leastTouched = 48 * 1024
    private static let leastAsked = 8 << 20

    /// Number of additional threads or descriptors that is always too many.
    private static let growthLimit = 64

    /// One before the rounds, and one after each.
    private var snapshots: [ProcessSnapshot]

    /// - Parameter first: Before the rounds.
    init(from first: ProcessSnapshot) { snapshots = [first] }

    private var lasting: ArraySlice<ProcessSnapshot> { snapshots.suffix(Self.last) }

    /// Number of counted rounds.
    var rounds: Int { max(lasting.count - 1, 0) }

    /// The last snapshot.
    var last: ProcessSnapshot? { snapshots.last }

    /// Adds the snapshot of a round.
    mutating func add(_ snapshot: ProcessSnapshot) { snapshots.append(snapshot) }

    /// Whether the result is certain without further rounds.
    var isClear: Bool {
        if snapshots.count > 10 { return true }
        return if case .memory = finding { false } else { finding != nil }
    }

    /// The resource that grows with every round; nil if none, and before enough rounds.
    var finding: Finding? {
        guard let first = snapshots.first, let last = snapshots.last, snapshots.count > 3 else {
            return nil
        }
        // A temporary thread or descriptor is in some snapshots only.
        let threads = last.threads.count - first.threads.count
        if threads > Self.growthLimit || least({ $0.threads.count }) > 0 {
            return .threads(threads)
        }
        let descriptors = last.descriptors.count - first.descriptors.count
        if descriptors > Self.growthLimit || least({ $0.descriptors.count }) > 0 {
            return .descriptors(descriptors, Set(last.opened(since: first)).sorted())
        }
        let (touched, asked) = (least { $0.privateBytes }, least { $0.dataBytes })
        return touched >= Self.leastTouched || asked >= Self.leastAsked
            ? .memory(max(touched, asked)) : nil
    }

    /// The growth in the round with the smallest one.
    private func least(_ count: (ProcessSnapshot) -> Int) -> Int {
        zip(lasting, lasting.dropFirst()).map { count($1) - count($0) }.min() ?? 0
    }
}
