/// The result of validating one plugin.
public struct ConformanceReport: Codable, Sendable {
    /// The plugin's processor time at one row of the capability table.
    public struct Cost: Codable, Equatable, Sendable {
        /// The row, e.g. `1280x720@30`.
        public var row: String
        /// The median processor time per frame, in milliseconds.
        public var millisecondsPerFrame: Double

        /// Makes a cost.
        public init(row: String, millisecondsPerFrame: Double) {
            self.row = row
            self.millisecondsPerFrame = millisecondsPerFrame
        }
    }

    /// The plugin's id.
    public var plugin: String
    /// The plugin's name.
    public var name: String
    /// The name of the plugin's kind, e.g. `video source`.
    public var kind: String
    /// The plugin's version.
    public var version: String
    /// The path of the library, as given.
    public var library: String
    /// The SHA-256 of the library's file, in hexadecimal digits.
    public var sha256: String
    /// The version of Greenroom that validated the plugin.
    public var host: String
    /// The seed of all random input.
    public var seed: UInt64
    /// The settings of the run, by name. All other settings had their defaults.
    public var settings: [String: String]
    /// The grants of the sandbox, e.g. `read /srv/media` or `network`.
    public var grants: [String]
    /// Whether the user declared the video as intentionally still.
    public var isStill: Bool
    /// The time of the run, as ISO 8601.
    public var date: String
    /// Whether every check for the plugin's kind ran.
    public var isComplete: Bool
    /// The results of the checks for the plugin's kind, in the order of the catalogue.
    public var results: [CheckResult]
    /// The measured costs, one for each row.
    public var costs: [Cost]

    /// The conclusion from all results.
    public enum Conclusion: String, Codable, CaseIterable, Sendable {
        /// No check found a fault.
        case conforms
        /// No check found a fault, and at least one could not decide.
        case notProven = "not-proven"
        /// A check found a fault.
        case doesNotConform = "does-not-conform"
    }

    /// The conclusion from all results.
    public var conclusion: Conclusion {
        if results.contains(where: \.outcome.isFault) { return .doesNotConform }
        return count(of: .notProven) > 0 ? .notProven : .conforms
    }

    /// Whether all checks are decided, and none found a fault.
    public var conforms: Bool { conclusion == .conforms }

    /// Whether the plugin gave up before it sent any media. Its sending is then untested, even if
    /// many checks passed.
    public var hasSentNothing: Bool {
        // The whole-life check has no other warning.
        results.contains { $0.check == Catalogue.wholeLife.id && $0.outcome == .warning }
    }

    /// The number of checks with an outcome.
    public func count(of outcome: Outcome) -> Int {
        results.count { $0.outcome == outcome }
    }
}
