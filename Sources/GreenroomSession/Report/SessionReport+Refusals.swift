public import GreenroomMedia

extension SessionReport {
    /// Refused frames, blocks or calls, counted by status. In JSON it is an object with the names of
    /// the statuses.
    public struct Refusals: Codable, Equatable, Sendable {
        /// The counts by the name of the status, e.g. `BAD_STRIDE`, without zeros.
        public var byName: [String: Int]

        /// The number of refusals.
        public var total: Int { byName.values.reduce(0, +) }

        init(_ byName: [String: Int]) { self.byName = byName }

        /// Reads an object.
        public init(from decoder: any Decoder) throws {
            byName = try decoder.singleValueContainer().decode([String: Int].self)
        }

        /// The number of refusals with a status.
        public subscript(status: Status) -> Int { byName[status.description, default: 0] }

        /// Writes an object.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(byName)
        }
    }
}
