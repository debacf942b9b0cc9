package import GreenroomMedia

/// The inputs of an offer: equal inputs make equal offers.
package struct NegotiationInputs: Equatable, Sendable {
    /// The source's rule for reading an offer: rows for a camera, "up to" for a share.
    package var rule: OfferRule
    /// The sizes for cameras.
    package var table: CapabilityTable
    /// The capabilities that the source declares; empty if it declares none.
    package var capabilities: [VideoCapability]
    /// The current ceilings, including the session's maximum.
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

    /// Returns the offer for these inputs.
    ///
    /// The rows are the table's rows that the session's maximum, the measured ability and the
    /// source allow. If there is none, the rows are the source's capabilities under these limits;
    /// if there is none either, the ceiling itself. No row exceeds the lowest ceiling's rate. The
    /// suggestion is the best row under all ceilings. If no row fits, the lowest ceiling becomes an
    /// additional row.
    ///
    /// - Parameters:
    ///   - revision: The offer's revision.
    /// - previous: The last offer to the source, for the reason of the new one; nil if there was
    ///   none.
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

    /// The rows that the source may choose from, before ceilings that only lower the suggestion:
    /// largest first, sizes unique; may be empty.
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

    /// One row, the share's limit, and the largest size with the share's own aspect ratio under it;
    /// with the session's aspect ratio if the share's is unknown.
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

// MARK: - The outputs' wants

extension NegotiationInputs {
    /// Returns the capability that satisfies every output: the smallest row that covers the largest
    /// want, at the highest wanted rate.
    ///
    /// - Parameter wants: The wants of all outputs.
    /// - Returns: The capability; nil if it saves no work: the track has no output, an output takes
    ///   the track unchanged, or no row covers the largest want.
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
                // The measured ability varies; the outputs' wants do not.
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

// MARK: - Binding ceilings

extension NegotiationInputs {
    /// The ceilings that determine the suggestion, and the others: without any binding ceiling the
    /// suggestion would differ. Of two equal ceilings the older one binds.
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
    /// The rows within a limit's size, each at the lower of its rate and the limit's. Of two rows
    /// with one size the faster one stays.
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
    /// The difference of two aspect ratios; 0 if equal.
    fileprivate func shapeDistance(to other: VideoCapability) -> Int {
        abs(size.width * other.size.height - other.size.width * size.height)
    }
}

extension FrameSize {
    /// Whether the size exceeds a limit in neither dimension.
    package func fits(in limit: FrameSize) -> Bool {
        width <= limit.width && height <= limit.height
    }

    /// The size with even sides, which every output accepts. A side of one pixel stays.
    fileprivate var evened: FrameSize {
        FrameSize(
            width: width > 1 ? width / 2 * 2 : width,
            height: height > 1 ? height / 2 * 2 : height)
    }
}
