package import GreenroomMedia

/// An output's current demand for a video track.
package struct OutputDemand: Equatable, Sendable {
    /// The want.
    package var want: VideoSinkWant
    /// The output's ceiling; nil if there is none.
    package var ceiling: OutputCeiling?

    /// Describes a demand.
    package init(want: VideoSinkWant, ceiling: OutputCeiling? = nil) {
        self.want = want
        self.ceiling = ceiling
    }
}

/// An output's upper limit for a video track, with its reason.
package struct OutputCeiling: Equatable, Sendable {
    /// The limit.
    package var limit: VideoCapability
    /// The output and its reason: `outputs[1] (Gallery): the window is small`.
    package var origin: String

    /// Describes a ceiling.
    package init(limit: VideoCapability, origin: String) {
        self.limit = limit
        self.origin = origin
    }
}

extension NegotiationInputs {
    /// Returns the largest of the outputs' wants, each reduced to the output's own ceiling.
    ///
    /// - Returns: The limit, with the origin of the largest ceiling; nil if another output can use
    ///   as much as without the ceilings.
    package func ceiling(of demands: [OutputDemand]) -> OutputCeiling? {
        guard demands.contains(where: { $0.ceiling != nil }) else { return nil }
        let maximum = ceilings.first { $0.kind == .sessionMaximum }?.limit ?? .greatest
        func wanted(_ wants: [VideoSinkWant]) -> VideoCapability {
            (limit(serving: wants) ?? .greatest).lowered(to: maximum)
        }
        var most: VideoCapability?
        var decisive: (usable: VideoCapability, ceiling: OutputCeiling)?
        for demand in demands {
            var usable = wanted([demand.want])
            if let ceiling = demand.ceiling {
                usable = usable.lowered(to: ceiling.limit)
                if decisive.map({ $0.usable.size.area < usable.size.area }) ?? true {
                    decisive = (usable, ceiling)
                }
            }
            most = most.map { $0.raised(to: usable) } ?? usable
        }
        let without = wanted(demands.map(\.want))
        guard let limit = most?.lowered(to: without), limit != without, let decisive else {
            return nil
        }
        return OutputCeiling(limit: limit, origin: decisive.ceiling.origin)
    }
}

extension Negotiator {
    /// Sets the outputs' demands: their largest want is one ceiling, and the largest limit of an
    /// output is another.
    package mutating func set(demands: [OutputDemand], at now: Int64) {
        guard demands != self.demands else { return }
        self.demands = demands
        set(wants: demands.map(\.want), at: now)
        set(outputs: demands, at: now)
    }
}

extension VideoCapability {
    /// The maximum of both, for each side and the rate.
    fileprivate func raised(to other: VideoCapability) -> VideoCapability {
        VideoCapability(
            size: FrameSize(
                width: max(size.width, other.size.width),
                height: max(size.height, other.size.height)),
            rate: max(rate, other.rate))
    }
}
