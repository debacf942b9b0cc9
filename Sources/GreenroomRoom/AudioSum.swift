/// The sum of two tracks whose blocks come one after the other: what viewers hear is the session's
/// own audio and that of the participants.
///
/// A block waits for the other track's block of its time, at most as long as ``longestWait`` blocks
/// last: a track may begin later, end, or have no audio at all.
package struct AudioSum {
    /// A block, at its time.
    package struct Block: Equatable {
        package var time: Int64
        package var samples: [Int16]

        package init(time: Int64, samples: [Int16]) {
            self.time = time
            self.samples = samples
        }
    }

    /// The tracks.
    package enum Part: CaseIterable { case own, incoming }

    private static let longestWait = 3
    /// Times of the same block differ by less.
    private static let tolerance: Int64 = 10_000_000

    private var waiting: [Part: [Block]] = [.own: [], .incoming: []]

    package init() {}

    /// Takes a block.
    ///
    /// - Returns: What is complete, in order.
    package mutating func add(_ block: Block, of part: Part) -> [Block] {
        waiting[part, default: []].append(block)
        var sums: [Block] = []
        while let sum = next() { sums.append(sum) }
        return sums
    }

    private mutating func next() -> Block? {
        guard let own = waiting[.own]?.first else { return alone(.incoming) }
        guard let incoming = waiting[.incoming]?.first else { return alone(.own) }
        let difference = own.time &- incoming.time
        if difference < -Self.tolerance { return waiting[.own]?.removeFirst() }
        if difference > Self.tolerance { return waiting[.incoming]?.removeFirst() }
        waiting[.own]?.removeFirst()
        waiting[.incoming]?.removeFirst()
        return Block(time: own.time, samples: Self.sum(own.samples, incoming.samples))
    }

    private mutating func alone(_ part: Part) -> Block? {
        guard let blocks = waiting[part], blocks.count > Self.longestWait else { return nil }
        return waiting[part]?.removeFirst()
    }

    private static func sum(_ left: [Int16], _ right: [Int16]) -> [Int16] {
        let (longer, shorter) = left.count >= right.count ? (left, right) : (right, left)
        var sum = longer
        for index in shorter.indices {
            sum[index] = Int16(clamping: Int(longer[index]) + Int(shorter[index]))
        }
        return sum
    }
}
