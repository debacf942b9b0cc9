/// What a process had after each of some rounds of the same.
struct LeakDetector {
    /// What is more after every round.
    enum Finding: Equatable {
        /// So many since the beginning.
        case threads(Int)
        /// So many since the beginning, and what they lead to.
        case descriptors(Int, [String])
        /// In bytes, in the round with the least of it.
        case memory(Int)
    }

    /// How many of the last rounds count: the first ones fill what was free, and what stays.
    private static let last = 5
    /// In bytes, in each round: less is not told from what allocators do.
    private static let leastTouched = 48 * 1024
    private static let leastAsked = 8 << 20

    /// How many threads or descriptors more than at the beginning are too many, however they came:
    /// they grow until the process has no more of them.
    private static let mostMore = 64

    /// One before the rounds, and one after each of them.
    private var sights: [ProcessSnapshot]

    /// - Parameter first: Before the rounds.
    init(from first: ProcessSnapshot) { sights = [first] }

    private var lasting: ArraySlice<ProcessSnapshot> { sights.suffix(Self.last) }

    /// How many rounds count.
    var rounds: Int { max(lasting.count - 1, 0) }

    /// What was seen last.
    var last: ProcessSnapshot? { sights.last }

    /// Adds what is there after a round.
    mutating func add(_ sight: ProcessSnapshot) { sights.append(sight) }

    /// Whether enough is known, and further rounds say no more.
    var isClear: Bool {
        if sights.count > 10 { return true }
        return if case .memory = finding { false } else { finding != nil }
    }

    /// What grows with every round; nil if nothing does, and before there were some.
    var finding: Finding? {
        guard let first = sights.first, let last = sights.last, sights.count > 3 else { return nil }
        // A thread or a descriptor that comes and goes is in some looks only.
        let threads = last.threads.count - first.threads.count
        if threads > Self.mostMore || least({ $0.threads.count }) > 0 { return .threads(threads) }
        let descriptors = last.descriptors.count - first.descriptors.count
        if descriptors > Self.mostMore || least({ $0.descriptors.count }) > 0 {
            return .descriptors(descriptors, Set(last.opened(since: first)).sorted())
        }
        let (touched, asked) = (least { $0.privateBytes }, least { $0.dataBytes })
        return touched >= Self.leastTouched || asked >= Self.leastAsked
            ? .memory(max(touched, asked)) : nil
    }

    /// By how much something grew in the round in which it grew least.
    private func least(_ count: (ProcessSnapshot) -> Int) -> Int {
        zip(lasting, lasting.dropFirst()).map { count($1) - count($0) }.min() ?? 0
    }
}
