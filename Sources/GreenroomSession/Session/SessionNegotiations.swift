import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime

/// The negotiations with the video sources of a session, and with their filters.
struct SessionNegotiations {
    /// Sorted by role.
    private(set) var all: [VideoNegotiation] = []
    /// The first capability of each track, by its source.
    private var firstCapabilities: [Int: VideoCapability] = [:]
    /// The largest capability of each track, which output plugins get to know, by its source.
    private var wholeCapabilities: [Int: VideoCapability] = [:]
    /// The row for the filters of a role, as an offer, after their source agreed.
    private var filterOffers: [SessionRole: Offer] = [:]

    /// Makes an empty set.
    init() {}

    /// Starts one with each video source.
    ///
    /// - Parameters:
    ///   - sources: Already created, so that their capabilities are known.
    ///   - feeds: The plugins that take media, which have said what they want.
    /// - Returns: The first offers, by plugin number.
    mutating func begin(
        with sources: [SessionPlugin], plan: SessionPlan, feeds: [OutputFeed]
    ) -> [Int: Offer] {
        var offers: [Int: Offer] = [:]
        for source in sources {
            guard var negotiation = VideoNegotiation(with: source, plan: plan, feeds: feeds) else {
                continue
            }
            offers[source.number] = negotiation.next(at: 0)
            all.append(negotiation)
        }
        all.sort { $0.plugin.number < $1.plugin.number }
        return offers
    }

    /// Records the first frames that were made for offers, for the report.
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

    /// The source of a role, also after it left.
    func source(of role: SessionRole) -> SessionPlugin? {
        all.first { $0.plugin.role == role }?.plugin
    }

    /// The first capability of a source's track: agreed, or suggested if the source was lost
    /// before; nil for audio.
    ///
    /// Outputs keep it: what the source agrees to later changes its frames, and not theirs.
    func capability(of source: SessionPlugin) -> VideoCapability? {
        firstCapabilities[source.number] ?? source.instance.agreement?.track
            ?? self[source]?.negotiator.offer?.suggested
    }

    /// The largest capability of a source's track, whatever outputs want now: an output that wants nothing at
    /// first may want all of the track later. Nil before the source has agreed, and for audio.
    func wholeCapability(of source: SessionPlugin) -> VideoCapability? {
        wholeCapabilities[source.number] ?? self[source]?.negotiator.whole
            ?? capability(of: source)
    }

    /// Keeps the first capabilities of the sources' tracks.
    mutating func keepFirstCapabilities(of sources: [SessionPlugin]) {
        for source in sources {
            wholeCapabilities[source.number] = wholeCapability(of: source)
            firstCapabilities[source.number] = capability(of: source)
        }
    }

    /// The offer to a source's filters: its track's first capability.
    mutating func offerToFilters(of source: SessionPlugin) -> Offer? {
        guard let track = capability(of: source) else { return nil }
        let offer = Offer(revision: 1, rule: .rows, rows: [track], suggested: track)
        if let role = source.role { filterOffers[role] = offer }
        return offer
    }

    /// The offer to a plugin at the start of a new life; nil for audio.
    mutating func fresh(to plugin: SessionPlugin, at nanoseconds: Int64) -> Offer? {
        if case .filter(_, let role) = plugin.address { return filterOffers[role] }
        return self[plugin]?.renew(at: nanoseconds)
    }
}
