import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime

/// The negotiations with the video sources of a session, and with their filters.
struct SessionNegotiations {
    /// The negotiations, sorted by role.
    private(set) var all: [VideoNegotiation] = []
    /// The first capability of each track, by the number of its source.
    private var firstCapabilities: [Int: VideoCapability] = [:]
    /// The largest capability of each track, as announced to output plugins, by the number of its
    /// source.
    private var wholeCapabilities: [Int: VideoCapability] = [:]
    /// The offer to the filters of a role, after their source has agreed.
    private var filterOffers: [SessionRole: Offer] = [:]

    /// Makes an empty set.
    init() {}

    /// Starts a negotiation with each video source, and makes its first offer.
    ///
    /// - Parameters:
    ///   - sources: The sources, already created, so that their capabilities are known.
    ///   - feeds: The feeds of plugins that receive media and have reported their demands.
    mutating func begin(with sources: [SessionPlugin], plan: SessionPlan, feeds: [OutputFeed]) {
        for source in sources {
            guard var negotiation = VideoNegotiation(with: source, plan: plan, feeds: feeds) else {
                continue
            }
            _ = negotiation.next(at: 0)
            all.append(negotiation)
        }
        all.sort { $0.plugin.number < $1.plugin.number }
    }

    /// Records the first frames that follow each offer, for the report.
    mutating func recordFollowed() { for index in all.indices { all[index].recordFollowed() } }

    /// The negotiation with a source; nil for other plugins.
    subscript(plugin: SessionPlugin) -> VideoNegotiation? {
        get { all.first { $0.plugin.instance === plugin.instance } }
        set {
            guard let newValue,
                let index = all.firstIndex(where: { $0.plugin.instance === plugin.instance })
            else { return }
            all[index] = newValue
        }
    }

    /// Returns the source of a role, including a source that has left.
    func source(of role: SessionRole) -> SessionPlugin? {
        all.first { $0.plugin.role == role }?.plugin
    }

    /// Returns the first capability of a source's track: the agreement, or the suggestion if the
    /// source was lost before it agreed; nil for audio.
    ///
    /// Outputs keep this capability. Later agreements change the source's frames, but not the
    /// outputs'.
    func capability(of source: SessionPlugin) -> VideoCapability? {
        firstCapabilities[source.number] ?? source.instance.agreement?.track
            ?? self[source]?.negotiator.offer?.suggested
    }

    /// Returns the largest capability of a source's track, regardless of the outputs' current
    /// demands; nil before the source has agreed, and for audio.
    ///
    /// An output without a demand may later request the whole track.
    func wholeCapability(of source: SessionPlugin) -> VideoCapability? {
        wholeCapabilities[source.number] ?? self[source]?.negotiator.whole
            ?? capability(of: source)
    }

    /// Stores the first capabilities of the sources' tracks.
    mutating func keepFirstCapabilities(of sources: [SessionPlugin]) {
        for source in sources {
            wholeCapabilities[source.number] = wholeCapability(of: source)
            firstCapabilities[source.number] = capability(of: source)
        }
    }

    /// Stores the offer to a source's filters: the first capability of the source's track.
    mutating func offerToFilters(of source: SessionPlugin) {
        guard let role = source.role, let track = capability(of: source) else { return }
        filterOffers[role] = Offer(revision: 1, rule: .rows, rows: [track], suggested: track)
    }

    /// Returns the first offer to a plugin; nil for audio.
    func first(to plugin: SessionPlugin) -> Offer? {
        if case .filter(_, let role) = plugin.address { return filterOffers[role] }
        return self[plugin]?.negotiator.offer
    }

    /// Returns the offer to a plugin at the start of a new life; nil for audio.
    mutating func fresh(to plugin: SessionPlugin, at nanoseconds: Int64) -> Offer? {
        if case .filter(_, let role) = plugin.address { return filterOffers[role] }
        return self[plugin]?.renew(at: nanoseconds)
    }
}
