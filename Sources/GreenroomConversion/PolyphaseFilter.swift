internal import CGreenroomKernels

/// The taps for one side of a scaled image.
///
/// If a side shrinks, each result is the mean of the samples that it covers (area filter). If a
/// side grows, each result mixes the nearest two samples by their distance (bilinear filter).
/// Neither filter overshoots at edges. The edges of both sizes coincide.
final class PolyphaseFilter {
    /// The taps and their lists, in memory of this object.
    let taps: UnsafePointer<greenroom_taps>

    private static let unit = 128

    /// Makes the taps that scale a row of `from` pixels to `to` pixels.
    ///
    /// - Parameters:
    ///   - channels: The number of bytes of a pixel. Each byte is scaled separately.
    ///   - window: ``greenroom_kernels/window`` of the kernels that read the taps.
    init(from: Int, to: Int, channels: Int = 1, window: Int) {
        let ratio = Double(from) / Double(to)
        let spans = (0..<to).map { Self.span(of: $0, ratio) }
        let most = spans.map(\.count).max() ?? 0
        let tapCount = most + most % 2
        var first: [Int32] = []
        var weights: [Int8] = []
        first.reserveCapacity(to * channels)
        weights.reserveCapacity(to * channels * tapCount)
        var exact = [Double](repeating: 0, count: tapCount)
        var rounded = [Int](repeating: 0, count: tapCount)
        for (index, span) in spans.enumerated() {
            let centre = Self.centre(of: index, ratio)
            for tap in exact.indices {
                let distance = abs(Double(span.lowerBound + tap) - centre)
                exact[tap] = tap < span.count ? Self.weight(at: distance, ratio) : 0
            }
            Self.round(&exact, to: &rounded)
            for channel in 0..<channels {
                first.append(Int32(span.lowerBound * channels + channel))
                for weight in rounded { weights.append(Int8(clamping: weight)) }
            }
        }
        let windows = Windows(
            first: first, weights: weights, tapCount, step: channels, length: window)
        let lists = greenroom_taps(
            count: Int32(first.count), taps: Int32(tapCount), step: Int32(channels),
            terms: Int32(windows.positions.count), period: Int32(windows.period),
            advance: Int32(windows.advance), first: Self.copy(first),
            weights: Self.copy(weights), windows: Self.copy(Array(windows.positions.joined())),
            picks: Self.copy(Array(windows.picks.joined())),
            factors: Self.copy(Array(windows.factors.joined())))
        taps = Self.copy([lists])
    }

    deinit {
        let lists = taps.pointee
        lists.first.deallocate()
        lists.weights.deallocate()
        lists.windows.deallocate()
        lists.picks.deallocate()
        lists.factors.deallocate()
        taps.deallocate()
    }

