import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime

/// What is agreed on with the sources of video of a session, and with their filters.
struct SessionNegotiations {
    /// In the order of roles.
    private(set) var all: [VideoNegotiation] = []
    /// The row that the filters of a role get, as an offer, once their source has agreed.
    private var filterOffers: [SessionRole: Offer] = [:]

    /// Makes none.
    init() {}

    /// Begins one with each source of video.
    ///
    /// - Parameter sources: Have been created, so that they have said what they can make.
    init(with sources: [SessionPlugin], plan: SessionPlan) {
        all = sources.compactMap { VideoNegotiation(with: $0, plan: plan) }
    }

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

    /// The source with a role, also one that has left.
    func source(of role: SessionRole) -> SessionPlugin? {
        all.first { $0.plugin.address.role == role }?.plugin
    }

    /// The first offers, by the numbers of plugins.
    mutating func first() -> [Int: Offer] {
        var offers: [Int: Offer] = [:]
        for index in all.indices { offers[all[index].plugin.number] = all[index].next(at: 0) }
        return offers
    }

    /// What the track of a source carries at first: what it agreed on, or what was suggested if it
    /// was lost before that; nil for sound.
    func capability(of source: SessionPlugin) -> VideoCapability? {
        source.instance.agreement?.track ?? self[source]?.negotiator.offer?.suggested
    }

    /// The offer to the filters of a source: what its track carries at first.
    mutating func offerToFilters(of source: SessionPlugin) -> Offer? {
        guard let track = capability(of: source) else { return nil }
        let offer = Offer(revision: 1, rule: .rows, rows: [track], suggested: track)
        filterOffers[source.address.role] = offer
        return offer
    }

    /// What a plugin is offered at the beginning of a new life; nil for sound.
    mutating func fresh(to plugin: SessionPlugin, at nanoseconds: Int64) -> Offer? {
        guard plugin.address.filter == nil else { return filterOffers[plugin.address.role] }
        return self[plugin]?.renew(at: nanoseconds)
    }
}
