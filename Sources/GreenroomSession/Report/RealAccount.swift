import GreenroomLifecycle
import GreenroomModel
import GreenroomAudio
import GreenroomVideo

extension SessionReport {
    /// The amount of real media in a track. Each period of a video's rate, or each frame of audio
    /// at 48 kHz, is of one kind.
    public struct RealAccount: Codable, Sendable {
        /// The number of periods or frames, of all kinds.
        public var total: Int
        /// Periods or frames that the source sent in time. A frame that stays because the source
        /// owed no newer frame counts: the source agreed on a lower rate, or is a share.
        public var real: Int
        /// Periods with a frame that arrived more than 100 ms after its timestamp; absent for
        /// audio.
        public var late: Int?
        /// Periods with a frame, or frames of audio, that a filter did not edit.
        public var unedited: Int?
        /// Periods that repeat a frame, although the source owed a newer frame; absent for audio.
        public var repeated: Int?
        /// Periods with a slate; absent for audio.
        public var slate: Int?
        /// Frames that replace late or missing audio; absent for video.
        public var concealed: Int?
        /// Periods or frames before the first frame from the source, and silence while the source
        /// was lost.
        public var missing: Int
        /// Periods or frames for which the source owed no media. The source was stopped or paused,
        /// had not connected yet, had ended, or was a share that paused before its first frame.
        public var stopped: Int
        /// `real` and `late` as a part of `total` minus `stopped`, in per cent; absent if no media
        /// was owed.
        public var realPercent: Double?

        init(_ account: VideoAccount) {
            total = account.total
            real = account.real
            late = account.late
            unedited = account.unedited
            repeated = account.repeated
            slate = account.slate
            missing = account.missing
            stopped = account.stopped
            realPercent = account.realPart.map(percent)
        }

        init(_ account: AudioAccount) {
            total = account.total
            real = account.real
            unedited = account.unedited
            concealed = account.concealed
            missing = account.missing
            stopped = account.stopped
            realPercent = account.realPart.map(percent)
        }
    }
}

extension SessionReport.RealAccount: CustomStringConvertible {
    /// `96.4 % real; 3.1 % repeated, 0.5 % slate`.
    public var description: String {
        guard let realPercent else { return "stopped, paused or disconnected throughout" }
        let due = Double(max(total - stopped, 1))
        let rest = [
            ("late", late), ("unedited", unedited), ("repeated", repeated), ("slate", slate),
            ("concealed", concealed), ("missing", missing),
        ].compactMap { name, count in
            count.flatMap { $0 > 0 ? "\(tenths(percent(Double($0) / due))) % \(name)" : nil }
        }
        return "\(tenths(realPercent)) % real"
            + (rest.isEmpty ? "" : "; \(rest.joined(separator: ", "))")
    }

    /// Formats a percentage with one digit. Only 0 becomes "0" and only 100 becomes "100".
    private func tenths(_ number: Double) -> String {
        guard number < 100, number > 0 else { return number > 0 ? "100" : "0" }
        let tenths = min(max(Int((number * 10).rounded()), 1), 999)
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

/// Converts a part to per cent, with two digits. Only a whole part becomes 100, and only an empty
/// part becomes 0.
func percent(_ part: Double) -> Double {
    let rounded = (part * 10_000).rounded() / 100
    if part < 1, rounded >= 100 { return 99.99 }
    return part > 0 && rounded <= 0 ? 0.01 : rounded
}

extension SessionReport {
    /// The roles whose tracks had less real media than they should have.
    ///
    /// Sources that the session may run without (`on-failure: off`), and sources that connect by
    /// themselves, count only if no track had real media.
    ///
    /// - Parameter realPercents: The real share of each track, in per cent, by role; nil for a track whose source owed
    ///   no media. A track that the session never had is not in it.
    static func fallsShort(_ realPercents: [String: Double?], in plan: SessionPlan) -> [String] {
        func isShort(_ role: String, of minimum: Double) -> Bool {
            guard let percent = realPercents[role] else { return true }
            return percent.map { $0 < minimum } ?? false
        }
        let percent = plan.configuration.minimumRealPercent
        let minimum = percent.map(Double.init) ?? .leastNonzeroMagnitude
        guard minimum > 0 else { return [] }
        let roles = plan.slots.map { (role: $0.role.rawValue, plugin: $0.plugin) }
        let checked = roles.filter {
            $0.plugin.onFailure != .off && $0.plugin.factory.arrivals == nil
        }
        let short = checked.map(\.role).filter { isShort($0, of: minimum) }
        guard short.isEmpty else { return short }
        let owing = roles.map(\.role).filter { realPercents[$0].map { $0 != nil } ?? true }
        // A program owes no media before it connects. Without other sources the session had no
        // media.
        guard !owing.isEmpty else {
            return roles.first { $0.plugin.factory.arrivals != nil }.map { [$0.role] } ?? []
        }
        return owing.allSatisfy { isShort($0, of: .leastNonzeroMagnitude) } ? owing : []
    }
}
