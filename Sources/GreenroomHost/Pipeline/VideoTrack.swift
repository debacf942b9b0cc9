import GreenroomConversion
import GreenroomMedia
import Synchronization

/// The way of one picture from its source to the outputs: filters, then for each distinct want
/// one conversion, then a lane for each output.
final class VideoTrack: Sendable {
    /// Outputs that want the same, and share one conversion.
    struct Group: Sendable {
        var want: VideoWant
        var lanes: [VideoLane]
    }

    /// What became of the frames that came through the gate, before they reached a lane.
    struct Counts: Sendable {
        /// Frames taken off the input.
        var taken = 0
        /// Frames that could not be converted for the filters.
        var unconvertible = 0
        /// Frames lost in a filter that hung.
        var lostInFilter = 0
        /// Frames that a filter refused, and that went on unedited.
        var unprocessed = 0
        /// Conversions made, those for filters included.
        var conversions = 0
        /// Bytes that conversions wrote.
        var bytesConverted = 0
    }

    let kind: VideoTrackKind
    let agreed: VideoCapability
    let input: VideoTrackInput
    let groups: [Group]
    private let filters: [PreProcessorRunner]
    private let pool: FramePool
    private let events: SessionEvents
    private let filterDeadline: Int64
    private let counters = Mutex(Counts())
    private let follower = Mutex(StampFollower())

    /// - Parameters:
    ///   - agreed: The size and rate of the track.
    ///   - filterDeadline: How long a filter may take for a frame, in nanoseconds.
    init(
        kind: VideoTrackKind, agreed: VideoCapability, input: VideoTrackInput, pool: FramePool,
        filters: [PreProcessorRunner], groups: [Group], filterDeadline: Int64,
        events: SessionEvents
    ) {
        self.kind = kind
        self.agreed = agreed
        self.input = input
        self.pool = pool
        self.filters = filters
        self.groups = groups
        self.filterDeadline = filterDeadline
        self.events = events
    }

    var counts: Counts { counters.withLock { $0 } }

    /// What the frames' stamps are like.
    var stamps: StampFollower { follower.withLock { $0 } }

    /// Times that memory was allocated for frames.
    var allocationCount: Int { pool.allocationCount }

    var lanes: [VideoLane] { groups.flatMap(\.lanes) }

    /// The track's thread. Ends when the input is closed and empty.
    ///
    /// - Parameter timeline: What moments are told by.
    func run(on timeline: SessionTimeline) {
        let converter = FrameConverter()
        var hung: Set<Int> = []
        var complained: Set<String> = []
        while let arrival = input.next() {
            let came = arrival.nanoseconds
            let moment = stamp(arrival.frame.info.ptsNanoseconds, came: came)
            if let edited = filter(arrival.intoFrame(), converter, &hung, &complained) {
                deliver(edited, at: timeline.time(of: moment), converter, &complained)
            }
            counters.withLock { counts in
                counts.taken += 1
                counts.conversions = converter.conversionCount
                counts.bytesConverted = converter.bytesWritten
            }
        }
        for filter in filters { filter.close() }
    }

    /// Decides when a frame shows. [the track's thread]
    private func stamp(_ pts: Int64?, came: Int64) -> Int64 {
        let (moment, finding) = follower.withLock { $0.follow(pts, arrival: came) }
        if let finding {
            events.send(.note(role: kind.rawValue, text: finding.text(of: "frames")))
        }
        return moment
    }

    /// Has a frame edited by each filter in order; without filters it stays as it came.
    private func filter(
        _ frame: consuming VideoFrame, _ converter: FrameConverter, _ hung: inout Set<Int>,
        _ complained: inout Set<String>
    ) -> VideoFrame? {
        guard hung.count < filters.count else { return frame }
        let want = VideoWant(format: .i420, size: agreed.size)
        guard var edited = upright(frame, want, converter, &complained) else { return nil }
        for index in filters.indices where !hung.contains(index) {
            let deadline = MonotonicClock.deadline(after: filterDeadline)
            switch filters[index].process(edited, until: deadline) {
            case .returned(let frame, let status):
                edited = frame
                if status != .ok { counters.withLock { $0.unprocessed += 1 } }
            case .lost:
                hung.insert(index)
                counters.withLock { $0.lostInFilter += 1 }
                let instance = filters[index].instance
                events.send(
                    .callbackHangs(
                        role: instance.role, callback: "process",
                        seconds: Double(filterDeadline) / 1e9))
                instance.giveUp(because: "it hangs in process")
                return nil
            }
        }
        return edited
    }

    /// Converts a frame for the filters, which need a frame of their own to write to.
    private func upright(
        _ frame: consuming VideoFrame, _ want: VideoWant, _ converter: FrameConverter,
        _ complained: inout Set<String>
    ) -> VideoFrame? {
        do throws(ConversionError) {
            let converted = try converter.convert(frame, to: want, into: pool)
            return converted
        } catch {
            counters.withLock { $0.unconvertible += 1 }
            complain(error, &complained)
            return nil
        }
    }

    private func deliver(
        _ frame: consuming VideoFrame, at nanoseconds: Int64, _ converter: FrameConverter,
        _ complained: inout Set<String>
    ) {
        for group in groups {
            var converted: VideoFrame?
            for lane in group.lanes {
                guard let slot = lane.claim(nanoseconds: nanoseconds) else { continue }
                if converted == nil {
                    do throws(ConversionError) {
                        converted = try converter.convert(frame, to: group.want, into: pool)
                    } catch {
                        complain(error, &complained)
                    }
                }
                if let frame = converted?.share() {
                    lane.push(frame, slot: slot)
                } else {
                    lane.countUnconvertible()
                }
            }
        }
    }

    /// Says each thing once.
    private func complain(_ error: ConversionError, _ complained: inout Set<String>) {
        guard complained.count < 20, complained.insert(error.message).inserted else { return }
        events.send(.note(role: kind.rawValue, text: "a frame is lost: \(error.message)"))
    }
}
