/// The state that an output plugin reports. Raw values are words in reports.
public enum OutputCondition: String, CaseIterable, Codable, Sendable {
    /// The output connects to its destination.
    case connecting
    /// It writes.
    case live
    /// The output has lost its destination.
    case lost

    /// A plugin's `GR_OUTPUT_…`; nil for other numbers.
    package init?(plugin state: UInt32) {
        switch state {
        case 1: self = .connecting
        case 2: self = .live
        case 3: self = .lost
        default: return nil
        }
    }
}
