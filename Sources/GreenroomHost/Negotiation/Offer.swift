public import GreenroomMedia

/// What a session can take, as it is offered to a source.
public struct Offer: Equatable, Sendable {
    /// How to read the rows. Raw values are those of `GR_OFFER_…`.
    public enum Rule: UInt32, Sendable {
        /// One of the rows.
        case rows = 1
        /// Any size and rate up to the one row.
        case upTo = 2
    }

    /// Counts the offers made to an instance, from 1.
    public let revision: UInt32
    /// How to read the rows.
    public let rule: Rule
    /// At least one row, largest first.
    public let rows: [VideoCapability]
    /// The best row for now.
    public let suggested: VideoCapability

    /// The offer to a camera: the rows of the table that fit under the session's maximum, each
    /// at its own rate or the maximum's, whichever is lower.
    ///
    /// Among rows of the same area the one whose shape is nearest to the maximum's is
    /// suggested. Where no row fits, the maximum itself is the one row.
    public static func toVideoSource(
        revision: UInt32, table: CapabilityTable, maximum: VideoCapability
    ) -> Offer {
        var rows: [VideoCapability] = []
        for row in table.rows
        where row.size.width <= maximum.size.width && row.size.height <= maximum.size.height {
            rows.append(VideoCapability(size: row.size, rate: min(row.rate, maximum.rate)))
        }
        if rows.isEmpty { rows = [maximum] }
        let best = rows[0].size.area
        let suggested = rows.filter { $0.size.area == best }
            .min { aspectDistance($0, maximum) < aspectDistance($1, maximum) }
        return Offer(
            revision: revision, rule: .rows, rows: rows, suggested: suggested ?? rows[0])
    }

    /// The offer to a share: any size and rate up to the session's maximum.
    public static func toShareSource(revision: UInt32, maximum: VideoCapability) -> Offer {
        Offer(revision: revision, rule: .upTo, rows: [maximum], suggested: maximum)
    }

    private static func aspectDistance(_ one: VideoCapability, _ other: VideoCapability) -> Int {
        abs(one.size.width * other.size.height - other.size.width * one.size.height)
    }
}
