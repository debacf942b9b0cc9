extension SessionReport {
    /// A hook in the report.
    public struct Hook: Encodable, Equatable, Sendable {
        /// An event that was not delivered.
        public struct Undelivered: Encodable, Equatable, Sendable {
            /// The event's identifier, as the receiver sees it.
            public var id: String
            /// The file, participant or role; absent for the whole session.
            public var about: String?
            /// The reason of the last attempt.
            public var reason: String
        }

        /// The most events in the list.
        static let mostListed = 100

        /// The key below `on` in the session file.
        public var on: String
        /// Delivered events.
        public internal(set) var delivered = 0
        /// Attempts, with retries.
        public internal(set) var attempts = 0
        /// The first events that were not delivered.
        public internal(set) var undelivered: [Undelivered] = []
        /// The number of further events that were not delivered; absent if none.
        public internal(set) var undeliveredLeftOut: Int?

        init(on: String) { self.on = on }

        /// The number of events that were not delivered.
        var undeliveredCount: Int { undelivered.count + (undeliveredLeftOut ?? 0) }

        mutating func add(_ event: Undelivered) {
            if undelivered.count < Self.mostListed {
                undelivered.append(event)
            } else {
                undeliveredLeftOut = (undeliveredLeftOut ?? 0) + 1
            }
        }
    }
}
