package import GreenroomMedia

/// Everything that an offer is made from: the same inputs always make the same offer.
package struct NegotiationInputs: Equatable, Sendable {
    /// How the source reads an offer: rows for a camera, "up to" for a share.
    package var rule: OfferRule
    /// The sizes that cameras are offered.
    package var table: CapabilityTable
    /// What the source says that it can make; empty if it says nothing.
    package var capabilities: [VideoCapability]
    /// The ceilings that now apply, the session's maximum among them.
    package var ceilings: [Ceiling]

    /// Makes inputs.
    package init(
        rule: OfferRule, table: CapabilityTable, capabilities: [VideoCapability] = [],
        ceilings: [Ceiling]
    ) {
        self.rule = rule
        self.table = table
        self.capabilities = capabilities
        self.ceilings = ceilings
    }

    /// The offer that the inputs make.
    ///
    /// The rows are those of the table that the session's maximum, the measured ability and the
    /// source all allow. Where none is left they are what the source can make under these; where
    /// that is nothing either, the ceiling itself. No row has more than the lowest ceiling's rate.
    /// The suggestion is the best row under all ceilings; where no row fits, their lowest becomes
    /// a row of its own.
    ///
    /// - Parameters:
    ///   - revision: The offer's number.
    ///   - previous: The last offer to the source, which tells up from down; nil if there was none.
    package func offer(revision: UInt32, after previous: Offer?) -> Offer {
        let ceiling = ceilings.lowest
        let (rows, suggested) =
            switch rule {
            case .rows: rowsAndBest(under: ceiling)
            case .upTo: limitAndBest(under: ceiling)
            }
        let reason: Offer.Reason
        if let previous {
            let isBetter =
                previous.suggested.fits(under: ceiling)
                && !suggested.fits(under: previous.suggested)
            reason = isBetter ? .ceilingRaised : .ceilingLowered
        } else {
            reason = .initial
        }
        return Offer(
            revision: revision, rule: rule, reason: reason, rows: rows, suggested: suggested,
            ceiling: ceiling)
    }

    // MARK: Cameras

    /// The rows that the source may choose from, before any ceiling that lowers the suggestion
    /// alone: largest first, no size twice; may be empty.
    private var supportedRows: [VideoCapability] {
        let limit = ceilings.filter(\.kind.limitsRows).lowest
        let possible = table.rows.compactMap { row -> VideoCapability? in
            guard !capabilities.isEmpty else { return row }
            let rates = capabilities.filter { $0.size == row.size }.map(\.rate)
            return rates.max().map {
                VideoCapability(size: row.size, rate: min(row.rate, $0))
            }
        }
        let rows = CapabilityTable(possible.filter(\.size.isLegal)).rows(under: limit)
        guard rows.isEmpty else { return rows }
        return CapabilityTable(capabilities.filter(\.size.isLegal)).rows(under: limit)
    }

    private func rowsAndBest(
        under ceiling: VideoCapability
    ) -> (rows: [VideoCapability], best: VideoCapability) {
        var rows = supportedRows.map {
            VideoCapability(size: $0.size, rate: min($0.rate, ceiling.rate))
        }
        let fitting = rows.filter { $0.fits(under: ceiling) }
        let area = fitting.first?.size.area
        let best = fitting.prefix { $0.size.area == area }
            .min { $0.shapeDistance(to: ceiling) < $1.shapeDistance(to: ceiling) }
        if let best { return (rows, best) }
        let own = VideoCapability(size: ceiling.size.evened, rate: ceiling.rate)
        rows.append(own)
        return (CapabilityTable(rows).rows, own)
    }

    // MARK: Shares

    /// One row, the most that the share may have, and the largest of the share's own shape under
    /// it; of the session's shape if the share has not told its own.
    private func limitAndBest(
        under ceiling: VideoCapability
    ) -> (rows: [VideoCapability], best: VideoCapability) {
        let own = CapabilityTable(capabilities.filter(\.size.isLegal)).rows
        guard let largest = own.first else {
            let maximum = ceilings.first { $0.kind == .sessionMaximum }?.limit ?? ceiling
            return ([ceiling], maximum.reduced(toFit: ceiling))
        }
        let most = own.reduce(largest) { most, row in
            VideoCapability(
                size: FrameSize(
                    width: max(most.size.width, row.size.width),
                    height: max(most.size.height, row.size.height)),
                rate: max(most.rate, row.rate))
        }
        let limit = ceiling.lowered(to: most)
        let best = own.first { $0.size.fits(in: limit.size) } ?? largest
        return ([limit], best.reduced(toFit: limit))
    }
}

