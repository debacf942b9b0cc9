import GreenroomConversion
import GreenroomMedia
import GreenroomRuntime

/// The filters of a track, in order, and their deadlines.
///
/// Each filter edits a copy, so the original is whole if the filter fails. For a filter in the host's
/// process, the track waits up to 0.5 s. A frame that such a filter finishes after the deadline counts as late, and
/// continues edited. After 0.5 s the original continues unedited, and the next frames do not wait until the filter has
/// returned.
///
/// For an isolated filter, the copy is in the filter's memory. The original continues unedited after
/// the frame's deadline, which is one interval of the track's rate, and at once while the filter has
/// an earlier frame or is lost. On a virtual clock no time passes during editing, and the track waits
/// until the filter counts as hung.
///
/// A filter that returns receives the next frame.
///
/// The host announces a new size or rate of the track to each filter before the first such frame. A
/// filter that does not follow receives frames of the old size, scaled by the host.
///
/// A frame that a *required* filter did not edit, for any reason, is withheld: no output shows the
/// frame, and no later filter receives it.
package struct FilterChain: Sendable {
    /// Failed edits, by reason. The frames continued unedited, or were withheld.
    package struct Unprocessed: Equatable, Sendable {
        /// The filter refused the frame.
        package var refused = 0
        /// The filter missed the deadline, still had an earlier frame, or outputs held all frames of
        /// its memory. In the host's process the filter may have edited the frame, too late.
        package var overdue = 0
        /// The filter was lost or ended, with the frame or before it.
        package var lost = 0

        /// The sum.
        package var total: Int { refused + overdue + lost }
    }

    /// The result for a frame.
    enum Outcome: ~Copyable {
        /// The frame continues, possibly unedited.
        case carried(VideoFrame, isEdited: Bool)
        /// A required filter did not edit the frame.
        case withheld
    }

    /// The result of one filter.
    enum Step: ~Copyable {
        case edited(VideoFrame)
        /// The filter edited the frame after the deadline.
        case editedLate(VideoFrame)
        case unedited(VideoFrame, Reason)
    }

    enum Reason {
        case refused(Status)
        case overdue
        case lost

        init(_ status: Status) {
            switch status {
            case .stopped, .gone: self = .lost
            default: self = .refused(status)
            }
        }
    }

    struct Link {
        let runner: PreProcessorRunner
        /// Whether the filter still had a frame at the last deadline.
        var isOverdue = false
        /// Whether the newest late frame was shown edited.
        var showsLate = false
        var log = FilterLog()
        /// The last capability that the filter did not follow.
        var refused: VideoCapability?
        /// Whether the filter had not returned from a property change at the last frame.
        var isChanging = false
    }

    /// Whether a filter can receive frames of a capability.
    private enum Readiness {
        /// The filter is ready. Its want describes the new frames, or the old frames.
        case ready(VideoWant)
        /// The filter has not returned yet.
        case overdue
        /// The host abandoned the filter.
        case lost
    }

    /// Whether the chain has no filters.
    var isEmpty: Bool { links.isEmpty }
    var links: [Link]
    /// The longest wait for a filter in the host's process: half of the time after which outputs show a slate.
    package static let patience: Int64 = 500_000_000

    /// The time after which a filter counts as hung, in nanoseconds.
    private let hangNanoseconds: Int64
    /// The longest wait for a filter in the host's process, in nanoseconds.
    private let patience: Int64
    private let isVirtual: Bool
    /// The clock for edits.
    let clock: HostClock
    /// Failed edits.
    private(set) var unprocessed = Unprocessed()
    /// The time that the track has waited for late edits, in nanoseconds of real time.
    private(set) var lateNanoseconds: Int64 = 0
    /// Whether a filter has kept the shape of its frames after the track's shape changed.
    private(set) var hasKeptShape = false

    init(
        _ filters: [PreProcessorRunner], hangNanoseconds: Int64, clock: SessionClock,
        patience: Int64 = Self.patience
    ) {
        links = filters.map { Link(runner: $0) }
        (self.hangNanoseconds, self.patience) = (hangNanoseconds, patience)
        isVirtual = clock.isVirtual
        self.clock = clock.host
    }

    /// Edits a frame with each filter. [the track's thread]
    ///
    /// - Parameters:
    ///   - frames: The current size and rate of the track's frames.
    ///   - nanoseconds: The time of the frame, from the session's start.
    ///   - converter: The converter for frames that filters receive.
    ///   - pool: The pool of frames for filters in the host's process.
    ///   - interval: The deadline of the frame, in nanoseconds.
    /// - Throws: ``ConversionError`` if the frame cannot be converted for filters.
    mutating func edit(
        _ frame: consuming VideoFrame, as frames: VideoCapability, at nanoseconds: Int64,
        with converter: FrameConverter, from pool: FramePool, within interval: Int64
    ) throws(ConversionError) -> Outcome {
        let deadline = deadline(after: interval)
        var frame = frame
        var (isEdited, isOverdue) = (true, false)
        for index in links.indices {
            let begun = clock.now
            let step = try edit(
                frame, as: frames, by: index, with: converter, from: pool, until: deadline)
            switch consume step {
            case .edited(let edited):
                frame = edited
                tellRecovery(of: index, at: nanoseconds)
            case .editedLate(let edited):
                frame = edited
                // The filters of a frame share its deadline. The first overdue filter is the cause.
                if isOverdue {
                    tellRecovery(of: index, at: nanoseconds)
                } else {
                    isOverdue = true
                    count(.overdue, since: begun)
                    links[index].showsLate = true
                    tell(.overdue, of: index, at: nanoseconds, interval)
                }
            case .unedited(let same, let reason):
                frame = same
                isEdited = false
                if case .overdue = reason { isOverdue = true }
                count(reason, since: begun)
                links[index].showsLate = false
                tell(reason, of: index, at: nanoseconds, interval)
                if links[index].runner.filter.isRequired { return .withheld }
            }
        }
        return .carried(frame, isEdited: isEdited)
    }

    /// Announces a new size or rate of the track's frames to the filters. [the track's thread]
    ///
    /// - Parameter interval: Time limit for a filter in its own process, in nanoseconds.
    /// - Returns: Whether every filter follows the new shape; nil if a filter has not returned yet.
    mutating func follow(_ frames: VideoCapability, within interval: Int64) -> Bool? {
        let deadline = deadline(after: interval)
        var isOverdue = false
        for index in links.indices {
            // The host announces the new size to a lost filter after its restart.
            guard let editing = links[index].runner.filter.editing else { continue }
            if isBusy(index) {
                isOverdue = true
                continue
            }
            switch prepare(index, editing, for: frames, until: deadline) {
            case .ready(let want):
                if want.size?.hasShape(of: frames.size) != true { return false }
            case .overdue: isOverdue = true
            case .lost: continue
            }
        }
        return isOverdue ? nil : true
    }

    private func deadline(after interval: Int64) -> Int64 {
        isVirtual ? .max : clock.deadline(after: interval)
    }

    /// The end of the wait for a filter in the host's process, in real time.
    private func patient(_ deadline: Int64) -> Int64 {
        max(deadline, self.deadline(after: patience))
    }

    /// Ends the filters' threads.
    func close() {
        for link in links { link.runner.close() }
    }

    private mutating func edit(
        _ frame: consuming VideoFrame, as frames: VideoCapability, by index: Int,
        with converter: FrameConverter, from pool: FramePool, until deadline: Int64
    ) throws(ConversionError) -> Step {
        let runner = links[index].runner
        guard let editing = runner.filter.editing else { return .unedited(frame, .lost) }
        if isBusy(index) { return .unedited(frame, .overdue) }
        let want: VideoWant
        switch prepare(index, editing, for: frames, until: deadline) {
        case .ready(let ready): want = ready
        case .overdue: return .unedited(frame, .overdue)
        case .lost: return .unedited(frame, .lost)
        }
        let begun = clock.now
        let hang = clock.deadline(after: hangLimit(of: runner))
        let (memory, end) =
            switch editing.memory {
            case .host: (pool, min(patient(deadline), hang))
            case .shared(let own): (own, min(deadline, hang))
            }
        guard begun < end, let copy = try copy(frame, to: want, with: converter, into: memory)
        else { return .unedited(frame, .overdue) }
        switch runner.process(copy, until: end) {
        case .returned(let edited, let status):
            guard status == .ok else { return .unedited(frame, Reason(status)) }
            return clock.now < deadline || end == deadline ? .edited(edited) : .editedLate(edited)
        case .overdue:
            links[index].isOverdue = true
            if clock.now >= hang { giveUp(runner) }
            return .unedited(frame, .overdue)
        }
    }

    /// Returns a copy for a filter; nil while all frames of the memory are in use.
    private func copy(
        _ frame: borrowing VideoFrame, to want: VideoWant, with converter: FrameConverter,
        into pool: FramePool
    ) throws(ConversionError) -> VideoFrame? {
        do throws(ConversionError) {
            return try converter.copy(frame, to: want, into: pool)
        } catch {
            guard error.code == .noBuffer else { throw error }
            return nil
        }
    }

    /// Whether a filter still has an earlier frame. Abandons a filter that exceeds the time limit.
    mutating func isBusy(_ index: Int) -> Bool {
        guard links[index].isOverdue else { return false }
        guard let nanoseconds = links[index].runner.busyNanoseconds else {
            links[index].isOverdue = false
            return false
        }
        if nanoseconds >= hangLimit(of: links[index].runner) { giveUp(links[index].runner) }
        return true
    }

    /// Announces the coming frames to a filter, if they differ from the previous frames.
    private mutating func prepare(
        _ index: Int, _ editing: FilterEditing, for frames: VideoCapability, until deadline: Int64
    ) -> Readiness {
        let filter = links[index].runner.filter
        let limit = filter.deadline(hangNanoseconds)
        // Query this only if it matters, because the query takes a lock.
        let changing = links[index].isChanging ? filter.changeNanoseconds : nil
        links[index].isChanging = false
        guard changing != nil || !hasFollowed(index, editing, frames) else {
            return .ready(editing.want)
        }
        let hang = clock.deadline(after: limit - (changing ?? 0))
        let end = if case .host = editing.memory { patient(deadline) } else { deadline }
        guard let follows = filter.change(to: frames, until: min(end, hang)) else {
            // The filter may have been lost, or may be in another change, which has its own time
            // limit.
            guard let now = filter.changeNanoseconds else { return .lost }
            guard clock.now >= hang, now >= changing ?? 0 else {
                links[index].isChanging = true
                return .overdue
            }
            filter.giveUp(hungFor: limit, in: .propertyChange)
            return .lost
        }
        guard follows else {
            // A filter that was lost during the change and restarted receives no second
            // announcement.
            links[index].refused = frames
            if !editing.frames.size.hasShape(of: frames.size) { hasKeptShape = true }
            return .ready(editing.want)
        }
        return .ready(VideoWant(format: .i420, size: frames.size))
    }

    /// Whether a filter has accepted or refused the current size and rate, so that no announcement
    /// is due.
    func hasFollowed(
        _ index: Int, _ editing: FilterEditing, _ frames: VideoCapability
    ) -> Bool {
        !links[index].isChanging && (editing.frames == frames || links[index].refused == frames)
    }

    private func giveUp(_ runner: PreProcessorRunner) {
        runner.filter.giveUp(hungFor: hangLimit(of: runner), in: .process)
    }

    /// The time after which a filter counts as hung, in nanoseconds.
    private func hangLimit(of runner: PreProcessorRunner) -> Int64 {
        runner.filter.deadline(hangNanoseconds)
    }

    /// - Parameter begun: The start of the edit, in real time.
    private mutating func count(_ reason: Reason, since begun: Int64) {
        switch reason {
        case .refused: unprocessed.refused += 1
        case .overdue:
            unprocessed.overdue += 1
            lateNanoseconds += clock.now - begun
        case .lost: unprocessed.lost += 1
        }
    }

    // MARK: - Log

    private mutating func tell(
        _ reason: Reason, of index: Int, at nanoseconds: Int64, _ interval: Int64
    ) {
        let filter = links[index].runner.filter
        // The session reports a restart, or that it continues without the filter.
        if case .lost = reason, !filter.isRequired { return }
        guard links[index].log.unedited(at: nanoseconds) else { return }
        let what =
            switch reason {
            case .refused(let status): "refused a frame (\(status))"
            case .overdue: "did not finish a frame within \(milliseconds(interval)) ms"
            case .lost: "not running"
            }
        guard !links[index].showsLate else {
            return filter.tell(
                "\(what); late frames are shown late or dropped. Make the filter faster, or lower "
                    + "the track's size or rate")
        }
        filter.tell(
            filter.isRequired
                ? "\(what); required, so unedited frames are hidden: the last edited frame stays for "
                    + "1 s, then a slate"
                : "\(what); such frames are shown unedited. \(fix(reason)), or set required: true to "
                    + "hide them")
    }

    /// The fix for unedited frames, as the beginning of a sentence.
    private func fix(_ reason: Reason) -> String {
        switch reason {
        case .refused: "Fix the filter, whose log names the cause"
        case .overdue, .lost: "Make the filter faster, lower the track's size or rate"
        }
    }

    private mutating func tellRecovery(of index: Int, at nanoseconds: Int64) {
        guard let frames = links[index].log.edited(at: nanoseconds) else { return }
        let filter = links[index].runner.filter
        filter.tell(
            "edits every frame again; \(frames) frames were "
                + (links[index].showsLate ? "late" : filter.isRequired ? "not shown" : "not edited")
        )
    }

    /// Formats nanoseconds as milliseconds, e.g. `33.3`.
    private func milliseconds(_ nanoseconds: Int64) -> String {
        let tenths = nanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
