package import GreenroomModel
import GreenroomABI
package import GreenroomAudio
import GreenroomConversion
import GreenroomMedia
package import GreenroomNegotiation
package import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// The session side of an output plugin: wants, kept frames and counters. It outlives restarts of
/// the plugin.
package final class OutputFeed: Sendable {
    /// The most ended participants' tracks with stored counters.
    private static let endedLimit = 100

    /// The most participants' tracks that one step describes. The step has a deadline.
    private static let questionLimit = 16

    /// The most values of an output in the report.
    private static let valueLimit = 32

    /// The position of a frame that the plugin receives.
    struct FramePlace {
        /// The track's number.
        var track: UInt32
        var periods: FramePeriods
        /// The start of the frame's first period, on the session clock.
        var ptsNanoseconds: Int64
    }

    /// The position of a block of audio that the plugin receives.
    struct BlockPlace {
        /// The track's number.
        var track: UInt32
        var format: AudioFormat
        /// The index of the first sample, from 0 at the start of the session.
        var index: Int64
        /// The time at which the block plays, on the session clock.
        var ptsNanoseconds: Int64
    }

    /// The outcome counters of a track's frames or blocks.
    package struct Counts: Encodable, Equatable, Sendable {
        /// Taken by the plugin.
        package var taken = 0
        /// Frames or blocks that the plugin refused, by status.
        package var refused: [String: Int] = [:]
        /// Frames or blocks omitted while the plugin was lost or stopped.
        package var away = 0
        /// Frames omitted because there was no memory that the plugin's process can read.
        package var noBuffer = 0
        /// Copies in memory shared with the plugin's process: black, slates, and the current frame
        /// at the start of a want. Nil for none.
        package var copied: Int?
        /// Samples of audio lost because the plugin was too slow, replaced by silence.
        package var lostSamples: Int?
    }

    /// A frame that the plugin keeps.
    final class KeptFrame: Sendable {
        let frame: VideoFrame
        init(_ frame: consuming VideoFrame) { self.frame = frame }
    }

    /// The frames that the plugin keeps, by number.
    typealias KeptFrames = [UInt64: KeptFrame]

    fileprivate struct Answer {
        var track: OutputTrack
        /// Whether the track belongs to a participant and has ended.
        var hasEnded = false
        /// Whether the plugin must still be notified of the track's end.
        var owesEnd = false
        /// Whether the plugin leaves the track's participant out.
        var isLeftOut = false
        var written = gr_want.ordinary
        var want = TrackRequest.nothing
        /// The last life that was asked about the track; 0 if none.
        var asked = 0
        /// The last life that answered.
        var answered = 0
        var counts = Counts()

        /// Whether the plugin gets no media of the track, because it does not know of the track.
        var isHidden: Bool { isLeftOut || owesEnd && !hasEnded }

        /// Whether a life knows of the track, or is about to.
        func isKnown(to life: Int) -> Bool { answered == life || asked == life }
    }

    private struct State: ~Copyable {
        /// The plugin's wants, in track order.
        var answers: [Answer] = []
        /// The frame of the running callback.
        var lent: VideoFrame?
        var lastID: UInt64 = 0
        var kept: KeptFrames = [:]
        /// Values for the report, by name.
        var values: [String: Double] = [:]
        /// Whether the plugin receives nothing for now, whatever its wants.
        var isResting = false
        /// The participants whom the plugin leaves out.
        var exceptions = ParticipantExceptions()
        /// Whether the session continues without the plugin.
        var hasLeft = false
        /// Whether the plugin has ended in order.
        var hasFinished = false
        /// The number of its lives.
        var lives = 0
        /// The start of the session, on its clock.
        var epoch: Int64 = 0

        /// The index of the answer about a track.
        func index(of track: UInt32) -> Int? { answers.firstIndex { $0.track.id == track } }

        /// The index of the answer about a track. Adds a new answer if there is none.
        mutating func open(_ track: OutputTrack) -> Int {
            if let index = index(of: track.id) { return index }
            var answer = Answer(track: track)
            answer.isLeftOut = track.participant.map(exceptions.has) ?? false
            answers.append(answer)
            return answers.count - 1
        }
    }

    /// The tracks announced to the plugin; nil for all.
    package let selection: TrackSelection?
    /// The role and the plugin's name, for messages: `outputs[0] (FrameFolder)`.
    package let name: String
    private let role: String
    private let pluginName: String
    private let events: SessionEvents
    /// The number of the plugin's instance.
    package let plugin: Int
    /// Whether the plugin is a composer, which rests while no output uses its video.
    package let isComposer: Bool
    /// Whether the default tracks include composed video. Not for a composer (a loop), and not for
    /// a call (participants would appear twice).
    private let learnsOfStages: Bool
    /// The plugin's reports to the host.
    package let control = OutputControl()
    /// Guards the answers, the frames and the counters.
    private let state: Monitor<State>

    package init(
        role: String, name plugin: String, number: Int, selection: TrackSelection?,
        isComposer: Bool = false, learnsOfStages: Bool = true, events: SessionEvents
    ) {
        self.isComposer = isComposer
        self.learnsOfStages = learnsOfStages
        self.role = role
        pluginName = plugin
        self.plugin = number
        self.selection = selection
        self.events = events
        name = "\(role) (\(plugin))"
        state = Monitor(State())
    }

    /// Whether a track of the session, or a mix, is announced to the plugin.
    package func takes(_ track: SessionTrack) -> Bool {
        if let selection { return selection.own.contains(track) }
        return track != .split && !(track.role?.composes ?? false && !learnsOfStages)
    }

    // MARK: Wants

    /// The plugin's last answer about a track; an empty want at first.
    func lastAnswer(about track: UInt32) -> gr_want {
        state.withLock { state in
            state.index(of: track).map { state.answers[$0].written } ?? .ordinary
        }
    }

    /// Stores an answer about a track. [control]
    ///
    /// - Throws: `InvalidValueError` if the want cannot be met.
    func settle(_ written: gr_want, of track: OutputTrack) throws(InvalidValueError) {
        let want = try TrackRequest(written, isVideo: track.capability != nil)
        state.withLock { state in
            let index = state.open(track)
            state.answers[index].track = track
            state.answers[index].written = written
            state.answers[index].want = want
            state.answers[index].answered = state.lives
        }
    }

    /// The wants, keyed by track.
    package var wants: [(track: OutputTrack, want: TrackRequest)] {
        state.withLock { $0.answers.map { ($0.track, $0.want) } }
    }

    /// Suspends or resumes the plugin's media.
    package func rest(_ isResting: Bool) {
        let isNews = state.withLock { state in
            defer { state.isResting = isResting }
            return state.isResting != isResting
        }
        // The session handles the change like an answer.
        if isNews { control.didDescribe() }
    }

    /// Whether the plugin wants any audio.
    package var wantsAudio: Bool {
        state.withLock { state in
            !state.isResting
                && state.answers.contains { answer in
                    if case .audio = answer.want {
                        !answer.hasEnded && !answer.isHidden
                    } else {
                        false
                    }
                }
        }
    }

    /// A track announced to the plugin, and its want; nil for other tracks.
    package func wanted(of track: UInt32) -> (track: OutputTrack, want: TrackRequest)? {
        state.withLock { state in
            state.index(of: track).map { index in
                let answer = state.answers[index]
                return (
                    answer.track, state.isResting || answer.isHidden ? .nothing : answer.want
                )
            }
        }
    }

    // MARK: Tracks of participants

    /// Records a new track of a participant, unless the track is not announced to the plugin.
    ///
    /// - Returns: Whether the track was recorded.
    package func open(_ track: OutputTrack) -> Bool {
        guard !hasLeft, selection?.has(track) ?? true else { return false }
        state.withLock { _ = $0.open(track) }
        return true
    }

    /// The participants whom the plugin leaves out.
    package var exceptions: ParticipantExceptions { state.withLock { $0.exceptions } }

    /// Changes the participants whom the plugin leaves out. For the plugin, their tracks end, and open
    /// again when the exception ends.
    package func leaveOut(_ exceptions: ParticipantExceptions) {
        let isNews = state.withLock { state in
            guard state.exceptions != exceptions else { return false }
            state.exceptions = exceptions
            var isNews = false
            for index in state.answers.indices {
                let answer = state.answers[index]
                guard !answer.hasEnded, let participant = answer.track.participant,
                    answer.isLeftOut != exceptions.has(participant)
                else { continue }
                isNews = true
                state.answers[index].isLeftOut.toggle()
                if answer.isLeftOut {
                    if !answer.owesEnd { state.answers[index].asked = 0 }
                } else {
                    state.answers[index].owesEnd = answer.isKnown(to: state.lives)
                }
            }
            return isNews
        }
        if isNews { control.didDescribe() }
    }

    /// Whether the plugin gets no media of a track for now, because it leaves the participant out.
    func leavesOut(_ track: UInt32) -> Bool {
        state.withLock { state in
            state.index(of: track).map { state.answers[$0].isHidden } ?? false
        }
    }

    /// Requests a new answer about each open track of a participant.
    package func askAgain() {
        state.withLock { state in
            for index in state.answers.indices { state.answers[index].asked = 0 }
        }
    }

    /// Whether this life must be asked about open tracks of participants.
    package var hasQuestions: Bool {
        state.withLock { state in
            state.answers.contains {
                $0.track.participant != nil && !$0.hasEnded && !$0.isHidden
                    && $0.asked != state.lives
            }
        }
    }

    /// Returns the open tracks of participants that this life must be asked about, and marks them
    /// as asked. Further tracks stay for the next call.
    package func takeQuestions() -> [OutputTrack] {
        state.withLock { state in
            var due: [OutputTrack] = []
            for index in state.answers.indices where due.count < Self.questionLimit {
                let answer = state.answers[index]
                guard answer.track.participant != nil, !answer.hasEnded, !answer.isHidden,
                    answer.asked != state.lives
                else { continue }
                state.answers[index].asked = state.lives
                due.append(answer.track)
            }
            return due
        }
    }

    /// Whether this life has not yet answered about a track.
    package func owesAnswer(about track: UInt32) -> Bool {
        control.isAlive
            && state.withLock { state in
                !state.isResting
                    && state.index(of: track).map {
                        !state.answers[$0].isHidden && state.answers[$0].answered != state.lives
                    } ?? false
            }
    }

    /// Records that tracks of participants have ended. The counters stay for the report.
    package func end(_ tracks: [UInt32]) {
        let forgotten = state.withLock { state in
            var forgotten: [UInt32] = []
            for track in tracks {
                guard let index = state.index(of: track) else { continue }
                state.answers[index].hasEnded = true
                let answer = state.answers[index]
                // The plugin may not have answered yet.
                state.answers[index].owesEnd =
                    answer.owesEnd || !answer.isLeftOut && answer.isKnown(to: state.lives)
                guard state.answers.count(where: \.hasEnded) > Self.endedLimit,
                    let oldest = state.answers.firstIndex(where: { $0.hasEnded && !$0.owesEnd })
                else { continue }
                forgotten.append(state.answers.remove(at: oldest).track.id)
            }
            return forgotten
        }
        control.forget(forgotten)
    }

    /// Whether the plugin must still be notified of tracks' ends.
    package var owesEnds: Bool { state.withLock { $0.answers.contains(where: \.owesEnd) } }

    /// Takes the ended tracks that this life has learned of. [control]
    func takeEnds() -> [UInt32] {
        state.withLock { state in
            var ends: [UInt32] = []
            for index in state.answers.indices where state.answers[index].owesEnd {
                state.answers[index].owesEnd = false
                let answer = state.answers[index]
                if !answer.hasEnded {
                    // Leave the track out only for now: if it returns, the plugin receives it as a new track.
                    state.answers[index].written = .ordinary
                    state.answers[index].want = .nothing
                    state.answers[index].asked = 0
                    state.answers[index].answered = 0
                }
                guard answer.answered == state.lives else { continue }
                ends.append(answer.track.id)
            }
            return ends
        }
    }

    // MARK: The session

    /// Sets the start of the session, on its clock.
    package func begin(epoch: Int64) { state.withLock { $0.epoch = epoch } }

    var epoch: Int64 { state.withLock { $0.epoch } }

    /// Records that the session continues without the plugin.
    ///
    /// - Parameter isFinished: Whether the plugin has ended in order.
    package func leave(isFinished: Bool = false) {
        state.withLock { state in
            state.hasLeft = true
            state.hasFinished = isFinished
        }
        control.endLife()
    }

    /// Whether the plugin has ended in order.
    package var hasFinished: Bool { state.withLock { $0.hasFinished } }

    /// The number of the plugin's newest life.
    var life: Int { state.withLock { $0.lives } }

    /// Whether the session continues without the plugin.
    package var hasLeft: Bool { state.withLock { $0.hasLeft } }

    // MARK: Counters

    /// The outcome of a frame or a block.
    enum Result {
        /// The plugin returned this status.
        case status(Status)
        /// The plugin was lost, or stopped.
        case away
        case noBuffer

        /// - Parameter status: The plugin's status; nil if the plugin was not called.
        init(_ status: Status?) { self = status.map(Result.status) ?? .away }
    }

    func count(_ result: Result, of track: UInt32) {
        count(of: track) { counts in
            switch result {
            case .status(.ok): counts.taken += 1
            case .away: counts.away += 1
            case .status(let status):
                // A plugin may return any number.
                let name = Status.all.first { $0.status == status }?.name ?? "OTHER"
                counts.refused[name, default: 0] += 1
            case .noBuffer: counts.noBuffer += 1
            }
        }
    }

    /// Whether the plugin has refused every frame and block that it received.
    package var hasRefusedAll: Bool {
        state.withLock { state in
            state.answers.allSatisfy { $0.counts.taken == 0 }
                && state.answers.contains { !$0.counts.refused.isEmpty }
        }
    }

    func countCopied(of track: UInt32) {
        count(of: track) { $0.copied = ($0.copied ?? 0) + 1 }
    }

    func count(lostSamples: Int, of track: UInt32) {
        count(of: track) { $0.lostSamples = lostSamples }
    }

    private func count(of track: UInt32, _ change: (inout Counts) -> Void) {
        state.withLock { state in
            guard let index = state.index(of: track) else { return }
            change(&state.answers[index].counts)
        }
    }

    // MARK: Frames

    /// Lends a frame for the running callback. [media]
    ///
    /// - Returns: The frame's number.
    func lend(_ frame: borrowing VideoFrame) -> UInt64 {
        var shared: VideoFrame? = frame.share()
        return state.withLock { state in
            state.lent = shared.take()
            state.lastID += 1
            return state.lastID
        }
    }

    /// Ends the loan when the callback has returned. [media]
    func endLending() {
        // Frees the frame outside the lock.
        var returned: VideoFrame?
        state.withLock { state in returned = state.lent.take() }
        _ = consume returned
    }

    /// Keeps the lent frame. [media]
    func keep(_ id: UInt64) throws(Refusal) {
        try state.withLock { state throws(Refusal) in
            guard id == state.lastID, let frame = state.lent?.share() else {
                throw Refusal(.notLent(id), in: .keep)
            }
            guard state.kept[id] == nil else { return }
            guard state.kept.count < Int(GR_MAX_KEPT) else {
                throw Refusal(.keptLimit(Int(GR_MAX_KEPT)), in: .keep)
            }
            state.kept[id] = KeptFrame(frame)
        }
    }

    /// Releases a kept frame. [any]
    func release(_ id: UInt64) throws(Refusal) {
        let frame = state.withLock { $0.kept.removeValue(forKey: id) }
        guard frame != nil else { throw Refusal(.notKept(id), in: .release) }
    }

    /// The number of frames that the plugin keeps.
    package var keptCount: Int { state.withLock { $0.kept.count } }

    /// Takes back all frames, because the plugin's life has ended or the plugin is stopped.
    ///
    /// - Returns: The frames. Release them outside of locks.
    func takeFrames() -> KeptFrames {
        state.withLock { state in
            let kept = state.kept
            state.kept = [:]
            return kept
        }
    }

    /// Begins a new life of the plugin, which has received no frame.
    func beginLife() {
        _ = takeFrames()
        state.withLock { state in
            state.lives += 1
            for index in state.answers.indices { state.answers[index].owesEnd = false }
        }
        control.beginLife()
    }

    /// Reports that the plugin's audio thread did not stop in time.
    func tellOfRest() {
        events.send(
            .outputFailed(output: name, reason: "audio thread did not stop in time"))
    }

    // MARK: Report

    /// Sets a value of the plugin. [any]
    func report(_ name: String, _ value: Double) throws(Refusal) {
        guard name.wholeMatch(of: /[a-z][a-z0-9-]{0,39}/) != nil else {
            throw Refusal(.reportName, in: .report)
        }
        guard value.isFinite else { throw Refusal(.reportNumber, in: .report) }
        try state.withLock { state throws(Refusal) in
            guard state.values[name] != nil || state.values.count < Self.valueLimit else {
                throw Refusal(.reportLimit(Self.valueLimit), in: .report)
            }
            state.values[name] = value
        }
    }

    /// The plugin's values for the report, by name.
    package var reportedValues: [String: Double] { state.withLock { $0.values } }

    /// An output plugin in the report.
    package struct Entry: Encodable, Sendable {
        package struct Track: Encodable, Sendable {
            /// `camera`, `microphone`, `share`, `share-audio` or `mix`.
            package var track: String
            /// The output's want for the track; `nothing` if it withdrew an earlier want.
            package var want: String
            /// The output's ceiling of the track, with its reason; nil if there is none.
            package var ceiling: Ceiling?
            /// The counters of the track's frames or blocks.
            package var media: Counts
        }

        package struct Ceiling: Encodable, Sendable {
            /// The limit, e.g. `640x360@15`.
            package var limit: String
            /// The plugin's reason.
            package var reason: String
        }

        /// Whether the output has taken a frame or a block.
        package var hasTaken: Bool { tracks.contains { $0.media.taken > 0 } }

        /// The output's role in the session.
        package var role: String
        /// The plugin.
        package var plugin: String
        /// The state that the plugin reported: `connecting`, `live` or `lost`; nil if none.
        package var state: OutputCondition?
        /// The text of the reported state.
        package var text: String?
        /// The tracks that the output wants.
        package var tracks: [Track]
        /// The number of frames that the output keeps.
        package var kept: Int
        /// The output's values, by name.
        package var values: [String: Double]

        /// The output's values as text, e.g. `images 5`; nil if there are none.
        package var valuesInWords: String? {
            let words = values.sorted { $0.key < $1.key }.map { name, value in
                "\(name) \(Int(exactly: value).map(String.init) ?? String(value))"
            }
            return words.isEmpty ? nil : words.joined(separator: ", ")
        }
    }

    /// The output's entry in the session report.
    package var outputReport: OutputReport {
        let (answers, kept, values, hasLeft) = state.withLock {
            ($0.answers, $0.kept.count, $0.values, $0.hasLeft)
        }
        let tracks = answers.compactMap { answer -> Entry.Track? in
            guard let words = answer.want.inWords ?? (answer.counts == Counts() ? nil : "nothing")
            else { return nil }
            return Entry.Track(
                track: answer.track.name, want: words,
                ceiling: control.lastCeiling(of: answer.track.id).map {
                    Entry.Ceiling(limit: $0.limit.description, reason: $0.reason)
                }, media: answer.counts)
        }
        let condition = control.condition
        let entry = Entry(
            role: role, plugin: pluginName, state: condition?.state, text: condition?.text,
            tracks: tracks, kept: kept, values: values)
        return OutputReport(
            key: Self.reportKey, entry: entry,
            summary: answers.compactMap {
                $0.summary(of: name, hasLeft: hasLeft, countsAway: !isComposer)
            }
                + (condition.flatMap { $0.state == .live ? nil : ["\(name): \($0.words)"] } ?? [])
                + (entry.valuesInWords.map { ["\(name): \($0)"] } ?? []))
    }

    /// The key of the report's list of output plugins.
    package static let reportKey = "outputPlugins"
}

