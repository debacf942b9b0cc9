/// The state that an output plugin reports. Raw values are words in reports.
public enum OutputCondition: String, CaseIterable, Codable, Sendable {
    /// It connects to what it writes to.
    case connecting
    /// It writes.
    case live
    /// It has lost what it writes to.
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
