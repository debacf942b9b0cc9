import GreenroomConversion
import GreenroomMedia
import GreenroomRuntime

/// The filters of a track, in order, and what they are waited for.
///
/// A filter in the host's process edits the frame itself, and is waited for until it counts as hung:
/// nobody else may read the frame meanwhile. A filter in a process of its own edits a copy in
/// memory that both map, so that the frame as it was can go on without it: once the frame's
/// deadline has passed, which is one interval of the track's rate; at once, while it still has an
/// earlier frame; and while it is lost. On a virtual clock no time passes while it works, and it is
/// waited for until it counts as hung.
///
/// A filter that comes back gets the next frame.
package struct FilterChain: Sendable {
    /// Edits that did not take place, by reason. The frames went on as they were.
    package struct Unprocessed: Equatable, Sendable {
        /// The filter refused.
        package var refused = 0
        /// The filter was not done in time, or had an earlier frame still, or outputs held all of its
        /// frames.
        package var late = 0
        /// The filter was lost or had ended, with the frame or before it came.
        package var lost = 0

        /// All together.
        package var total: Int { refused + late + lost }
    }

    private let filters: [PreProcessorRunner]
    /// What filters get.
    private let want: VideoWant
    /// How long a filter may have a frame, in nanoseconds.
    private let hangNanoseconds: Int64
    private let isVirtual: Bool

    init(
        _ filters: [PreProcessorRunner], size: FrameSize, hangNanoseconds: Int64,
        clock: SessionClock
    ) {
        self.filters = filters
        want = VideoWant(format: .i420, size: size)
        self.hangNanoseconds = hangNanoseconds
        isVirtual = clock.isVirtual
    }

    /// Has a frame edited by each filter; without any it stays as it came. [the track's thread]
    ///
    /// - Parameters:
    ///   - converter: Makes of the frame what filters get.
    ///   - pool: Where frames for filters in the host's process come from.
    ///   - interval: How long the frame may take, in nanoseconds.
    ///   - unprocessed: Counts the edits that did not take place.
    /// - Returns: nil if the frame is lost in a filter that hangs.
    /// - Throws: ``ConversionError`` if filters can't get it.
    func edit(
        _ frame: consuming VideoFrame, with converter: FrameConverter, from pool: FramePool,
        within interval: Int64, _ unprocessed: inout Unprocessed
    ) throws(ConversionError) -> VideoFrame? {
        let deadline = isVirtual ? .max : MonotonicClock.deadline(after: interval)
        var frame = frame
        for filter in filters {
            guard filter.filter.isSending else {
                unprocessed.lost += 1
                continue
            }
            if let nanoseconds = filter.busyNanoseconds {
                unprocessed.late += 1
                if nanoseconds >= hangNanoseconds { giveUp(filter) }
                continue
            }
            guard let editingPool = filter.filter.editingPool else {
                // It needs a frame of its own to write to; the reference to another one goes.
                frame = try converter.convert(frame, to: want, into: pool)
                guard let edited = edit(frame, filter, &unprocessed) else { return nil }
                frame = edited
                continue
            }
            guard MonotonicClock.now < deadline else {
                unprocessed.late += 1
                continue
            }
            let copy = try copy(frame, with: converter, into: editingPool)
            guard let copy else {
                unprocessed.late += 1
                continue
            }
            if let edited = edit(copy: copy, filter, until: deadline, &unprocessed) {
                frame = edited
            }
        }
        return frame
    }

    /// Ends the filters' threads.
    func close() {
        for filter in filters { filter.close() }
    }

    /// A copy for a filter; nil where outputs hold all of its frames.
    private func copy(
        _ frame: borrowing VideoFrame, with converter: FrameConverter, into pool: FramePool
    ) throws(ConversionError) -> VideoFrame? {
        do throws(ConversionError) {
            return try converter.copy(frame, to: want, into: pool)
        } catch {
            guard error.code == .noBuffer else { throw error }
            return nil
        }
    }

    /// Has a copy edited; nil if there is no edit by the deadline.
    private func edit(
        copy: consuming VideoFrame, _ filter: PreProcessorRunner, until deadline: Int64,
        _ unprocessed: inout Unprocessed
    ) -> VideoFrame? {
        let hang = MonotonicClock.deadline(after: hangNanoseconds)
        switch filter.process(copy, until: min(deadline, hang)) {
        case .returned(let edited, let status):
            guard status != .ok else { return edited }
            count(status, &unprocessed)
            return nil
        case .late:
            unprocessed.late += 1
            if MonotonicClock.now >= hang { giveUp(filter) }
            return nil
        }
    }

    /// Has a frame edited itself; one that is refused goes on as the filter left it, and one that a
    /// filter hangs with is lost.
    private func edit(
        _ frame: consuming VideoFrame, _ filter: PreProcessorRunner,
        _ unprocessed: inout Unprocessed
    ) -> VideoFrame? {
        let hang = MonotonicClock.deadline(after: hangNanoseconds)
        switch filter.process(frame, until: hang) {
        case .returned(let edited, let status):
            if status != .ok { count(status, &unprocessed) }
            return edited
        case .late:
            giveUp(filter)
            return nil
        }
    }

    private func count(_ status: Status, _ unprocessed: inout Unprocessed) {
        switch status {
        case .stopped, .gone: unprocessed.lost += 1
        default: unprocessed.refused += 1
        }
    }

    private func giveUp(_ filter: PreProcessorRunner) {
        filter.filter.giveUp(hungFor: hangNanoseconds)
    }
}