extension TrackSelection {
    /// Whether the selection contains a track of a participant.
    fileprivate func has(_ track: OutputTrack) -> Bool {
        let kind =
            SessionTrack(id: track.kind)?.role.map(TrackSelection.Participants.Kind.track)
            ?? (track.kind == UInt32(GR_TRACK_MIX_MINUS) ? .mixMinus : nil)
        guard let participant = track.participant, let kind else { return false }
        return has(participant: participant.name, kind)
    }
}

extension TrackRequest {
    /// The want in words, e.g. `nv12 640x360, 15 fps`; nil if none.
    package var inWords: String? {
        switch self {
        case .nothing: nil
        case .video(let want): "\(want.format.name)\(want.video.differences)"
        case .audio(let want):
            "\(want.format.sampleRate) Hz, \(want.format.channels == 1 ? "mono" : "stereo"), "
                + "blocks of \(want.blockFrames)"
        }
    }
}

extension VideoSinkWant {
    /// The differences from the track's video: `, 1280x720, 30 fps, crop, bt601`.
    package var differences: String {
        let parts = [
            size.map { "\($0)" }, rate.map { "\($0) fps" },
            size == nil || fit == .letterbox ? nil : fit.rawValue, matrix.map(\.name),
        ]
        return parts.compactMap { $0 }.map { ", \($0)" }.joined()
    }
}

extension OutputFeed.Answer {
    /// A line for the summary if media was lost; else nil.
    ///
    /// - Parameters:
    ///   - hasLeft: Whether the output has ended, or the session continues without it.
    /// - countsAway: Whether the output should have received media while it was stopped.
    fileprivate func summary(of output: String, hasLeft: Bool, countsAway: Bool) -> String? {
        let refused = counts.refused.values.reduce(0, +)
        let away = countsAway ? counts.away : 0
        guard refused + away + counts.noBuffer + (counts.lostSamples ?? 0) > 0 else {
            return nil
        }
        let parts = [
            (refused, "refused by it"),
            (away, hasLeft ? "after its end" : "while restarting"),
            (counts.noBuffer, "without memory for them"),
            (counts.lostSamples ?? 0, "samples lost: the output was too slow"),
        ]
        return "\(output) \(track.name): \(counts.taken) taken, "
            + parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}
