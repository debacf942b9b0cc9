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
        var begun: Int64
        var isLow = false
    }

    /// When the next stretch ends.
    private(set) var due: Int64 = 0
    private let minimum: Int?
    private var entries: [String: Entry] = [:]

    /// - Parameter minimum: The session's, in per cent; nil if it has none.
    init(minimum: Int?) { self.minimum = minimum }

    /// Looks at a track.
    ///
    /// - Parameter account: How much of it was real so far; asked for only at the end of a stretch.
    /// - Returns: What is to be told: that too little is real, or that it is real again.
    mutating func look(at role: String, now: Int64, account: () -> Account) -> String? {
        guard let last = entries[role] else {
            entries[role] = Entry(account: account(), begun: now)
            due = now + Self.stretch
            return nil
        }
        guard now - last.begun >= Self.stretch else { return nil }
        due = now + Self.stretch
        let total = account()
        let change = total.since(last.account).report
        let isLow = (change.realPercent ?? 100) < Double(minimum ?? Self.usualMinimum)
        entries[role] = Entry(account: total, begun: now, isLow: isLow)
        guard isLow != last.isLow else { return nil }
        let agreed = isLow ? minimum.map { ", less than minimum-real, \($0) %" } ?? "" : ""
        return "of the last 10 s, \(change)\(agreed)"
    }
}
