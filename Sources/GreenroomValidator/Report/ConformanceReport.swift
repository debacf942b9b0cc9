/// What was found of one plugin.
public struct ConformanceReport: Codable, Sendable {
    /// What a row of the capability table costs the plugin.
    public struct Cost: Codable, Equatable, Sendable {
        /// The row, e.g. `1280x720@30`.
        public var row: String
        /// Milliseconds of a processor for each frame, median.
        public var millisecondsPerFrame: Double

        /// Makes a cost.
        public init(row: String, millisecondsPerFrame: Double) {
            self.row = row
            self.millisecondsPerFrame = millisecondsPerFrame
        }
    }

    /// The plugin's id.
    public var plugin: String
    /// Its name.
    public var name: String
    /// What it is, as people say it, e.g. `video source`.
    public var kind: String
    /// Its version.
    public var version: String
    /// The file, as it was named.
    public var library: String
    /// SHA-256 of the file, in hexadecimal digits.
    public var sha256: String
    /// The version of Greenroom that looked.
    public var host: String
    /// What everything random was made from.
    public var seed: UInt64
    /// The settings that were given, by name; all others had their defaults.
    public var settings: [String: String]
    /// What the plugin was granted in its sandbox, e.g. `read /srv/media` or `network`.
    public var grants: [String]
    /// Whether the picture was said to stand still on purpose.
    public var isStill: Bool
    /// When, as ISO 8601.
    public var date: String
    /// Whether every check that there is for plugins of its kind was made.
    public var isComplete: Bool
    /// The checks that concern plugins of its kind, in the order of the catalogue.
    public var results: [CheckResult]
    /// What was measured, for each row.
    public var costs: [Cost]

    /// Whether no check found a fault.
    public var conforms: Bool { !results.contains { $0.outcome.isFault } }

    /// Whether the plugin gave up before it sent anything: what it is like when it sends is not
    /// known, however many checks it passed.
    public var hasSentNothing: Bool {
        // The check of a whole life has nothing else to warn of.
        results.contains { $0.check == Catalogue.wholeLife.id && $0.outcome == .warning }
    }

    /// How many checks have an outcome.
    public func count(of outcome: Outcome) -> Int {
        results.count { $0.outcome == outcome }
    }
}
