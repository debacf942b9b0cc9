import GreenroomMedia
package import GreenroomRuntime

/// The audio filters of a track, in order.
///
/// Each filter receives a copy of the block. If the filter returns the copy within two blocks'
/// time, the copy replaces the block. If the filter refuses, is late or is lost, the block
/// continues unedited, with the filter's delay. After a *required* filter an unedited block is
/// silent. While a filter has a late block, it receives no other block. On a virtual clock no time
/// passes during editing, and the chain waits until the filter counts as hung.
package struct AudioFilterChain: Sendable {
    /// The time that the mixer waits for the filters of a block, in nanoseconds. All tracks are
    /// played 100 ms late, so the mixer catches up.
    private static let patience: Int64 = 20_000_000

    /// Counters of blocks.
    package struct Counts: Equatable, Sendable {
        /// Blocks that every filter edited.
        package var edited = 0
        /// Edits that a filter refused.
        package var refused = 0
        /// Edits for which the filter missed the deadline, or still had an earlier block.
        package var overdue = 0
        /// Edits by filters that were not running.
        package var lost = 0
        /// Blocks that are silent because a required filter did not edit them.
        package var silenced = 0
        /// Frames of the source, at 48 kHz, in blocks that a filter did not edit.
        package var uneditedFrames = 0

        package init() {}
    }

    private enum Reason {
        case refused(Status)
        case overdue
        case lost
    }

    private struct Link {
        let runner: AudioFilterRunner
        /// The delay that the filter has declared.
        let delayFrames: Int
        /// The delay for blocks that the filter does not edit.
        var bypass: SampleDelay
        var log = FilterLog()
        var hasToldOfDelay = false
        /// Whether the host has abandoned the filter with a block that the filter still has.
        var isGivenUp = false
    }

    private var links: [Link]
    /// The unedited block, with the filter's delay.
    private var unedited = [Int16](repeating: 0, count: AudioEditing.blockFrames * 2)
    private let hangNanoseconds: Int64
    private let isVirtual: Bool
    private let clock: HostClock
    private(set) var counts = Counts()

    /// - Parameter hangNanoseconds: The time after which a filter counts as hung.
    package init(_ filters: [AudioFilterRunner], hangNanoseconds: Int64, clock: SessionClock) {
        links = filters.map { runner in
            let delay = runner.filter.declared?.delayFrames ?? 0
            return Link(runner: runner, delayFrames: delay, bypass: SampleDelay(frames: delay))
        }
        self.hangNanoseconds = hangNanoseconds
        isVirtual = clock.isVirtual
        self.clock = clock.host
    }

    /// Whether the chain has no filters.
    package var isEmpty: Bool { links.isEmpty }

    /// The delay of samples in the chain, in frames of 48 kHz.
    package var delayFrames: Int { links.reduce(0) { $0 + $1.delayFrames } }

    /// Whether a filter receives the session's incoming audio.
    package var takesReference: Bool {
        links.contains { $0.runner.filter.declared?.takesReference ?? false }
    }

    /// Edits a block with each filter. [the mixer's thread]
    ///
    /// - Parameters:
    ///   - samples: 480 stereo frames.
    ///   - played: The number of these frames that the source had sent.
    ///   - reference: The session's incoming audio; nil if there is none.
    ///   - nanoseconds: The due time of the block, from the session's start.
    ///   - ptsNanoseconds: The due time of the block, on the session clock.
    mutating func edit(
        _ samples: inout [Int16], played: Int, reference: [Int16]?, at nanoseconds: Int64,
        ptsNanoseconds: Int64
    ) {
        let deadline = isVirtual ? .max : clock.deadline(after: Self.patience)
        var (isEdited, isOverdue, isSilenced) = (true, false, false)
        for index in links.indices {
            unedited.replace(with: samples)
            links[index].bypass.pass(&unedited)
            guard
                let reason = edit(
                    &samples, by: index, reference: reference, ptsNanoseconds, until: deadline)
            else {
                tellRecovery(of: index, at: nanoseconds)
                continue
            }
            isEdited = false
            // The filters of a block share its deadline. The first late filter is the cause.
            if case .overdue = reason, isOverdue {
            } else {
                count(reason)
                tell(reason, of: index, at: nanoseconds)
            }
            if case .overdue = reason { isOverdue = true }
            samples.replace(with: unedited)
            if links[index].runner.filter.isRequired {
                isSilenced = true
                samples.silence()
            }
        }
        if isEdited { counts.edited += 1 } else { counts.uneditedFrames += played }
        if isSilenced { counts.silenced += 1 }
    }

    /// - Returns: The reason if the filter has not edited the block; nil if it has.
    private mutating func edit(
        _ samples: inout [Int16], by index: Int, reference: [Int16]?, _ pts: Int64,
        until deadline: Int64
    ) -> Reason? {
        let runner = links[index].runner
        if let busy = runner.busyNanoseconds {
            if busy >= runner.filter.deadline(hangNanoseconds) { giveUp(index) }
            return .overdue
        }
        links[index].isGivenUp = false
        guard let editing = runner.filter.audioEditing else { return .lost }
        tellOfDelay(editing, of: index)
        // An earlier filter may have used up the time.
        guard clock.now < deadline else { return .overdue }
        let hang = clock.deadline(after: runner.filter.deadline(hangNanoseconds))
        let status = runner.process(
            &samples, reference: reference, for: editing, at: pts, until: min(deadline, hang))
        guard let status else {
            if clock.now >= hang { giveUp(index) }
            return .overdue
        }
        return switch status {
        case .ok: nil
        case .stopped, .gone: .lost
        default: .refused(status)
        }
    }

    /// Abandons a filter, once for each hang.
    private mutating func giveUp(_ index: Int) {
        guard !links[index].isGivenUp else { return }
        let filter = links[index].runner.filter
        links[index].isGivenUp = filter.giveUp(hungFor: filter.deadline(hangNanoseconds))
    }

    /// Ends the filters' threads.
    package func close() {
        for link in links { link.runner.close() }
    }

    private mutating func count(_ reason: Reason) {
        switch reason {
        case .refused: counts.refused += 1
        case .overdue: counts.overdue += 1
        case .lost: counts.lost += 1
        }
    }

    // MARK: - Log

    private mutating func tell(_ reason: Reason, of index: Int, at nanoseconds: Int64) {
        let filter = links[index].runner.filter
        // The session reports a restart, or that it continues without the filter.
        if case .lost = reason, !filter.isRequired { return }
        guard links[index].log.unedited(at: nanoseconds) else { return }
        let what =
            switch reason {
            case .refused(let status): "refused a block (\(status))"
            case .overdue: "did not finish a block within \(Self.patience / 1_000_000) ms"
            case .lost: "not running"
            }
        filter.tell(
            what
                + (filter.isRequired
                    ? "; required, so unedited audio is silent"
                    : "; blocks are played unedited. Set required: true for silence instead"))
    }

    private mutating func tellRecovery(of index: Int, at nanoseconds: Int64) {
        guard let blocks = links[index].log.edited(at: nanoseconds) else { return }
        let filter = links[index].runner.filter
        filter.tell(
            "edits every block again; \(blocks) blocks were "
                + (filter.isRequired ? "silent" : "not edited"))
    }

    /// Reports a changed delay, because settings may have changed before a restart.
    private mutating func tellOfDelay(_ editing: AudioEditing, of index: Int) {
        let (delay, expected) = (editing.delayFrames, links[index].delayFrames)
        guard delay != expected, !links[index].hasToldOfDelay else { return }
        links[index].hasToldOfDelay = true
        links[index].runner.filter.tell(
            "delay changed from \(expected / 48) to \(delay / 48) ms; audio and video are out of "
                + "sync. Restart the session")
    }
}

extension [Int16] {
    /// Copies the same number of samples.
    fileprivate mutating func replace(with others: [Int16]) {
        for index in indices { self[index] = others[index] }
    }

    fileprivate mutating func silence() {
        for index in indices { self[index] = 0 }
    }
}