// MARK: - What the outputs want

extension NegotiationInputs {
    /// What has to be captured so that every output gets what it wants: the smallest row that
    /// covers the largest want, at the highest wanted rate.
    ///
    /// - Parameter wants: The wants of all outputs.
    /// - Returns: Nil if there is nothing to save: there is no output, or one takes the track as
    ///   it is, or no row covers the largest want.
    package func limit(serving wants: [VideoSinkWant]) -> VideoCapability? {
        guard !wants.isEmpty else { return nil }
        let sizes = wants.compactMap(\.size)
        let rates = wants.compactMap(\.rate)
        var limit = VideoCapability.greatest
        if rates.count == wants.count, let rate = rates.max() { limit.rate = rate }
        if sizes.count == wants.count, let width = sizes.map(\.width).max(),
            let height = sizes.map(\.height).max()
        {
            let largest = FrameSize(width: width, height: height)
            switch rule {
            case .upTo: limit.size = largest
            case .rows:
                // The measured ability comes and goes; what the outputs want does not.
                var lasting = self
                lasting.ceilings.removeAll { $0.kind != .sessionMaximum }
                let covering = lasting.supportedRows.filter { largest.fits(in: $0.size) }
                let wanted = rates.count == wants.count ? limit.rate : FrameRate(1)
                let row = covering.last { $0.rate >= wanted } ?? covering.last
                if let row { limit.size = row.size }
            }
        }
        return limit == .greatest ? nil : limit
    }
}

// MARK: - Which ceilings bind

extension NegotiationInputs {
    /// The ceilings that make the suggestion what it is, and those that don't: without any one of
    /// the first it would be another one. Of two that say the same the older one binds.
    func bindingCeilings() -> (binding: [Ceiling], others: [Ceiling]) {
        let suggested = offer(revision: 1, after: nil).suggested
        var binding = self
        var others: [Ceiling] = []
        let youngestFirst = ceilings.enumerated().sorted {
            ($0.element.since, $0.offset) > ($1.element.since, $1.offset)
        }
        for (_, ceiling) in youngestFirst {
            var without = binding
            without.ceilings.removeAll { $0 == ceiling }
            guard without.offer(revision: 1, after: nil).suggested == suggested else { continue }
            binding = without
            others.insert(ceiling, at: 0)
        }
        return (binding.ceilings, others)
    }
}

extension CapabilityTable {
    /// The rows whose size is within a limit, each at its own rate or the limit's, whichever is
    /// lower. Of two rows of a size the faster one stands.
    fileprivate func rows(under limit: VideoCapability) -> [VideoCapability] {
        var result: [VideoCapability] = []
        for row in rows where row.size.fits(in: limit.size) {
            let rate = min(row.rate, limit.rate)
            if let last = result.last, last.size == row.size {
                result[result.count - 1].rate = max(last.rate, rate)
            } else {
                result.append(VideoCapability(size: row.size, rate: rate))
            }
        }
        return result
    }
}

extension VideoCapability {
    /// How far the shapes of two sizes are apart; 0 for the same shape.
    fileprivate func shapeDistance(to other: VideoCapability) -> Int {
        abs(size.width * other.size.height - other.size.width * size.height)
    }
}

extension FrameSize {
    /// Whether neither side is longer than a limit's.
    package func fits(in limit: FrameSize) -> Bool {
        width <= limit.width && height <= limit.height
    }

    /// With even sides, which every consumer takes; a side of one pixel stays.
    fileprivate var evened: FrameSize {
        FrameSize(
            width: width > 1 ? width / 2 * 2 : width,
            height: height > 1 ? height / 2 * 2 : height)
    }
}