    /// Returns a copy that is aligned to the widest vector.
    private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: elements.count * MemoryLayout<Element>.stride,
            alignment: FrameLayout.alignment
        ).bindMemory(to: Element.self, capacity: elements.count)
        memory.initialize(from: elements, count: elements.count)
        return UnsafePointer(memory)
    }

    // MARK: Weights

    private static func centre(of index: Int, _ ratio: Double) -> Double {
        (Double(index) + 0.5) * ratio - 0.5
    }

    /// Returns the samples that have a weight in a result.
    private static func span(of index: Int, _ ratio: Double) -> ClosedRange<Int> {
        let centre = centre(of: index, ratio)
        let reach = reach(ratio)
        // For some ratios the bounds are whole numbers. Rounding errors must not add a tap without
        // weight.
        return Int((centre - reach + 1e-6).rounded(.down)) + 1...Int(
            (centre + reach - 1e-6).rounded(.up)) - 1
    }

    /// Returns the distance from which a sample has no weight, because a result no longer covers it
    /// or lies too far away.
    private static func reach(_ ratio: Double) -> Double { (max(ratio, 1) + 1) / 2 }

    private static func weight(at distance: Double, _ ratio: Double) -> Double {
        max(0, min(1, reach(ratio) - distance))
    }

    /// Rounds the weights to whole numbers below ``unit`` whose sum is ``unit``.
    private static func round(_ weights: inout [Double], to whole: inout [Int]) {
        let scale = Double(unit) / weights.reduce(0, +)
        var missing = unit
        for tap in weights.indices {
            whole[tap] = Int((weights[tap] * scale).rounded(.down))
            weights[tap] = weights[tap] * scale - Double(whole[tap])
            missing -= whole[tap]
        }
        // Round up the weights with the largest fractions.
        for _ in 0..<missing {
            guard let tap = weights.indices.max(by: { weights[$0] < weights[$1] }) else { return }
            whole[tap] += 1
            weights[tap] = 0
        }
        if let full = whole.firstIndex(of: unit) {
            whole[full] -= 1
            whole[full > 0 ? full - 1 : full + 1] += 1
        }
    }

    // MARK: Windows

    /// The lists of windows: for each term, the windows of all groups.
    private struct Windows {
        var positions: [[Int32]] = []
        var picks: [[Int8]] = []
        var factors: [[Int8]] = []
        /// The results after which whole windows repeat, and how much further; 0 if they don't.
        var period = 0
        var advance = 0

        /// The longest period that kernels make use of, in groups: of 3/4, and of growing by 3/2.
        private static let longestPeriod = 3

        /// Each window begins at the first unused tap of its group, and takes the next one or two
        /// taps of each result.
        init(first: [Int32], weights: [Int8], _ tapCount: Int, step: Int, length: Int) {
            let groupLength = length / 2
            let groupCount = (first.count + 63) / 64 * 64 / groupLength
            var used = [Int](repeating: 0, count: first.count)

            /// Returns the position and weight of a result's first unused tap; nil if none is left.
            func next(_ result: Int) -> (position: Int32, weight: Int8)? {
                while used[result] < tapCount {
                    let weight = weights[result * tapCount + used[result]]
                    if weight != 0 { return (first[result] + Int32(used[result] * step), weight) }
                    used[result] += 1
                }
                return nil
            }

            for group in 0..<groupCount {
                let results = (group * groupLength..<(group + 1) * groupLength)
                    .clamped(to: first.indices)
                var term = 0
                while let position = results.lazy.compactMap({ next($0)?.position }).min() {
                    if term == positions.count {
                        positions.append(Array(repeating: 0, count: groupCount))
                        picks.append(Array(repeating: 0, count: groupCount * length))
                        factors.append(picks[term])
                    }
                    positions[term][group] = position
                    for result in results {
                        for place in 2 * result...2 * result + 1 {
                            guard let tap = next(result), tap.position < position + Int32(length),
                                Int(tap.weight) + Int(factors[term][2 * result]) <= unit
                            else { break }
                            picks[term][place] = Int8(tap.position - position)
                            factors[term][place] = tap.weight
                            used[result] += 1
                        }
                    }
                    term += 1
                }
            }
            for period in 1...Self.longestPeriod {
                guard
                    let advance = advance(
                        after: period, first.count / groupLength, length: length)
                else { continue }
                (self.period, self.advance) = (period * groupLength, advance)
                break
            }
        }

        /// The distance between the windows of each whole group and of the group `period` before it;
        /// nil if the groups differ in another way.
        private func advance(after period: Int, _ groupCount: Int, length: Int) -> Int? {
            guard groupCount > period, let first = positions.first,
                factors.allSatisfy({ $0.allSatisfy { $0 >= 0 } })
            else { return nil }
            let advance = first[period] - first[0]
            func part(_ group: Int) -> Range<Int> { group * length..<(group + 1) * length }
            for term in positions.indices {
                for group in period..<groupCount {
                    let (own, earlier) = (part(group), part(group - period))
                    guard positions[term][group] - positions[term][group - period] == advance,
                        picks[term][own] == picks[term][earlier],
                        factors[term][own] == factors[term][earlier]
                    else { return nil }
                }
            }
            return Int(advance)
        }
    }
}
