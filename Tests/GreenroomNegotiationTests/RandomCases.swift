import GreenroomMedia
import TestSupport

@testable import GreenroomNegotiation

extension SeededGenerator {
    /// Likely sizes: small ones, those of the table, and any.
    mutating func size() -> FrameSize {
        switch Int.random(in: 0..<4, using: &self) {
        case 0:
            FrameSize(
                width: Int.random(in: 1...6, using: &self),
                height: Int.random(in: 1...6, using: &self))
        case 1:
            FrameSize(
                width: Int.random(in: 1...8192, using: &self),
                height: Int.random(in: 1...8192, using: &self))
        default:
            CapabilityTable.standard.rows.randomElement(using: &self)?.size
                ?? FrameSize(width: 2, height: 2)
        }
    }

    mutating func rate() -> FrameRate {
        let fractions =
            [(30_000, 1001), (15, 2), (1, 3), (1000, 1), (24_000, 1001)] as [(UInt32, UInt32)]
        if Bool.random(using: &self),
            let (numerator, denominator) = fractions.randomElement(using: &self)
        {
            return FrameRate(numerator: numerator, denominator: denominator) ?? FrameRate(30)
        }
        return FrameRate([5, 15, 24, 30, 60].randomElement(using: &self) ?? 30)
    }

    mutating func capability() -> VideoCapability { VideoCapability(size: size(), rate: rate()) }

    mutating func capabilities(upTo count: Int) -> [VideoCapability] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in capability() }
    }

    mutating func table() -> CapabilityTable {
        Bool.random(using: &self) ? .standard : CapabilityTable(capabilities(upTo: 8))
    }

    mutating func inputs() -> NegotiationInputs {
        var ceilings = [Ceiling.sessionMaximum(capability())]
        for kind in [Ceiling.Kind.ability, .wants, .outside, .outside]
        where Bool.random(using: &self) {
            ceilings.append(
                Ceiling(
                    kind: kind, origin: "\(kind)", limit: capability(),
                    since: Int64.random(in: 0...3, using: &self)))
        }
        return NegotiationInputs(
            rule: Int.random(in: 0..<4, using: &self) == 0 ? .upTo : .rows, table: table(),
            capabilities: capabilities(upTo: 6), ceilings: ceilings)
    }
}
