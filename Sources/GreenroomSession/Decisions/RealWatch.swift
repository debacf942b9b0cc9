import GreenroomAudio
import GreenroomVideo

/// Finds out, in stretches of ten seconds, whether less of a track is real than was agreed, or than
/// goes unnoticed.
///
/// It has no clock: times are passed in, in nanoseconds of the session.
struct RealWatch {
    /// How much of a track was real.
    enum Account {
        case video(VideoAccount)
        case audio(AudioAccount)

        fileprivate func since(_ earlier: Account) -> Account {
            switch (self, earlier) {
            case (.video(let now), .video(let earlier)): .video(now.since(earlier))
            case (.audio(let now), .audio(let earlier)): .audio(now.since(earlier))
            case (_, _): self
            }
        }

        fileprivate var report: SessionReport.RealAccount {
            switch self {
            case .video(let account): SessionReport.RealAccount(account)
            case .audio(let account): SessionReport.RealAccount(account)
            }
        }
    }

    private static let stretch: Int64 = 10_000_000_000
    /// The least, in per cent, without a minimum of the session.
    private static let usualMinimum = 90

    private struct Entry {
        var account: Account
        var isLow = false
    }

    private let minimum: Int?
    private var entries: [String: Entry] = [:]
    /// When the next stretch ends.
    private(set) var due: Int64 = 0

    /// - Parameter minimum: The session's, in per cent; nil if it has none.
    init(minimum: Int?) { self.minimum = minimum }

    /// Looks at the tracks.
    ///
    /// - Parameter accounts: How much of each was real so far, by its source's role; asked for only at the end
    ///   of a stretch.
    /// - Returns: What is to be told: that too little is real, or that it is real again.
    mutating func look(
        at now: Int64, accounts: () -> [(role: String, account: Account)]
    ) -> [(role: String, text: String)] {
        guard now >= due else { return [] }
        due = now + Self.stretch
        return accounts().compactMap { role, account in
            look(at: role, account).map { (role, $0) }
        }
    }

    private mutating func look(at role: String, _ account: Account) -> String? {
        guard let last = entries[role] else {
            entries[role] = Entry(account: account)
            return nil
        }
        let change = account.since(last.account).report
        let isLow = (change.realPercent ?? 100) < Double(minimum ?? Self.usualMinimum)
        entries[role] = Entry(account: account, isLow: isLow)
        guard isLow != last.isLow else { return nil }
        let agreed = isLow ? minimum.map { ", less than minimum-real, \($0) %" } ?? "" : ""
        return "of the last 10 s, \(change)\(agreed)"
    }
}
