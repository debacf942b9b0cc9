import GreenroomAudio
import GreenroomVideo

/// Checks the share of real media of each track every ten seconds. Reports a share that falls below
/// the session's minimum, by default 90 %.
///
/// The value has no clock: times are arguments, in nanoseconds of the session.
struct RealWatch {
    /// The amount of real media in a track.
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
    /// The minimum share for sessions that set none, in per cent.
    private static let usualMinimum = 90

    private struct Entry {
        var account: Account
        var isLow = false
    }

    private let minimum: Int?
    private var entries: [String: Entry] = [:]
    /// The end of the current ten seconds.
    private(set) var due: Int64 = 0

    /// - Parameter minimum: The session's minimum, in per cent; nil if it has none.
    init(minimum: Int?) { self.minimum = minimum }

    /// Checks the tracks.
    ///
    /// - Parameter accounts: Returns the amount of real media of each track so far, by its source's
    ///   role; called only every ten seconds.
    /// - Returns: The texts to report: too little media is real, or enough is real again.
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
