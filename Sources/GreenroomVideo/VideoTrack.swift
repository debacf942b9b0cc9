package import GreenroomConversion
package import GreenroomMedia
package import GreenroomModel
package import GreenroomRuntime

/// The way of one picture from its source to the outputs: brought down to what the track carries,
/// through the filters, then for each distinct want one conversion, then a branch for each output.
package final class VideoTrack: Sendable {
    /// Outputs that want the same, and share one conversion.
    package struct Group: Sendable {
        package var want: VideoWant
        package var branches: [VideoBranch]

        package init(want: VideoWant, branches: [VideoBranch]) {
            self.want = want
            self.branches = branches
        }
    }

    /// What became of the frames that were taken off the input.
    ///
    /// `taken` is the sum of `overRate`, `unconvertible`, `lostInFilter`, `withheld` and `carried`,
    /// but for a frame that is being worked on.
    package struct Counts: Sendable {
        /// Frames that were dealt with.
        package var taken = 0
        /// Frames above the rate that the track carries.
        package var overRate = 0
        /// Frames that could not be brought down to the track's size, or converted for filters.
        package var unconvertible = 0
        /// Frames lost in a filter in the host's process that hung.
        package var lostInFilter = 0
        /// Frames that were not shown, since a filter that is required did not edit them.
        package var withheld = 0
        /// Frames that went on to the outputs.
        package var carried = 0
        /// Of those, the ones that a filter did not edit.
        package var unedited = 0
        /// Edits that did not take place.
        package var unprocessed = FilterChain.Unprocessed()
        /// Conversions made, those for filters included.
        package var conversions = 0
        /// Bytes that conversions wrote.
        package var bytesConverted = 0
        /// How long the host was at work on frames: conversions and filters; in nanoseconds on
        /// the session clock.
        package var busyNanoseconds: Int64 = 0
    }

    /// What the track's thread says of its frames, once for each.
    package struct Progress: Sendable {
        /// What became of them.
        package var counts = Counts()
        /// How much of the picture was real, in periods of the rate that was agreed at first.
        package var account = VideoAccount()
        /// What their stamps are like.
        package var stamps = TimestampNormalizer()

        /// Nothing has come yet.
        package init() {}
    }

    /// What the track's thread keeps from one frame to the next.
    private struct Work {
        let converter = FrameConverter()
        var filters: FilterChain
        var progress = Progress()
        /// How many times the source had been started when its last frame came.
        var starts = 0
        /// The slate that was shown last, for each group; nil where it can't be had.
        var slates: [Slate?] = []
        /// Errors that were told.
        var complained: Set<String> = []
        /// The first frame that was withheld since one was shown, from the session's start.
        var withheldSince: Int64?
        /// What the track carries.
        var limit: VideoCapability
        /// The periods of the frames that it carries.
        var grid = FrameGrid()

        init(_ limit: VideoCapability, _ filters: FilterChain) {
            self.limit = limit
            self.filters = filters
        }

        /// Goes over to another size and rate. At another rate periods are counted anew.
        mutating func follow(_ newLimit: VideoCapability) {
            if newLimit.rate != limit.rate { grid = FrameGrid() }
            limit = newLimit
        }

        /// Takes the moment of a frame; false if its period of the track's rate has a frame already.
        mutating func take(_ point: FrameGrid.Point) -> Bool {
            if let newest = grid.newest,
                point.period(of: limit.rate) <= newest.period(of: limit.rate)
            {
                return false
            }
            grid.take(point)
            return true
        }

        /// A time of the session on the grid.
        func point(at nanoseconds: Int64) -> FrameGrid.Point {
            grid.point(at: nanoseconds, rate: limit.rate)
        }
    }

    package let kind: VideoTrackKind
    /// What was agreed when the session began: what filters get, and outputs that have no wish.
    package let agreed: VideoCapability
    package let input: VideoTrackInput
    package let groups: [Group]
    /// Whether the source sends only when it has something new.
    private let sendsWhenNew: Bool
    private let taps: [any VideoTap]
    /// As it begins; the track's thread has its own.
    private let filters: FilterChain
    private let pool: FramePool
    private let tell: @Sendable (String) -> Void

    /// - Parameters:
    ///   - agreed: The size and rate of the track.
    ///   - sendsWhenNew: Whether the source sends only when it has something new, as a share does:
    ///     then its last frame is as good as a new one.
    ///   - taps: What sees its frames as they are.
    ///   - filterDeadline: When a filter counts as hung with a frame, in nanoseconds.
    ///   - tell: Gets what the source's author should know, each thing once. [the track's thread]
    package init(
        kind: VideoTrackKind, agreed: VideoCapability, sendsWhenNew: Bool = false,
        input: VideoTrackInput, pool: FramePool, filters: [PreProcessorRunner], groups: [Group],
        taps: [any VideoTap] = [],
        filterDeadline: Int64, tell: @escaping @Sendable (String) -> Void
    ) {
        self.kind = kind
        self.agreed = agreed
        self.sendsWhenNew = sendsWhenNew
        self.input = input
        self.pool = pool
        self.filters = FilterChain(
            filters, size: agreed.size, hangNanoseconds: filterDeadline, clock: input.clock)
        self.groups = groups
        self.taps = taps
        self.tell = tell
    }

    package var counts: Counts { input.progress.counts }

    /// Frames that wait on the input, or are being worked on.
    package var queuedCount: Int {
        input.queuedCount
    }

    /// How much of the picture was real up to a time of the session, in periods of the rate that was
    /// agreed at first.
    package func account(at nanoseconds: Int64) -> VideoAccount {
        let end = agreed.rate.frameCount(inNanoseconds: nanoseconds)
        return input.progress.account.closed(at: end)
    }

    /// What the frames' stamps are like.
    package var stamps: TimestampNormalizer { input.progress.stamps }

    /// Times that memory was allocated for frames.
    package var allocationCount: Int { pool.allocationCount }

    package var branches: [VideoBranch] { groups.flatMap(\.branches) }

    /// Makes the track carry at most a size and a rate of the frames that come from now on. [any]
    ///
    /// Larger frames are brought down to it, as they lie and in their shape; frames above the rate are
    /// dropped, and those before a filter: what a source that goes on as before costs is the
    /// host's scaling alone. Filters still get frames of the size that was ``agreed`` at first,
    /// and outputs keep their size and rate.
    package func follow(_ capability: VideoCapability) { input.limit(to: capability) }

    /// Makes the picture black on every output, after the frames that came before and until the
    /// next one comes. [any]
    package func showBlack() { input.showBlack() }

    /// Makes the picture a slate on every output, after the frames that came before and until the
    /// next one comes. [any]
    ///
    /// - Parameter moment: From when on, on the session clock. If a frame comes before that, it
    ///   is not shown.
    package func showSlate(_ text: SlateText, at moment: Int64) {
        input.showSlate(text, at: moment)
    }

    /// The track's thread. Ends when the input is closed and empty.
    ///
    /// - Parameter timeline: What moments are told by.
    package func run(on timeline: SessionTimeline) {
        let clock = input.clock
        var work = Work(agreed, filters)
        var isOver = false
        while !isOver {
            switch input.next(after: work.progress) {
            case .frame(let arrival):
                let begun = clock.now
                work.follow(arrival.limit ?? agreed)
                take(arrival, &work, timeline)
                work.progress.counts.taken += 1
                work.progress.counts.conversions = work.converter.conversionCount
                work.progress.counts.bytesConverted = work.converter.bytesWritten
                work.progress.counts.unprocessed = work.filters.unprocessed
                work.progress.counts.busyNanoseconds += clock.now - begun
            case .show(.black, let moment):
                let point = work.point(at: timeline.time(of: moment))
                work.progress.account.show(.black, from: point.period(of: agreed.rate))
                for branch in branches { branch.showBlack(from: point) }
            case .show(.slate(let text), let moment):
                show(text, from: work.point(at: timeline.time(of: moment)), &work)
            case .show(.lastFrame, let moment):
                let point = work.point(at: timeline.time(of: moment))
                work.progress.account.show(.lastFrame, from: point.period(of: agreed.rate))
            case .end:
                isOver = true
            }
        }
        filters.close()
        if work.progress.counts.carried == 0, !branches.isEmpty {
            tell(
                work.progress.counts.withheld == 0
                    ? "no frame came to be shown: it is black"
                    : "no frame was shown: a required filter edited none")
        }
    }

    private func take(
        _ arrival: consuming VideoTrackInput.Arrival, _ work: inout Work,
        _ timeline: SessionTimeline
    ) {
        let came = arrival.nanoseconds
        if arrival.starts != work.starts {
            work.starts = arrival.starts
            work.progress.stamps.restart()
        }
        let moment = stamp(arrival.frame.info.ptsNanoseconds, came: came, &work)
        let point = work.point(at: timeline.time(of: moment))
        guard work.take(point) else {
            work.progress.counts.overRate += 1
            return
        }
        let unedited = work.progress.counts.unedited
        guard let carried = reduce(arrival.intoFrame(), &work),
            let edited = filter(carried, at: point, &work)
        else { return }
        work.progress.counts.carried += 1
        let isLate = difference(came, moment) > SessionTimeline.playoutDelay
        let quality: VideoAccount.Quality =
            work.progress.counts.unedited > unedited ? .unedited : isLate ? .late : .fresh
        let newest = agreed.rate.nearestFrame(atNanoseconds: timeline.time(of: came)) + 1
        work.progress.account.take(
            quality, at: min(point.period(of: agreed.rate), newest),
            for: sendsWhenNew
                ? .infinity : agreed.rate.framesPerSecond / work.limit.rate.framesPerSecond)
        deliver(edited, at: point, &work, timeline)
    }

    /// Shows a slate; an output that can't have it is black.
    private func show(_ text: SlateText, from moment: FrameGrid.Point, _ work: inout Work) {
        work.progress.account.show(.slate, from: moment.period(of: agreed.rate))
        if work.slates.first??.text != text {
            work.slates = groups.map { Slate(text, $0.want, size: agreed.size) }
        }
        for (group, slate) in zip(groups, work.slates) {
            for branch in group.branches {
                if let slate {
                    branch.show(slate, from: moment)
                } else {
                    branch.showBlack(from: moment)
                }
            }
        }
    }

    /// Brings a frame down to the size that the track carries. It keeps its rotation.
    private func reduce(_ frame: consuming VideoFrame, _ work: inout Work) -> VideoFrame? {
        // A row is about the pixels that are sent, whichever way up they are.
        let size = frame.size.reduced(toFit: work.limit.size)
        guard size != frame.size else { return frame }
        let want = VideoWant(format: .i420, size: size, fit: .stretch, acceptsRotation: true)
        return convert(frame, want, &work)
    }

    /// Decides when a frame shows. [the track's thread]
    private func stamp(_ pts: Int64?, came: Int64, _ work: inout Work) -> Int64 {
        let (moment, finding) = work.progress.stamps.follow(pts, arrival: came)
        if let finding {
            tell(finding.text(of: "frames"))
        }
        return moment
    }

    /// Has a frame edited by the filters; without any it stays as it came.
    private func filter(
        _ frame: consuming VideoFrame, at point: FrameGrid.Point, _ work: inout Work
    ) -> VideoFrame? {
        do throws(ConversionError) {
            let outcome = try work.filters.edit(
                frame, at: point.nanoseconds, with: work.converter, from: pool,
                within: work.limit.rate.dueNanoseconds(ofFrame: 1))
            switch consume outcome {
            case .carried(let edited, let isEdited):
                if !isEdited { work.progress.counts.unedited += 1 }
                work.withheldSince = nil
                return edited
            case .withheld:
                work.progress.counts.withheld += 1
                showSlateIfDue(at: point, &work)
            case .lost:
                work.progress.counts.lostInFilter += 1
            }
        } catch {
            countUnconvertible(error, &work)
        }
        return nil
    }

    /// The picture before stays for a while when frames are withheld.
    private func showSlateIfDue(at point: FrameGrid.Point, _ work: inout Work) {
        let since = work.withheldSince ?? point.nanoseconds
        work.withheldSince = since
        guard difference(point.nanoseconds, since) >= SlateText.delay else { return }
        show(.unedited(kind), from: point, &work)
    }

    private func countUnconvertible(_ error: ConversionError, _ work: inout Work) {
        work.progress.counts.unconvertible += 1
        complain(error, &work)
    }

    private func convert(
        _ frame: consuming VideoFrame, _ want: VideoWant, _ work: inout Work
    ) -> VideoFrame? {
        do throws(ConversionError) {
            let converted = try work.converter.convert(frame, to: want, into: pool)
            return converted
        } catch {
            countUnconvertible(error, &work)
            return nil
        }
    }

    /// Hands a frame to every output that has use for it.
    ///
    /// - Parameter point: When the frame shows.
    private func deliver(
        _ frame: consuming VideoFrame, at point: FrameGrid.Point, _ work: inout Work,
        _ timeline: SessionTimeline
    ) {
        for tap in taps { tap.show(frame.share()) }
        for group in groups {
            var converted: VideoFrame?
            for branch in group.branches {
                let now = timeline.time(of: input.clock.now)
                guard let claim = branch.claim(point, at: now) else { continue }
                if converted == nil {
                    do throws(ConversionError) {
                        converted = try work.converter.convert(frame, to: group.want, into: pool)
                    } catch {
                        complain(error, &work)
                    }
                }
                if let frame = converted?.share() {
                    branch.push(frame, claim)
                } else {
                    branch.countUnconvertible()
                }
            }
        }
    }

    /// Says each thing once.
    private func complain(_ error: ConversionError, _ work: inout Work) {
        guard work.complained.count < 20, work.complained.insert(error.message).inserted else {
            return
        }
        tell("a frame is lost: \(error.message)")
    }
}
